"""The graphs of the recipes that a project names, compiled in a child process."""

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wiremap.checks.source_classes import ClassName
from wiremap.errors import NoRecipesConfiguredError, RecipesNotCompiledError
from wiremap.graph import Graph
from wiremap.project.files import project_root
from wiremap.project.map_folder import find_map_folder
from wiremap.project.settings import Settings, read_settings
from wiremap.store.map import FOLDER
from wiremap.use_cases.collecting import python_command

CONFIGURATION = "pyproject.toml"
_LAST_LINES = 20


@dataclass(frozen=True, slots=True)
class ConfiguredProject:
    """A project, found from the current folder.

    Attributes:
        folder: Where its configuration and its lock are.
        root: The repository around it, or the same.
        settings: What it tells wiremap.
    """

    folder: Path
    root: Path
    settings: Settings

    def below_root(self, name: str) -> str:
        """Return the path of a file in the folder, relative to the root."""
        return (self.folder / name).relative_to(self.root).as_posix()


@dataclass(frozen=True, slots=True)
class CompiledRecipes:
    """What the child process found.

    Attributes:
        graphs: By recipe, as it is configured.
        kin: For the class of each component, the class itself and what it derives from.
        files: The files of modules that recipes and these classes are written in, by module.
        talk: What recipes printed, and warnings.
    """

    graphs: Mapping[str, Graph]
    kin: Mapping[ClassName, tuple[ClassName, ...]]
    files: Mapping[str, Path]
    talk: str


def configured_project() -> ConfiguredProject:
    """Return the project that the current folder is part of.

    Raises:
        SettingsError: `[tool.wiremap]` is not what it should be.
    """
    folder = find_map_folder(Path.cwd(), FOLDER).parent
    return ConfiguredProject(folder, project_root(folder), read_settings(folder))


def compiled_recipes(project: ConfiguredProject) -> CompiledRecipes:
    """Compile all recipes of *project*.

    Raises:
        NoRecipesConfiguredError: It names none.
        RecipesNotCompiledError: Some have no graph.
    """
    recipes = project.settings.recipes
    if not recipes:
        raise NoRecipesConfiguredError(project.below_root(CONFIGURATION))
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        # A recipe that walks over a set of strings must number its components alike each time.
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        child = subprocess.run(  # noqa: S603 - the user's own recipes
            # -P: a file of the project must not stand in for a module that this one imports.
            [*python_command(), "-P", "-m", "wiremap.use_cases.recipe_process", str(report), *recipes],
            cwd=project.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
    if not found:
        lines = child.stdout.splitlines()[-_LAST_LINES:]
        told = "\n".join([f"their process ended with exit code {child.returncode}. It said:", *lines])
        raise RecipesNotCompiledError([(", ".join(recipes), told)])
    if found["faults"]:
        raise RecipesNotCompiledError((recipe, fault) for recipe, fault in found["faults"])
    return CompiledRecipes(
        {recipe: Graph.from_json(json.dumps(document)) for recipe, document in found["graphs"].items()},
        _kin(found["kin"]),
        {module: Path(file) for module, file in found["files"].items()},
        child.stdout,
    )


def _kin(entries: list[tuple[str, str, str, str]]) -> dict[ClassName, tuple[ClassName, ...]]:
    kin: dict[ClassName, tuple[ClassName, ...]] = {}
    for module, name, above_module, above_name in entries:
        key = ClassName(module, name)
        kin[key] = (*kin.get(key, ()), ClassName(above_module, above_name))
    return kin
