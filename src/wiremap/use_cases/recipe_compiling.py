"""The graphs of recipes, compiled in a child process: in the project itself, or in a copy of an earlier state of it.

Modules are looked for in that folder before anywhere else, wherever the project is installed. What was compiled
counts only if no module came from the project's own folder in the place of the copy.
"""

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wiremap.graph import Graph
from wiremap.source.modules import ModuleIndex
from wiremap.tracing.territory import OWN_FOLDER
from wiremap.use_cases.collecting import python_command

_LONGEST_ERROR = 300


@dataclass(frozen=True, slots=True)
class CompiledRecipe:
    """What became of a recipe; without a graph and without an error it is not there.

    Attributes:
        graph: The graph, if it could be compiled.
        error: Why not, in one line.
    """

    graph: Graph | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Folder:
    """Where recipes are compiled.

    Attributes:
        root: The project's root, or that of the copy.
        below: Where commands are given, relative to it.
        python_files: The paths of its Python files, relative to the root.
        copy_of: The root of the project itself, where *root* is that of a copy.
    """

    root: Path
    below: str
    python_files: Sequence[str]
    copy_of: Path | None = None


def compile_recipes(recipes: Sequence[str], folder: Folder) -> dict[str, CompiledRecipe]:
    """Return what becomes of each of *recipes*, `package.module` or `package.module:function`, in *folder*."""
    if not recipes:
        return {}
    with tempfile.TemporaryDirectory() as aside:
        answer = Path(aside, "answer.json")
        task = {
            "recipes": list(recipes),
            "folder": str(folder.root / folder.below),
            "roots": [str(folder.root / root) for root in _import_roots(recipes, folder.python_files)],
            "copy": str(folder.root),
            "original": str(folder.copy_of or folder.root),
            "answer": str(answer),
        }
        command = [*python_command(), "-c", _PROGRAM, str(Path(OWN_FOLDER).parent), json.dumps(task)]
        child = subprocess.run(  # noqa: S603 - this interpreter
            command, cwd=folder.root / folder.below, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        if not answer.exists():
            last = child.stderr.decode(errors="replace").strip().splitlines()[-1:]
            error = ": ".join([f"the process that compiled it ended with exit code {child.returncode}", *last])
            return {recipe: CompiledRecipe(error=_one_line(error, task)) for recipe in recipes}
        found: dict[str, dict[str, str]] = json.loads(answer.read_text(encoding="utf-8"))
    return {recipe: _compiled(found[recipe], task) for recipe in recipes}


# What is imported first stays, so that a project that holds another version of wiremap is compiled by this one.
_PROGRAM = """\
import json, sys
sys.path.insert(0, sys.argv[1])
from wiremap.use_cases.recipe_child import compile_all
sys.path.pop(0)
compile_all(json.loads(sys.argv[2]))
"""


def _import_roots(recipes: Sequence[str], python_files: Sequence[str]) -> list[str]:
    """Return the folders, relative to the root, in which the modules of the recipes are looked up."""
    index, roots = ModuleIndex(python_files), []
    for recipe in recipes:
        module = recipe.partition(":")[0]
        if found := index.candidates(module):
            path = min(found, key=lambda one: (len(one), one))
            parts = path.removesuffix("/__init__.py").removesuffix(".py").split("/")
            roots.append("/".join(parts[: -len(module.split("."))]))
    return sorted(set(roots))


def _compiled(found: Mapping[str, str], task: Mapping[str, object]) -> CompiledRecipe:
    if "error" in found:
        return CompiledRecipe(error=_one_line(found["error"], task))
    return CompiledRecipe(Graph.from_json(found["graph"])) if "graph" in found else CompiledRecipe()


def _one_line(error: str, task: Mapping[str, object]) -> str:
    """Return the error without line breaks and without folders that are others the next time."""
    for folder in sorted({str(task["copy"]), str(Path(str(task["copy"])).resolve()), str(task["original"])}, key=len)[
        ::-1
    ]:
        error = error.replace(f"{folder}/", "").replace(folder, ".")
    text = " ".join(error.split())
    return text if len(text) <= _LONGEST_ERROR else f"{text[:_LONGEST_ERROR]}\u2026"
