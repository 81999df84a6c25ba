"""What the plugin says at the end of a run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wiremap.selection.reach import Reach
from wiremap.wording import counted

if TYPE_CHECKING:
    from wiremap.selection.report import Report

_SHOWN_CHANGES = 5


def summary_lines(
    counts: tuple[int, int] | None, changes: Sequence[str], recorded: int, notes: Sequence[str]
) -> list[str]:
    """Return the lines to print: what was selected and why, what was recorded, what went wrong."""
    lines: list[str] = []
    if counts is not None:
        run, skipped = counts
        lines.append(f"wiremap: {run} of {run + skipped} tests selected, {skipped} proved unaffected")
    lines.extend(changes)
    if recorded:
        lines.append(f"wiremap: recorded {counted(recorded, 'test')}")
    lines.extend(f"wiremap: {note}" for note in notes)
    return lines


def change_lines(report: "Report") -> list[str]:
    """Return the lines that say what changed, and what the report has to note."""
    reach = Reach((reason.detail, reason.unit) for verdict in report.run for reason in verdict.reasons)
    changes = sorted(report.changes, key=lambda one: not reach.includes(one.file, one.unit, one.detail))
    lines = [f"wiremap: changed: {change.unit or change.file} ({change.detail})" for change in changes[:_SHOWN_CHANGES]]
    hidden = len(report.changes) - len(lines)
    if hidden > 0:
        lines.append(f"wiremap: … and {hidden} more; `wiremap affected` lists all")
    return lines + [f"wiremap: {note}" for note in report.notes]
