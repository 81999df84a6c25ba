"""`wiremap diff` as the HTML page: the graphs before and after over each other, and the tests to run."""

from collections.abc import Iterable

from wiremap.cli.diff_rows import headline
from wiremap.graph import Component, Graph
from wiremap.render.change_union import change_union
from wiremap.render.page import render_page
from wiremap.selection.diff_report import DiffReport, WiringChange

_INFERRED = "inferred wiring"


def change_page(report: DiffReport) -> str:
    """Return the page. A recipe whose graph is not known at both ends is shown as it is at the one."""
    edited = {one.component for one in report.components if one.changes}
    graphs = {one.recipe or _INFERRED: _drawn(one, edited) for one in report.wirings}
    tests = {one.component: one.tests for one in report.components}

    def tests_of(component: Component) -> Iterable[str]:
        return tests.get(component.id, ())

    title = f"{report.base} \N{RIGHTWARDS ARROW} {report.head}: {headline(report).removesuffix('.')}"
    return render_page(graphs, None if report.tests.found_by == "nothing" else tests_of, title)


def _drawn(wiring: WiringChange, edited: set[str]) -> Graph:
    if wiring.before is not None and wiring.after is not None and wiring.diff is not None:
        return change_union(wiring.before, wiring.after, wiring.diff, edited, with_equal_inside=True)
    return next(iter(wiring.graphs), Graph())
