"""A child process that compiles recipes, so that what they import and do stays out of the caller's process.

    python -m wiremap.use_cases.recipe_process REPORT RECIPE...

What it found it writes to REPORT as JSON. `use_cases.compiled_recipes` starts it.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from wiremap.errors import WiremapError
from wiremap.graph import Graph
from wiremap.use_cases.graph_source import compile_recipe


def main(report: str, recipes: list[str]) -> None:
    """Compile *recipes* and write what was found to *report*."""
    graphs: dict[str, Graph] = {}
    faults: list[tuple[str, str]] = []
    for recipe in recipes:
        try:
            graphs[recipe] = compile_recipe(recipe)
        except WiremapError as error:
            faults.append((recipe, str(error)))
    kin = sorted({entry for graph in graphs.values() for entry in _kin_in(graph)})
    modules = {*(recipe.partition(":")[0] for recipe in recipes), *(above for _, _, above, _ in kin)}
    document = {
        "graphs": {recipe: json.loads(graph.to_json()) for recipe, graph in graphs.items()},
        "faults": faults,
        "kin": kin,
        "files": {name: file for name in sorted(modules) if (file := _file_of(name))},
    }
    Path(report).write_text(json.dumps(document), encoding="utf-8")


def _kin_in(graph: Graph) -> Iterator[tuple[str, str, str, str]]:
    """Yield, for the class of each component, what it derives from: both by module and qualified name."""
    for component in graph.components:
        for above in getattr(_found(component.module, component.type), "__mro__", ()):
            yield component.module, component.type, above.__module__, above.__qualname__
    for local in graph.nested.values():
        yield from _kin_in(local)


def _found(module: str, qualname: str) -> object:
    """Return the class of that name; None where it was made in a function."""
    found: object = sys.modules.get(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) else None


def _file_of(module: str) -> str:
    file = getattr(sys.modules.get(module), "__file__", None)
    return os.path.realpath(file) if isinstance(file, str) and file.endswith(".py") else ""


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
