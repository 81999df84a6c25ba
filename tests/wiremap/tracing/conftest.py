"""A recorder that runs, and modules for it to watch."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from tests.wiremap.tracing.recording import SOURCES, recording
from wiremap.tracing.recorder import Recorder


@pytest.fixture(params=SOURCES)
def recorder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorder]:
    """A recorder of `tmp_path` that runs, once by each source of events; `WIREMAP_TEST` was set before."""
    monkeypatch.setenv("WIREMAP_TEST", "1")
    with recording(tmp_path, request.param) as started:
        yield started


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], ModuleType]]:
    """Write a module to `tmp_path` and import it."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loaded = []

    def write_and_import(name: str, text: str) -> ModuleType:
        (tmp_path / f"{name}.py").write_text(dedent(text))
        importlib.invalidate_caches()
        loaded.append(name)
        return importlib.import_module(name)

    yield write_and_import
    for name in loaded:
        sys.modules.pop(name, None)
