"""A pytest plugin for the full suite and for the peers: what was collected, what is left to run, how it ended.

It is copied beside the projects, and imports nothing of this repository.
"""

import json
import os
from pathlib import Path

import pytest

_seen: dict[str, list[str]] = {"collected": [], "selected": [], "broken": []}
_outcomes: dict[str, set[str]] = {}


def pytest_itemcollected(item: pytest.Item) -> None:
    """Note it before any plugin deselects it."""
    _seen["collected"].append(item.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note what could not be collected."""
    if report.failed:
        _seen["broken"].append(report.nodeid)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note what is left."""
    _seen["selected"] = [item.nodeid for item in session.items]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note how each phase and subtest ended."""
    words = _outcomes.setdefault(report.nodeid, set())
    words.add(f"xfail {report.outcome}" if hasattr(report, "wasxfail") else f"{report.when} {report.outcome}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Write it down."""
    outcomes = {test: ", ".join(sorted(words)) for test, words in _outcomes.items()}
    Path(os.environ["MUTATION_OBSERVED"]).write_text(json.dumps({**_seen, "outcomes": outcomes}), encoding="utf-8")
