"""`wiremap compile`: the graph of each test, without running its work."""

import argparse
import json
from collections.abc import Sequence

from wiremap.cli.node_ids import folded
from wiremap.cli.output import Subparsers, say, write, write_json
from wiremap.graph import Graph
from wiremap.render import render_text
from wiremap.use_cases.compiling import CompiledTest, CompiledTests, compile_tests
from wiremap.wording import counted

_SHOWN = 20
_SHOWN_COMPONENTS = 6
_DIGITS = 8


def configure(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "compile",
        help="say which graph each test builds, without running its work",
        description="Follow each test as far as its first graph, in compile mode: no lifecycle hook is called, and in "
        "recipes torch is on the meta device. Fixtures run. The graphs are kept in the map. Of a test that builds "
        "none it is told what it refers to by its source. Exit code 1 if a test failed on the way.",
    )
    parser.add_argument(
        "tests", nargs="*", metavar="NODEID", help="tests, files, folders; options for pytest go after --"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document (schema wiremap.compiled/1)")
    parser.add_argument("--all", action="store_true", help=f"show every test, not the first {_SHOWN} of each graph")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the graphs; return 1 if something failed on the way."""
    found = compile_tests(options.tests)
    failed = [test for test in found.tests if test.error is not None and not test.graphs]
    if options.json:
        write_json(_document(found))
    else:
        _print(found, failed, limit=None if options.all else _SHOWN)
    for note in () if options.json else found.notes:
        say(f"note: {note}")
    return 1 if failed or found.errors else 0


def _document(found: CompiledTests) -> dict[str, object]:
    tests = [
        {"test": one.test, "graphs": one.graphs, "refers_to": one.refers_to, "error": one.error}
        for one in sorted(found.tests, key=lambda one: one.test)
    ]
    return {
        "schema": "wiremap.compiled/1",
        "graphs": {digest: json.loads(graph.to_json()) for digest, graph in sorted(found.graphs.items())},
        "tests": tests,
        "errors": dict(sorted(found.errors.items())),
        "notes": list(found.notes),
    }


def _print(found: CompiledTests, failed: Sequence[CompiledTest], limit: int | None) -> None:
    built = [test for test in found.tests if test.graphs]
    without = [test for test in found.tests if not test.graphs and test.error is None]
    if len(found.tests) == len(built) == 1:
        for digest in built[0].graphs:
            write(render_text(found.graphs[digest]).rstrip("\n"))
        return
    write(_summary(found, len(built), len(without)))
    for digests, tests in _by_graphs(built).items():
        write("")
        for digest in digests:
            write(f"{digest[:_DIGITS]}  {_in_short(found.graphs[digest])}")
        _print_tests([test.test for test in tests], limit)
    if without:
        write("\nno graph")
        _print_tests([_reference(test) for test in without] if len(without) == 1 else [t.test for t in without], limit)
    if failed or found.errors:
        write("\nfailed on the way")
        _print_tests([*(f"{one.test}: {one.error}" for one in failed), *_uncollected(found)], limit)


def _summary(found: CompiledTests, num_built: int, num_without: int) -> str:
    if not found.tests and not found.errors:
        return "pytest collects no tests here."
    graphs = counted(len(found.graphs), "graph")
    told = f"{num_built} of {counted(len(found.tests), 'test')} built {graphs}, {num_without} none"
    num_failed = len(found.tests) - num_built - num_without + len(found.errors)
    return f"{told}, {num_failed} failed on the way." if num_failed else f"{told}."


def _by_graphs(tests: Sequence[CompiledTest]) -> dict[tuple[str, ...], list[CompiledTest]]:
    groups: dict[tuple[str, ...], list[CompiledTest]] = {}
    for test in tests:
        groups.setdefault(tuple(test.graphs), []).append(test)
    return groups


def _in_short(graph: Graph) -> str:
    ids = [component.id for component in graph.components]
    more = f", … and {len(ids) - _SHOWN_COMPONENTS} more" if len(ids) > _SHOWN_COMPONENTS else ""
    sizes = f"{counted(len(ids), 'component')}, {counted(len(graph.bindings), 'binding')}"
    return f"{sizes}: {', '.join(ids[:_SHOWN_COMPONENTS])}{more}"


def _reference(test: CompiledTest) -> str:
    return f"{test.test}, which refers to {counted(len(test.refers_to), 'function')} of the project"


def _uncollected(found: CompiledTests) -> list[str]:
    return [f"{node}: {error}" for node, error in sorted(found.errors.items())]


def _print_tests(tests: Sequence[str], limit: int | None) -> None:
    lines = folded(tests) if limit else list(tests)
    for line in lines[:limit]:
        write(f"  {line}")
    if limit is not None and len(lines) > limit:
        write(f"  … and {len(lines) - limit} more, see --all")
