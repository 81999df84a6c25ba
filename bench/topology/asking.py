"""Patches wiremap: beside what it would run, it writes what it would run if recipes were functions like others."""

import dataclasses
import json
from pathlib import Path
from typing import Any

from wiremap.selection import facts as kinds
from wiremap.store.map import Map
from wiremap.use_cases.selecting import Collected, Selection

BARE_FILE: str = globals()[
    "bare_file"
]  # given by who runs this; an environment variable would be one that tests may see

_report = Selection.report
_traces = Map.traces


def _both(self: Selection, collected: Collected) -> Any:
    Map.traces = _without_evidence  # type: ignore[method-assign]
    try:
        bare = _report(Selection(self._project, self._store), collected)
    finally:
        Map.traces = _traces  # type: ignore[method-assign]
    runs = sorted(one.test for one in bare.verdicts if one.runs)
    Path(BARE_FILE).write_text(json.dumps(runs), encoding="utf-8")
    return _report(self, collected)


def _without_evidence(self: Map, *, until: int | None = None) -> Any:
    """Return traces that do not tell which way tests took through recipes."""
    return {
        test: [
            dataclasses.replace(trace, facts=frozenset(fact for fact in trace.facts if fact.kind != kinds.RECIPE))
            for trace in traces
        ]
        for test, traces in _traces(self, until=until).items()
    }


Selection.report = _both  # type: ignore[method-assign]
