import dataclasses

from wiremap.pytest_plugin.summary import change_lines, summary_lines
from wiremap.selection.changes import Change
from wiremap.selection.components import ComponentIndex
from wiremap.selection.report import Report
from wiremap.selection.verdicts import Reason, Verdict


def report(*changes: Change, notes: tuple[str, ...] = ()) -> Report:
    return Report(changes, verdicts=(), gone=(), notes=notes, components=ComponentIndex([]))


def test_nothing_is_said_about_nothing() -> None:
    assert summary_lines(None, [], recorded=0, notes=[]) == []


def test_the_numbers_come_first_also_when_they_are_zero() -> None:
    lines = summary_lines((0, 3), [], recorded=0, notes=[])

    assert lines == ["wiremap: 0 of 3 tests selected, 3 proved unaffected"]


def test_a_change_is_told_by_its_unit_or_else_its_file() -> None:
    changes = Change("a.py", "a.py::f", "local", "function body changed"), Change("b.txt", "", "data", "removed")

    lines = change_lines(report(*changes))

    assert lines == ["wiremap: changed: a.py::f (function body changed)", "wiremap: changed: b.txt (removed)"]


def test_many_changes_are_counted() -> None:
    changes = [Change(f"{number}.txt", "", "data", "added") for number in range(7)]

    lines = change_lines(report(*changes))

    assert len(lines) == 6
    assert lines[-1] == "wiremap: … and 2 more; `wiremap affected` lists all"


def test_a_change_that_reaches_a_test_is_told_first() -> None:
    changes = tuple(Change(f"{number}.txt", "", "data", "added") for number in range(7))
    reached = Verdict("t", (Reason("changed", "it read 6.txt, which changed"),))

    lines = change_lines(dataclasses.replace(report(*changes), verdicts=(reached,)))

    assert lines[:2] == ["wiremap: changed: 6.txt (added)", "wiremap: changed: 0.txt (added)"]


def test_one_recorded_test_is_one_test() -> None:
    assert summary_lines(None, [], recorded=1, notes=[]) == ["wiremap: recorded 1 test"]
    assert summary_lines(None, [], recorded=2, notes=[]) == ["wiremap: recorded 2 tests"]


def test_notes_of_the_report_and_of_the_map_are_told() -> None:
    lines = summary_lines(None, change_lines(report(notes=("unseen",))), recorded=0, notes=["set aside"])

    assert lines == ["wiremap: unseen", "wiremap: set aside"]
