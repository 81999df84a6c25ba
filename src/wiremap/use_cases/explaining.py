"""Why a test runs or does not: the chain from the change to the test."""

import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wiremap.errors import NothingRecordedError, UncollectedTestError, UnknownTestError
from wiremap.project.files import project_root
from wiremap.project.settings import Settings, read_settings
from wiremap.selection.chains import chain, units_of
from wiremap.store.map import FOLDER, Map
from wiremap.use_cases.collecting import Answer, affected
from wiremap.use_cases.component_index import component_index
from wiremap.use_cases.node_names import is_within, node_named, place_of


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason, followed back to the change.

    Attributes:
        detail: The sentence of the verdict.
        unit: `path::unit` that changed, if it is one.
        line: Its line now.
        component: The component that it belongs to, if any.
        cell: The cell that it is, if any.
        consumers: Who is handed the cell.
        chain: Units that lead to the change, each calling or importing the next: from the test's function where calls
            connect them, else from where the calls began. Empty where it is no unit that changed.
        called_by_test: Whether the chain begins at the test's function. Where it does not, the test may still have
            called what the chain begins with: of a function that many call, not each caller is recorded.
    """

    detail: str
    unit: str | None = None
    line: int | None = None
    component: str | None = None
    cell: str | None = None
    consumers: tuple[str, ...] = ()
    chain: tuple[str, ...] = ()
    called_by_test: bool = False


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer for one test.

    Attributes:
        test: The node id.
        runs: Whether it runs.
        causes: Why; empty when it is proved unaffected.
        evidence: What the proof rests on: how many facts of each kind hold.
        last_outcome: How the latest recorded run ended; None without one.
        last_duration: How long that took, in seconds.
        num_records: How many recorded runs are remembered; a proof rests on one of them.
        notes: What must be told of the map.
        cut_off: Recipes that it executed, that changed and that are proved to do the same for it.
    """

    test: str
    runs: bool
    causes: tuple[Cause, ...]
    evidence: Mapping[str, int]
    last_outcome: str | None
    last_duration: float | None
    num_records: int
    notes: tuple[str, ...]
    cut_off: tuple[str, ...] = ()


def explain(name: str) -> list[Explanation]:
    """Return why each test runs or does not that *name* stands for: a test, a class, a file or a folder.

    *name* is a node id as pytest prints it, or as one would give it to pytest in the current folder.

    Raises:
        UnknownTestError: pytest collects nothing of that name.
        UncollectedTestError: pytest could not collect the file that it stands in.
        NothingRecordedError: No test was ever recorded.
    """
    place = place_of(name.partition("::")[0])
    answer = affected() if place is None else affected([str(place)])
    root = answer.rootdir.resolve()
    node = node_named(name, root)
    reasons = {entry["test"]: entry["reasons"] for entry in answer.document["run"]}
    known = sorted([*reasons, *answer.document["skip"]])
    tests = [test for test in known if is_within(test, node) and not _is_of_error(reasons.get(test))]
    if not tests:
        file = node.partition("::")[0]
        if _is_of_error(reasons.get(file)):
            raise UncollectedTestError(node, file, reasons[file][0]["detail"])
        raise UnknownTestError(node, known)
    with contextlib.closing(_map(answer)) as store:
        records = _Records(store, answer.document, root.relative_to(project_root(root)), read_settings(root))
        if not records.traces:
            raise NothingRecordedError(_why_nothing(answer))
        return [records.explanation(test, reasons.get(test, ())) for test in tests]


def _is_of_error(reasons: Sequence[Mapping[str, Any]] | None) -> bool:
    return reasons is not None and any(reason["rule"] == "error" for reason in reasons)


def _map(answer: Answer) -> Map:
    folder = answer.rootdir / FOLDER
    if not folder.exists():
        raise NothingRecordedError  # and asking leaves no folder behind
    return Map(folder)


def _why_nothing(answer: Answer) -> list[str]:
    """Return what became of an earlier map: it was set aside just now, or lies there since."""
    notes = [note for note in answer.document["notes"] if note.startswith("The map ")]
    kept = sorted(file.name for file in (answer.rootdir / FOLDER).glob("*.kept-*.sqlite"))
    return notes or [f"An earlier map was set aside as {name}." for name in kept[-1:]]


class _Records:
    """What was recorded, as far as it explains verdicts."""

    def __init__(self, store: Map, document: Mapping[str, Any], folder: Path, settings: Settings) -> None:
        """Read the map; *folder* is where the paths in node ids begin, seen from the project's root."""
        self._folder = folder
        self.traces = store.traces()
        self._notes = tuple(store.notes)
        self._components = component_index(store, settings)
        self._callers = store.calls()
        self._cut_off = {entry["unit"]: frozenset(entry["tests"]) for entry in document["cut_off"]}
        self._lines = {change["unit"]: change["line"] for change in document["changes"]}

    def explanation(self, test: str, reasons: Iterable[Mapping[str, Any]]) -> Explanation:
        trace = max(self.traces.get(test, []), key=lambda one: one.sequence, default=None)
        within = units_of(trace.facts) if trace else frozenset[str]()
        function = self._function(test, within)
        causes = tuple(self._cause(reason, function, within) for reason in reasons)
        return Explanation(
            test=test,
            runs=bool(causes),
            causes=causes,
            evidence=dict(sorted(Counter(fact.kind for fact in trace.facts).items())) if trace else {},
            last_outcome=trace.outcome if trace else None,
            last_duration=trace.duration if trace else None,
            num_records=len(self.traces.get(test, ())),
            notes=self._notes,
            cut_off=tuple(sorted(unit for unit, tests in self._cut_off.items() if test in tests)),
        )

    def _function(self, test: str, within: AbstractSet[str]) -> str:
        """Return the unit of the test's function, among those *within* which it ran; it may stand in a base class."""
        named = _unit_of_test(test, self._folder)
        if named in within:
            return named
        alike = [unit for unit in within if _last_name(unit) == _last_name(named) and not self._callers.get(unit)]
        return alike[0] if len(alike) == 1 else named

    def _cause(self, reason: Mapping[str, Any], test: str, within: AbstractSet[str]) -> Cause:
        """Follow one reason of the test whose function is the unit *test* and that rests on the units *within*."""
        unit = reason["unit"]
        if unit is None:
            return Cause(reason["detail"])
        place = self._components.place(unit)
        steps = chain(unit, test, within, self._callers)
        return Cause(
            detail=reason["detail"],
            unit=unit,
            line=self._lines.get(unit),
            component=place.component if place else None,
            cell=place.cell if place else None,
            consumers=place.consumers if place else (),
            chain=steps,
            called_by_test=steps[0] == test,
        )


def _unit_of_test(test: str, folder: Path) -> str:
    """Return `path::Class.function` of a node id `path::Class::function[parameters]` whose path begins in *folder*."""
    path, _, rest = test.partition("::")
    return f"{(folder / path).as_posix()}::{rest.partition('[')[0].replace('::', '.')}"


def _last_name(unit: str) -> str:
    return re.split(r"::|\.", unit)[-1]
