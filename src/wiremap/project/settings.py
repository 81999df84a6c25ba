"""`[tool.wiremap]` of `pyproject.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from wiremap.errors import SettingsError

IGNORABLE = ("platform", "time zone", "locale", "accelerators", "libraries", "start-up code")
"""Parts of the environment that a project may declare to decide no outcome: they differ between machines."""

_KEYS = ("variables", "data", "ignore", "ignored-variables", "ignored-environment")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a project may tell wiremap.

    Attributes:
        variables: Environment variables that every test rests on, besides those that it is seen to read.
        data: Patterns of files that every test rests on, besides those that it is seen to open.
        ignore: Patterns of data files that decide no outcome, though tests open them.
        ignored_variables: Environment variables that decide no outcome, though tests read them.
        ignored_environment: Parts of the environment that decide no outcome, though they differ between machines.
    """

    variables: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    ignored_variables: tuple[str, ...] = ()
    ignored_environment: tuple[str, ...] = ()

    @property
    def ignores_anything(self) -> bool:
        """Whether anything that a test rests on may be left out."""
        return bool(self.ignore or self.ignored_variables or self.ignored_environment)

    @property
    def by_key(self) -> dict[str, tuple[str, ...]]:
        """The settings as they are written, by key."""
        return {key: getattr(self, _attribute(key)) for key in _KEYS}


def read_settings(folder: Path) -> Settings:
    """Return the settings in the `pyproject.toml` of *folder*; the defaults where there is none.

    Raises:
        SettingsError: The file does not parse, or holds unknown keys or values of a wrong type; names them all.
    """
    path = folder / "pyproject.toml"
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(path.name, [str(error)]) from error
    tools = document.get("tool", {})
    if not isinstance(tools, dict):
        raise SettingsError(path.name, ["[tool] must be a table"])
    table = tools.get("wiremap", {})
    faults = list(_faults(table))
    if faults:
        raise SettingsError(path.name, faults)
    return Settings(**{_attribute(key): tuple(sorted(table.get(key, ()))) for key in _KEYS})


def _faults(table: object) -> list[str]:
    if not isinstance(table, dict):
        return ["[tool.wiremap] must be a table"]
    faults = [
        f"unknown key {key!r} in [tool.wiremap]; known: {', '.join(_KEYS)}" for key in sorted(table.keys() - set(_KEYS))
    ]
    for key in _KEYS:
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            faults.append(f"`{key}` must be a list of strings, not {value!r}")
        elif key == "ignored-environment":
            faults.extend(_unknown_part(one) for one in value if one not in IGNORABLE)
    return faults


def _unknown_part(name: str) -> str:
    return f"`ignored-environment` knows {', '.join(IGNORABLE)}, not {name!r}"


def _attribute(key: str) -> str:
    return key.replace("-", "_")
