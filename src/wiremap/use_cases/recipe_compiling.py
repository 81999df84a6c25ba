"""The graphs of recipes, each compiled in a process of its own: in the project, or in a copy of an earlier state of it.

Modules are looked for in that folder before anywhere else, wherever the project is installed. What was compiled of a
copy counts only if no module came from the project's own folder in its place.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from wiremap.tracing.territory import OWN_FOLDER
from wiremap.use_cases.child_python import python_command
from wiremap.use_cases.recipe_task import CompiledRecipe, RecipeTask

_LONGEST_SECONDS = 600
_LAST_LINES = 20


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where recipes are compiled.

    Attributes:
        folder: Where the processes run.
        search_path: Folders in which modules are looked up next, before all others.
        copy: The root of the copy of the project that the folder is part of, if it is one.
        original: The root of the project itself, where it is a copy.
        environment: The environment variables of the processes; those of this one if not given.
    """

    folder: Path
    search_path: tuple[str, ...] = ()
    copy: Path | None = None
    original: Path | None = None
    environment: Mapping[str, str] | None = None


def compile_recipes(
    recipes: Iterable[str], workplace: Workplace, *, tells_classes: bool = False
) -> dict[str, CompiledRecipe]:
    """Return what becomes of each of *recipes*, `package.module` or `package.module:function`.

    Args:
        recipes: None sees what another leaves behind: each has a process of its own.
        workplace: Where they are compiled.
        tells_classes: Find the kin of the components' classes, too, and the files that they are written in.
    """
    return {recipe: _compiled(recipe, workplace, tells_classes=tells_classes) for recipe in recipes}


def _compiled(recipe: str, workplace: Workplace, *, tells_classes: bool) -> CompiledRecipe:
    with tempfile.TemporaryDirectory() as aside:
        answer = Path(aside, "answer.json")
        talk = Path(aside, "talk")
        task = RecipeTask(
            recipe,
            str(answer),
            str(workplace.folder),
            workplace.search_path,
            str(workplace.copy or ""),
            str(workplace.original or ""),
            tells_classes,
        )
        with talk.open("wb") as output:
            error = _run(task, workplace, output)
        told = talk.read_bytes().decode(errors="replace")
        if answer.exists():
            return CompiledRecipe.from_json(answer.read_text(encoding="utf-8")).with_talk(told)
        return CompiledRecipe(error=error, talk=told, last_words=tuple(told.splitlines()[-_LAST_LINES:]))


def _run(task: RecipeTask, workplace: Workplace, output: BinaryIO) -> str:
    """Run the process to its end; return how it ended."""
    # -P: a file of the project must not stand in for a module that the program imports.
    command = [*python_command(), "-P", "-c", _PROGRAM, str(Path(OWN_FOLDER).parent), task.to_json()]
    environment = os.environ if workplace.environment is None else workplace.environment
    try:
        child = subprocess.run(  # noqa: S603 - the user's own recipe
            command,
            cwd=workplace.folder,
            # A recipe that walks over a set of strings must number its components alike each time.
            env={**environment, "PYTHONHASHSEED": "0"},
            stdin=subprocess.DEVNULL,
            stdout=output,  # no pipe, which a process that the recipe leaves behind would keep open
            stderr=subprocess.STDOUT,
            check=False,
            timeout=_LONGEST_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"its process took more than {_LONGEST_SECONDS} seconds and was ended"
    except OSError as error:
        return f"its process can't be started: {error}"
    return f"its process ended with exit code {child.returncode}"


# What is imported first stays, so that a project that holds another version of wiremap is compiled by this one.
_PROGRAM = """\
import sys
sys.path.insert(0, sys.argv[1])
from wiremap.use_cases.recipe_child import answer
from wiremap.use_cases.recipe_task import RecipeTask
sys.path.pop(0)
answer(RecipeTask.from_json(sys.argv[2]))
"""
