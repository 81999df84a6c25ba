"""`wiremap path`: what a test executed, over the graphs that it built."""

import argparse
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from wiremap.cli.output import Subparsers, say, write, write_json
from wiremap.render import render_mermaid
from wiremap.use_cases.executed_path import ExecutedPart, ExecutedPath, executed_paths
from wiremap.wording import counted

_WIDTH = 80
_SHOWN = 6
_NOT_RECORDED = "how often, how long and in which order is not recorded"
_SHARED = "components of one class share their code: which of them ran is not recorded"


def configure(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "path",
        help="say what a test executed, over the graphs that it built",
        description="Say which components and cells a test executed when it was last recorded, with its fixtures, and "
        "what of the graphs that it built was left alone. Runs nothing. In which order, how often and how long is not "
        "recorded.",
    )
    parser.add_argument("test", metavar="NODEID", help="a test as pytest names it, a class, a file or a folder")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON document (schema wiremap.path/1)")
    form.add_argument(
        "--format", choices=["text", "json", "mermaid"], default="text", help="mermaid draws the components that ran"
    )
    parser.add_argument("--all", action="store_true", help=f"name every component, not {_SHOWN} of one class")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the paths."""
    answer = executed_paths(options.test)
    if options.json or options.format == "json":
        write_json(
            {"schema": "wiremap.path/1", "tests": [_document(one) for one in answer.paths], "notes": [*answer.notes]}
        )
        return 0
    if options.format == "mermaid":
        _draw(answer.paths)
    else:
        limit = None if options.all else _SHOWN
        write("\n\n".join("\n".join(_lines(one, limit)) for one in answer.paths))
    parts = [part for one in answer.paths for part in one.parts]
    shared = [_SHARED] if any(len(part.components) > 1 for part in parts) else []
    for note in (*shared, _NOT_RECORDED, *answer.notes):
        say(f"note: {note}")
    return 0


def _document(path: ExecutedPath) -> dict[str, Any]:
    return {
        "test": path.test,
        "outcome": path.outcome,
        "duration": path.duration,
        "executed": [
            {
                "components": list(part.components),
                "cells": [{"cell": one.cell, "consumers": list(one.consumers), "unit": one.unit} for one in part.cells],
                "units": list(part.units),
            }
            for part in path.parts
        ],
        "untouched": list(path.untouched),
        "units": list(path.units),
        "files": list(path.files),
        "graphs": [graph.digest for graph in path.graphs],
        "not_recorded": ["order", "counts", "times", "states that were read"],
    }


def _draw(paths: Sequence[ExecutedPath]) -> None:
    for path in paths:
        graphs = path.executed_graphs()
        if not graphs:
            say(f"note: {path.test} executed no component of a graph")
        for graph in graphs:
            write(f"%% {path.test}\n{render_mermaid(graph).rstrip()}")


# Text


def _lines(path: ExecutedPath, limit: int | None) -> list[str]:
    lines = textwrap.wrap(f"{path.test} {path.outcome} in {path.duration:.2f} s", _WIDTH, subsequent_indent="  ")
    if path.graphs:
        number = sum(len(part.components) for part in path.parts)
        lines.append(f"It built {counted(number + len(path.untouched), 'component')}; code ran of {number}.")
    else:
        lines.append("It built no graph.")
    for part in path.parts:
        lines += ["", *_wrapped(_few(part.components, limit)), *_tree(_branches(part))]
    if path.untouched:
        lines += ["", "built, and none of its code ran", *_tree([_few(path.untouched, limit)])]
    if path.units:
        lines += ["", "in no component", *_tree(f"{file}: {', '.join(names)}" for file, names in _by_file(path.units))]
    if path.files:
        lines += ["", "files of which the parts were not observed", *_tree(path.files)]
    return lines


def _branches(part: ExecutedPart) -> list[str]:
    cells = [f"cell {one.cell} → {', '.join(one.consumers)}" for one in part.cells]
    return [*cells, *(f"{file}: {', '.join(names)}" for file, names in _by_file(part.units))]


def _by_file(units: Iterable[str]) -> Iterable[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for unit in units:
        file, _, name = unit.partition("::")
        found.setdefault(file, []).append(name)
    return found.items()


def _few(names: Sequence[str], limit: int | None) -> str:
    if limit is None or len(names) <= limit:
        return ", ".join(names)
    return f"{', '.join(names[:limit])} and {len(names) - limit} more"


def _tree(branches: Iterable[str]) -> list[str]:
    texts = list(branches)
    lines = []
    for number, text in enumerate(texts, start=1):
        first, rest = ("└─ ", "   ") if number == len(texts) else ("├─ ", "│  ")
        wrapped = _wrapped(text, _WIDTH - len(first))
        lines += [first + wrapped[0], *(rest + line for line in wrapped[1:])]
    return lines


def _wrapped(text: str, width: int = _WIDTH) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False)
