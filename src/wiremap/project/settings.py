"""`[tool.wiremap]` of `pyproject.toml`."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wiremap.errors import SettingsError

IGNORABLE = ("platform", "time zone", "locale", "accelerators", "libraries", "start-up code")
"""Parts of the environment that a project may declare to decide no outcome: they differ between machines."""

SETTINGS_FILE = "pyproject.toml"
_LISTS = ("variables", "data", "ignore", "ignored-variables", "ignored-environment")
_COMPONENTS = "components"
_RECIPES = "recipes"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a project may tell wiremap.

    Attributes:
        variables: Environment variables that every test rests on, besides those that it is seen to read.
        data: Patterns of files that every test rests on, besides those that it is seen to open.
        ignore: Patterns of data files that decide no outcome, though tests open them.
        ignored_variables: Environment variables that decide no outcome, though tests read them.
        ignored_environment: Parts of the environment that decide no outcome, though they differ between machines.
        components: Patterns of paths, or of `path::unit`, by the component that they make up, in the order in which
            they are written.
    """

    variables: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    ignored_variables: tuple[str, ...] = ()
    ignored_environment: tuple[str, ...] = ()
    components: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    recipes: tuple[str, ...] = ()

    @property
    def ignores_anything(self) -> bool:
        """Whether anything that a test rests on may be left out."""
        return bool(self.ignore or self.ignored_variables or self.ignored_environment)

    @property
    def by_key(self) -> dict[str, tuple[str, ...]]:
        """Those that decide what a test rests on, as they are written, by key."""
        return {key: getattr(self, _attribute(key)) for key in _LISTS}


def read_settings(folder: Path) -> Settings:
    """Return the settings in the `pyproject.toml` of *folder*; the defaults where there is none.

    Raises:
        SettingsError: The file does not parse, or holds unknown keys or values of a wrong type; names them all.
    """
    try:
        return parse_settings((folder / SETTINGS_FILE).read_bytes())
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise SettingsError(SETTINGS_FILE, [str(error)]) from error


def parse_settings(text: bytes) -> Settings:
    """Return the settings in the *text* of a `pyproject.toml`; raises as `read_settings` does."""
    try:
        document = tomllib.loads(text.decode("utf-8").replace("\r\n", "\n"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(SETTINGS_FILE, [str(error)]) from error
    tools = document.get("tool", {})
    if not isinstance(tools, dict):
        raise SettingsError(SETTINGS_FILE, ["[tool] must be a table"])
    table = tools.get("wiremap", {})
    faults = list(_faults(table))
    if faults:
        raise SettingsError(SETTINGS_FILE, faults)
    lists = {_attribute(key): tuple(sorted(table.get(key, ()))) for key in _LISTS}
    components = {name: _patterns(value) for name, value in table.get(_COMPONENTS, {}).items()}
    return Settings(**lists, components=components, recipes=tuple(sorted(set(table.get(_RECIPES, ())))))


def _patterns(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _faults(table: object) -> list[str]:
    if not isinstance(table, dict):
        return ["[tool.wiremap] must be a table"]
    known = (*_LISTS, _RECIPES, _COMPONENTS)
    faults = [
        f"unknown key {key!r} in [tool.wiremap]; known: {', '.join(known)}" for key in sorted(table.keys() - set(known))
    ]
    for key in _LISTS:
        value = table.get(key, [])
        if not _is_list_of_texts(value):
            faults.append(f"`{key}` must be a list of strings, not {value!r}")
        elif key == "ignored-environment":
            faults.extend(_unknown_part(one) for one in value if one not in IGNORABLE)
    faults.extend(_faults_of_recipes(table.get(_RECIPES, [])))
    return [*faults, *_faults_of_components(table.get(_COMPONENTS, {}))]


def _faults_of_recipes(value: object) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"`{_RECIPES}` must be a list of strings, not {value!r}"
        return
    for one in value:
        if not isinstance(one, str) or not _names_a_recipe(one):
            yield f"`{_RECIPES}` holds `package.module` or `package.module:function`, not {one!r}"


def _names_a_recipe(text: str) -> bool:
    module, separator, function = text.partition(":")
    return all(part.isidentifier() for part in module.split(".")) and function.isidentifier() == bool(separator)


def _faults_of_components(table: object) -> Iterator[str]:
    if not isinstance(table, dict):
        yield f"`{_COMPONENTS}` must be a table of patterns by component, not {table!r}"
        return
    for name, value in table.items():
        if not name or not value or not _is_list_of_texts([value] if isinstance(value, str) else value):
            yield f"`{_COMPONENTS}.{name}` must be a pattern of paths or a list of them, not {value!r}"


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one for one in value)


def _unknown_part(name: str) -> str:
    return f"`ignored-environment` knows {', '.join(IGNORABLE)}, not {name!r}"


def _attribute(key: str) -> str:
    return key.replace("-", "_")
