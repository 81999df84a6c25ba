"""Runs chosen tests and notes how they end, for `wiremap audit`: selects nothing, observes nothing, records nothing."""

import json
from pathlib import Path

import pytest

from wiremap.use_cases.auditing import CHOSEN, OUTCOMES


def begin_audit(config: pytest.Config) -> None:
    """Register the session's hooks."""
    folder = Path(config.known_args_namespace.wiremap_audit)
    config.pluginmanager.register(OutcomeRecorder(folder, config), "wiremap-audit")


class OutcomeRecorder:
    """The hooks of such a session, also of the controller and of the workers of pytest-xdist."""

    def __init__(self, folder: Path, config: pytest.Config) -> None:
        self._outcomes = folder / OUTCOMES
        self._chosen = frozenset(json.loads((folder / CHOSEN).read_text(encoding="utf-8")))
        self._config = config
        self._running: dict[str, tuple[str, str]] = {}  # several, where workers run them

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out the tests that were not chosen."""
        deselected = [item for item in items if item.nodeid not in self._chosen]
        if deselected:
            config.hook.pytest_deselected(items=deselected)
            items[:] = [item for item in items if item.nodeid in self._chosen]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how the phases of a test end; the last one writes."""
        if hasattr(self._config, "workerinput"):
            return  # the controller is told, too
        ended = self._running.setdefault(report.nodeid, ("passed", ""))
        if report.failed and ended[0] != "failed":
            self._running[report.nodeid] = "failed", _error(report)
        elif report.skipped and not hasattr(report, "wasxfail") and ended[0] == "passed":
            self._running[report.nodeid] = "skipped", ""
        if report.when == "teardown":
            self._write(report.nodeid, *self._running.pop(report.nodeid))

    def _write(self, test: str, outcome: str, error: str) -> None:
        # One by one, so that what ended is known even if a later test ends the process.
        with self._outcomes.open("a", encoding="utf-8") as file:
            file.write(json.dumps([test, outcome, error]) + "\n")


def _error(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else report.longreprtext
    return str(next((line.strip() for line in text.splitlines() if line.strip()), "it failed"))
