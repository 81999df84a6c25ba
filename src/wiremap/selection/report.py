"""The answer to "what is affected": changes, verdicts, and what could not be proved. Schema `wiremap.verdict/1`."""

from collections.abc import Sequence
from dataclasses import dataclass

from wiremap.selection.changes import Change, Kind, widest
from wiremap.selection.components import ComponentIndex
from wiremap.selection.verdicts import Verdict

SCHEMA = "wiremap.verdict/1"


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is known about a change and the tests that it reaches.

    Attributes:
        changes: What differs from the last recorded state, sorted.
        verdicts: One for each test, in the order in which they would run.
        gone: Tests that have a record and exist no longer, sorted.
        notes: What could not be proved, and what it widened.
        components: Where units stand in the graphs that the tests built.
    """

    changes: tuple[Change, ...]
    verdicts: tuple[Verdict, ...]
    gone: tuple[str, ...]
    notes: tuple[str, ...]
    components: ComponentIndex

    @property
    def kind(self) -> Kind:
        """The widest kind of the changes."""
        return widest(self.changes)

    @property
    def run(self) -> list[Verdict]:
        """The tests that run, and what could not be collected."""
        return [verdict for verdict in self.verdicts if verdict.runs]

    @property
    def skip(self) -> list[str]:
        """The tests that are proved unaffected."""
        return [verdict.test for verdict in self.verdicts if not verdict.runs]

    @property
    def cut_off(self) -> dict[str, list[str]]:
        """The tests that executed a changed recipe and are proved not to be reached by that, by its unit."""
        found: dict[str, list[str]] = {}
        for verdict in sorted(self.verdicts, key=lambda one: one.test):
            for unit in verdict.cut_off:
                found.setdefault(unit, []).append(verdict.test)
        return found

    @property
    def counts(self) -> tuple[int, int]:
        """How many tests run, and how many are proved unaffected. What could not be collected is no test."""
        tests = [verdict for verdict in self.run if all(reason.rule != "error" for reason in verdict.reasons)]
        return len(tests), len(self.skip)

    def as_document(self) -> dict[str, object]:
        """Return the report as plain data, ready for JSON."""
        return {
            "schema": SCHEMA,
            **changes_document(self.changes, self.components),
            "cut_off": [{"unit": unit, "tests": tests} for unit, tests in sorted(self.cut_off.items())],
            "run": [_run(verdict) for verdict in sorted(self.run, key=lambda verdict: verdict.test)],
            "skip": sorted(self.skip),
            "gone": list(self.gone),
            "notes": list(self.notes),
        }


def changes_document(changes: Sequence[Change], components: ComponentIndex) -> dict[str, object]:
    """Return *changes* and the widest kind of them as plain data."""
    return {"kind": widest(changes), "changes": [_change(change, components) for change in changes]}


def _change(change: Change, components: ComponentIndex) -> dict[str, object]:
    place = components.place(change.unit) if change.unit else None
    return {
        "file": change.file,
        "unit": change.unit or None,
        "component": place.component if place else None,
        "kind": change.kind,
        "detail": change.detail,
        "line": change.line or None,
    }


def _run(verdict: Verdict) -> dict[str, object]:
    reasons = [{"rule": one.rule, "detail": one.detail, "unit": one.unit} for one in verdict.reasons]
    return {"test": verdict.test, "reasons": reasons}
