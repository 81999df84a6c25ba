"""`wiremap explain`: why tests run or do not."""

import argparse
import dataclasses
from typing import Any

from wiremap.cli.node_ids import folded
from wiremap.cli.output import Subparsers, say, write, write_json
from wiremap.source.units import MODULE_UNIT
from wiremap.use_cases.explaining import Cause, Explanation, explain
from wiremap.wording import counted


def configure(subparsers: "Subparsers") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "explain",
        help="say why tests run or do not",
        description="Say why a test runs or does not: the chain from the change to the test, or the proof.",
    )
    parser.add_argument(
        "test", metavar="NODEID", help="tests/test_a.py::test_b as pytest names it, a class, a file, or a folder"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the explanation."""
    explanations = explain(options.test)
    if options.json:
        write_json(_document(explanations))
    elif len(explanations) == 1:
        write("\n".join(_lines(explanations[0])))
    else:
        write("\n".join(_lines_of_all(explanations)))
    if not options.json:
        for note in dict.fromkeys(note for one in explanations for note in one.notes):
            say(f"note: {note}")
    return 0


def _document(explanations: list[Explanation]) -> dict[str, Any]:
    documents = [dataclasses.asdict(one) for one in explanations]
    if len(documents) == 1:
        return {"schema": "wiremap.explanation/1", **documents[0]}
    return {"schema": "wiremap.explanations/1", "explanations": documents}


def _lines_of_all(explanations: list[Explanation]) -> list[str]:
    running = [one for one in explanations if one.runs]
    lines = [f"{len(running)} of {len(explanations)} tests run, {len(explanations) - len(running)} proved unaffected."]
    for causes, group in _by_causes(running):
        lines += ["", *(f"{test} runs." for test in folded([one.test for one in group]))]
        for cause in causes:
            lines += ["", *_cause_lines(cause)]
    return lines


def _by_causes(explanations: list[Explanation]) -> list[tuple[tuple[Cause, ...], list[Explanation]]]:
    groups: dict[tuple[Cause, ...], list[Explanation]] = {}
    for one in explanations:
        groups.setdefault(one.causes, []).append(one)
    return list(groups.items())


def _lines(explanation: Explanation) -> list[str]:
    if not explanation.runs:
        return [f"{explanation.test} does not run: it is proved unaffected.", "", *_proof(explanation)]
    lines = [f"{explanation.test} runs."]
    for cause in explanation.causes:
        lines += ["", *_cause_lines(cause)]
    return lines


def _proof(explanation: Explanation) -> list[str]:
    return [
        *_held(explanation),
        *(f"  But for {unit}, which changed, and does for it what it did." for unit in explanation.cut_off),
    ]


def _held(explanation: Explanation) -> list[str]:
    held = ", ".join(_counted(kind, count) for kind, count in explanation.evidence.items())
    how = f"{explanation.last_outcome} in {explanation.last_duration:.2f} s."
    if explanation.num_records == 1:
        return [
            f"  Its last recorded run {how}",
            f"  Everything that it rested on is as it was then: {held}.",
        ]
    return [
        f"  The last of its {explanation.num_records} recorded runs {how}",
        f"  Everything that one of them rested on is as it was then; the last rested on {held}.",
    ]


# What the facts of each kind are called, one and many; a kind that is missing has its own name.
WORDS = {
    "module": ("module", "modules"),
    "classes": ("module by the names in it", "modules by the names in them"),
    "names": ("module by the names in it", "modules by the names in them"),
    "environment": ("fact of the environment", "facts of the environment"),
    "presence": ("path that was asked for", "paths that were asked for"),
    "variable": ("environment variable", "environment variables"),
    "source": ("whole file", "whole files"),
    "library": ("native library", "native libraries"),
    "data": ("pattern of data", "patterns of data"),
    "wiring": ("pattern of wiring", "patterns of wiring"),
    "wired class": ("class in declared wiring", "classes in declared wiring"),
    "recipe": ("recipe by its steps", "recipes by their steps"),
    "project": ("state of the whole project", "states of the whole project"),
}


def _counted(kind: str, count: int) -> str:
    return counted(count, *WORDS.get(kind, (kind,)))


def _cause_lines(cause: Cause) -> list[str]:
    lines = [f"  reason     {cause.detail}"]
    if cause.unit is not None:
        path, _, name = cause.unit.partition("::")
        lines.append(f"  changed    {path}{f':{cause.line}' if cause.line else ''} {name}")
    if cause.component is not None:
        lines.append(f"  component  {cause.component}")
    if cause.cell is not None:
        lines.append(f"  cell       {cause.cell} → {', '.join(cause.consumers)}")
    for label, step in zip(("path", *[""] * len(cause.chain)), _steps(cause), strict=False):
        lines.append(f"  {label:<10} {step}")
    return lines


def _steps(cause: Cause) -> list[str]:
    """Return the chain in words, a line for each step."""
    if not cause.chain:
        return []
    first, *others = cause.chain
    return [_beginning(first, cause), *(_step(unit) for unit in others)]


def _step(unit: str) -> str:
    module = unit.removesuffix(f"::{MODULE_UNIT}")
    return f"calls {unit}" if module == unit else f"imports {module}"


def _beginning(unit: str, cause: Cause) -> str:
    if cause.called_by_test:
        return unit
    if unit.endswith(f"::{MODULE_UNIT}"):
        return f"import of {unit.removesuffix(f'::{MODULE_UNIT}')}"
    return f"{unit} (its caller was not recorded; pytest's and libraries' own calls never are)"
