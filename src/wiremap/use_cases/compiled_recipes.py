"""The graphs of all recipes that a project names, or one error that tells why some have none."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wiremap.checks.source_classes import ClassName
from wiremap.errors import NoRecipesConfiguredError, RecipesNotCompiledError
from wiremap.graph import Graph
from wiremap.project.files import project_root
from wiremap.project.map_folder import find_map_folder
from wiremap.project.settings import SETTINGS_FILE, Settings, read_settings
from wiremap.store.map import FOLDER
from wiremap.use_cases.recipe_compiling import Workplace, compile_recipes


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
    """What was found.

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
        raise NoRecipesConfiguredError(project.below_root(SETTINGS_FILE))
    compiled = compile_recipes(recipes, Workplace(project.folder), tells_classes=True)
    if faults := [(recipe, one.whole_error) for recipe, one in compiled.items() if one.graph is None]:
        raise RecipesNotCompiledError(faults)
    found = compiled.values()
    return CompiledRecipes(
        {recipe: one.graph for recipe, one in compiled.items() if one.graph is not None},
        _kin(sorted({entry for one in found for entry in one.kin})),
        {module: Path(file) for one in found for module, file in one.files.items()},
        "".join(dict.fromkeys(one.talk for one in found)),
    )


def _kin(entries: Iterable[tuple[str, str, str, str]]) -> dict[ClassName, tuple[ClassName, ...]]:
    kin: dict[ClassName, tuple[ClassName, ...]] = {}
    for module, name, above_module, above_name in entries:
        key = ClassName(module, name)
        kin[key] = (*kin.get(key, ()), ClassName(above_module, above_name))
    return kin
