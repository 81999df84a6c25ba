"""Compile mode and torch; how Wiremap does without torch is tested everywhere else."""

import os
import subprocess
import sys
import threading
from typing import Any

import pytest

from wiremap import compile_mode

torch: Any = pytest.importorskip("torch")


def test_in_compile_mode_a_model_of_any_size_has_no_storage() -> None:
    with compile_mode():
        model = torch.nn.Linear(1_000_000, 1_000_000)

    assert model.weight.is_meta
    assert model.bias.is_meta


def test_the_default_device_is_as_before_after_compile_mode() -> None:
    with torch.device("cpu"):
        with compile_mode(), compile_mode():
            assert torch.empty(1).is_meta
        assert not torch.empty(1).is_meta

    assert not torch.empty(1).is_meta


def test_a_device_that_is_named_is_kept() -> None:
    with compile_mode():
        assert torch.empty(1, device="cpu").device.type == "cpu"


def test_other_threads_allocate_as_ever() -> None:
    seen: list[bool] = []
    with compile_mode():
        thread = threading.Thread(target=lambda: seen.append(torch.empty(1).is_meta))
        thread.start()
        thread.join()

    assert seen == [False]


LATE = """
import sys
from wiremap import compile_mode

before = list(sys.meta_path)
with compile_mode():
    pass
assert sys.meta_path == before
with compile_mode():
    import wave  # anything else is found as ever
    import torch
    assert torch.empty(1).is_meta
assert not torch.empty(1).is_meta
assert sys.meta_path[-len(before):] == before
assert "exec_module" not in vars(torch.__spec__.loader)
"""


def test_torch_may_be_imported_in_compile_mode() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    done = subprocess.run([sys.executable, "-c", LATE], env=environment, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
