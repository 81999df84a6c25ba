"""``wiremap graph``: one graph as text, JSON or a picture."""

import argparse
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Final

from wiremap.cli.output import say, saying_wiring_warnings, write_file
from wiremap.errors import UnknownFormatError
from wiremap.graph import Graph
from wiremap.render import render_dot, render_markdown, render_mermaid, render_svg, render_text
from wiremap.render.diagram import diagram_of
from wiremap.render.page import render_page
from wiremap.use_cases.graph_source import graph_with_notes, local_graph, without_local_graphs
from wiremap.wording import counted

_RENDERERS: Final = {
    "text": render_text,
    "mermaid": render_mermaid,
    "markdown": render_markdown,
    "dot": render_dot,
    "svg": render_svg,
}
_MOST_NODES: Final = 50  # beyond that a picture is larger than a screen
_SUFFIXES: Final = {
    ".json": "json",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".md": "markdown",
    ".dot": "dot",
    ".gv": "dot",
    ".svg": "svg",
    ".html": "html",
    ".htm": "html",
    ".txt": "text",
}


def configure(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "graph", help="show the graph of a recipe or of a folder of source", description="Show one graph."
    )
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="package.module or package.module:function (a recipe), the path of a graph as JSON, "
        "or a folder, whose wiring is inferred from its source",
    )
    parser.add_argument(
        "--format",
        choices=[*_RENDERERS, "html", "json"],
        help="what to write (default: by the suffix of FILE, else text)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--outer", action="store_true", help="leave out the graphs inside components")
    part.add_argument("--local", metavar="ID", help="show only the graph inside the component with this id")
    parser.add_argument(
        "--around",
        action="append",
        metavar="ID",
        help="show only this component and what is connected with it; may be given several times",
    )
    parser.add_argument(
        "--depth",
        type=_number_of_steps,
        metavar="N",
        help="with --around: follow at most N edges each way (default: 1)",
    )
    parser.add_argument(
        "--unfold",
        action="store_true",
        help="show repeated parts one by one (JSON always does, a page when asked)",
    )
    parser.set_defaults(run=run, refuse=parser.error)


def run(args: argparse.Namespace) -> int:
    """Write the graph that was asked for, and return the exit code."""
    chosen = args.format or _format_of(args.output or "")
    if args.depth is not None and not args.around:
        args.refuse("--depth says how far to go from a component: it needs --around ID")
    # What somebody's module or recipe prints must not get into the graph that is written.
    with saying_wiring_warnings(), redirect_stdout(sys.stderr):
        sourced = graph_with_notes(args.source)
    graph = _part_asked_for(sourced.graph, args)
    for note in sourced.notes:
        say(f"note: {note}")
    text = _text(graph, chosen, args)
    if args.output is None:
        sys.stdout.write(text)
    else:
        write_file(args.output, text)
    if chosen in _RENDERERS and not args.around and _is_large(graph, fold=not args.unfold):
        say("note: That is much for one picture. `--around ID` shows one component with its neighbours.")
    if args.output is not None:
        components, bindings = counted(len(graph.components), "component"), counted(len(graph.bindings), "binding")
        say(f"wrote {args.output} ({components}, {bindings})")
    return 0


def _part_asked_for(graph: Graph, args: argparse.Namespace) -> Graph:
    if args.local is not None:
        graph = local_graph(graph, args.local)
    if args.around:
        graph = graph.neighbourhood(args.around, 1 if args.depth is None else args.depth)
    return without_local_graphs(graph) if args.outer else graph


def _text(graph: Graph, chosen: str, args: argparse.Namespace) -> str:
    if chosen == "json":
        return graph.to_json()
    if chosen == "html":
        return render_page({args.source: graph})
    return _RENDERERS[chosen](graph, fold=not args.unfold)


def _number_of_steps(text: str) -> int:
    """Return the number that *text* is; argparse makes a usage error of what is none."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of edges")
    return int(text)


def _is_large(graph: Graph, *, fold: bool) -> bool:
    """Tell whether a picture of *graph* has more nodes than fit on a screen."""
    return sum(len(part.nodes) for part in diagram_of(graph, fold=fold).walk()) > _MOST_NODES


def _format_of(file: str) -> str:
    suffix = Path(file).suffix.lower()
    if suffix and suffix not in _SUFFIXES:
        raise UnknownFormatError(file, _SUFFIXES)
    return _SUFFIXES.get(suffix, "text")
