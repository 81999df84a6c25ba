"""`[tool.wiremap]` of `pyproject.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from wiremap.errors import SettingsError

_KEYS = ("variables",)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a project may tell wiremap.

    Attributes:
        variables: Environment variables that every test rests on, besides those that it is seen to read.
    """

    variables: tuple[str, ...] = ()


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
    return Settings(variables=tuple(sorted(table.get("variables", ()))))


def _faults(table: object) -> list[str]:
    if not isinstance(table, dict):
        return ["[tool.wiremap] must be a table"]
    faults = [
        f"unknown key {key!r} in [tool.wiremap]; known: {', '.join(_KEYS)}" for key in sorted(table.keys() - set(_KEYS))
    ]
    variables = table.get("variables", [])
    if not isinstance(variables, list) or not all(isinstance(one, str) for one in variables):
        faults.append(f"`variables` must be a list of names, not {variables!r}")
    return faults
