"""The full suite, in a process that has the heavy imports already: how each test ends, and which values it asserts."""

import contextlib
import os
import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest

_ADDRESS = re.compile(r"0x[0-9a-f]+|/tmp/\S+|\d+\.\d+s")


class Observer:
    """A plugin that notes outcomes and what passing assertions compared."""

    def __init__(self) -> None:
        self.seen: dict[str, list[str]] = defaultdict(list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how a phase ended."""
        self.seen[report.nodeid].append(f"{report.when} {report.outcome}")

    def pytest_assertion_pass(self, item: pytest.Item, lineno: int, orig: str, expl: str) -> None:  # noqa: ARG002 - hook
        """Note the values."""
        self.seen[item.nodeid].append(_ADDRESS.sub("", f"{orig} {expl}"))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note what can't be collected."""
        if report.failed:
            self.seen[report.nodeid].append("collect failed")


def run_suite(folder: Path, path: list[str]) -> dict[str, list[str]]:
    """Return what is seen of each test of the project in *folder*. Only for a process that ends then."""
    sys.dont_write_bytecode = True
    os.chdir(folder)
    sys.path[:0] = [str(folder / part) for part in path]
    observer = Observer()
    with (
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        arguments = ["-q", "-p", "no:cacheprovider", "-p", "no:wiremap", "-o", "enable_assertion_pass_hook=true"]
        pytest.main([*arguments, "--continue-on-collection-errors"], plugins=[observer])
    return dict(observer.seen)
