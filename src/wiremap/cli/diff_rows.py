"""What `wiremap diff` tells people, before it is text or Markdown: components that are alike in one row, for one."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from wiremap.cli.component_ids import folded_ids, without_index
from wiremap.selection.changes import Change
from wiremap.selection.diff_report import ComponentChange, DiffReport, Why
from wiremap.source.units import MODULE_UNIT
from wiremap.wording import counted

_WORDS: Mapping[Why, str] = {
    "reached": "reached by this change",
    "widened": "wired by what can't be compiled",
    "unknown": "not known",
    "other": "for other reasons",
}


@dataclass(frozen=True, slots=True)
class Row:
    """Components that a change does the same to, and that differ only in an index.

    Attributes:
        name: Their id, with `*` for the index.
        count: How many they are.
        one: The first of them.
    """

    name: str
    count: int
    one: ComponentChange

    @property
    def title(self) -> str:
        """The name, with the number if there are several."""
        return f"{self.name} (\u00d7{self.count})" if self.count > 1 else self.name


def rows(components: Iterable[ComponentChange]) -> list[Row]:
    """Return a row for each component, or for several that are alike."""
    alike: dict[tuple[object, ...], list[ComponentChange]] = {}
    for one in components:
        wiring = tuple(without_index(word) for line in one.wiring for word in line.split(" "))
        key = (without_index(one.component), one.kind, one.changes, wiring)
        alike.setdefault(key, []).append(one)
    return [
        Row(without_index(found[0].component) if len(found) > 1 else found[0].component, len(found), found[0])
        for found in alike.values()
    ]


def consumers_of(one: ComponentChange) -> list[str]:
    """Return who is handed cells by a component; those that differ only in an index as one."""
    return folded_ids(one.consumers)


def unit_of(change: Change) -> str:
    """Return what changed, below its file."""
    name = change.unit.partition("::")[2]
    return "" if name == MODULE_UNIT else name


def place_of(change: Change) -> str:
    """Return where a change is."""
    line = f":{change.line}" if change.line else ""
    return f"{change.file}{line}"


def sentence_on_tests(report: DiffReport) -> str:
    """Return how many tests run, and why."""
    tests = report.tests
    if tests.found_by == "nothing":
        return "Tests: not known." if report.changes else ""
    counts = Counter(one.why for one in tests.run)
    told = ", ".join(f"{counts[why]} {words}" for why, words in _WORDS.items() if counts[why])
    total = len(tests.run) + len(tests.skip)
    how = "" if tests.found_by == "verdicts" else ", by recorded paths"
    return f"Tests to run: {len(tests.run)} of {total}{f' ({told})' if told else ''}{how}."


def headline(report: DiffReport) -> str:
    """Return what changed, in one sentence."""
    if not report.changes and report.topology not in ("changed", "unknown"):
        return "Nothing differs."
    files = counted(len({change.file for change in report.changes}), "file")
    where = f"{counted(len(report.components), 'component')}, {files}" if report.components else files
    kinds = ", ".join(reversed(report.kinds))
    return f"{kinds[:1].upper()}{kinds[1:]}: {where}."


def short(commit: str | None) -> str:
    """Return the beginning of a commit's id."""
    return f" ({commit[:10]})" if commit else ""
