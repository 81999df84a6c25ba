"""`[tool.wiremap]` of `pyproject.toml`."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from wiremap.checks.allowances import Allowance
from wiremap.checks.findings import ALLOWABLE
from wiremap.errors import SettingsError
from wiremap.source.adapters import Adapter

IGNORABLE = ("platform", "time zone", "locale", "accelerators", "libraries", "start-up code")
"""Parts of the environment that a project may declare to decide no outcome: they differ between machines."""

SETTINGS_FILE = "pyproject.toml"
_LISTS = ("variables", "data", "ignore", "ignored-variables", "ignored-environment")
_COMPONENTS = "components"
_RECIPES = "recipes"
_ALLOW = "allow"
_RECIPE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*(?::[^\W\d]\w*)?")
_ADAPTERS = "adapters"
_ADAPTER_LISTS = ("decorators", "calls", "enums", "entry-points", "defaults")


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
        recipes: The recipes whose graphs are the project's wiring: `package.module` or `package.module:function`.
        adapters: How the project keeps registries of its own.
        allow: What the rules of `wiremap check` find and the project allows.
    """

    variables: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    ignored_variables: tuple[str, ...] = ()
    ignored_environment: tuple[str, ...] = ()
    components: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    recipes: tuple[str, ...] = ()
    adapters: tuple[Adapter, ...] = ()
    allow: tuple[Allowance, ...] = ()

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
        decoded = text.decode("utf-8").replace("\r\n", "\n")
        document = tomllib.loads(decoded)
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
    recipes = tuple(sorted(set(table.get(_RECIPES, ()))))
    return Settings(
        **lists,
        components=components,
        recipes=recipes,
        adapters=_adapters(table),
        allow=_allowances(table.get(_ALLOW, []), decoded),
    )


def _allowances(entries: list[dict[str, str]], text: str) -> tuple[Allowance, ...]:
    """Return the entries with their lines: one header each, or one line where they are written as one value."""
    lines = text.splitlines()
    headers = [number for number, line in enumerate(lines, 1) if re.match(r"\s*\[\[\s*tool\.wiremap\.allow\s*]]", line)]
    values = [number for number, line in enumerate(lines, 1) if re.match(r"\s*(?:tool\.wiremap\.)?allow\s*=", line)]
    if len(headers) != len(entries):
        headers = (values or [1])[:1] * len(entries)
    return tuple(
        Allowance(one["rule"], one["where"], one["reason"], line) for one, line in zip(entries, headers, strict=True)
    )


def _patterns(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _faults(table: object) -> list[str]:
    if not isinstance(table, dict):
        return ["[tool.wiremap] must be a table"]
    known = (*_LISTS, _COMPONENTS, _RECIPES, _ADAPTERS, _ALLOW)
    faults = [
        f"unknown key {key!r} in [tool.wiremap]; known: {', '.join(known)}" for key in sorted(table.keys() - set(known))
    ]
    for key in _LISTS:
        value = table.get(key, [])
        if not _is_list_of_texts(value):
            faults.append(f"`{key}` must be a list of strings, not {value!r}")
        elif key == "ignored-environment":
            faults.extend(_unknown_part(one) for one in value if one not in IGNORABLE)
    return [
        *faults,
        *_faults_of_components(table.get(_COMPONENTS, {})),
        *_faults_of_recipes(table.get(_RECIPES, [])),
        *_faults_of_adapters(table.get(_ADAPTERS, [])),
        *_faults_of_allowances(table.get(_ALLOW, [])),
    ]


def _faults_of_components(table: object) -> Iterator[str]:
    if not isinstance(table, dict):
        yield f"`{_COMPONENTS}` must be a table of patterns by component, not {table!r}"
        return
    for name, value in table.items():
        if not name or not value or not _is_list_of_texts([value] if isinstance(value, str) else value):
            yield f"`{_COMPONENTS}.{name}` must be a pattern of paths or a list of them, not {value!r}"


def _faults_of_recipes(value: object) -> Iterator[str]:
    if not _is_list_of_texts(value):
        yield f"`{_RECIPES}` must be a list of strings, not {value!r}"
        return
    for one in value:
        if not _RECIPE.fullmatch(one):
            yield f"`{_RECIPES}` takes 'package.module' or 'package.module:function', not {one!r}"


def _faults_of_allowances(entries: object) -> Iterator[str]:
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        yield f"`{_ALLOW}` must be a list of tables, each with rule, where and reason, not {entries!r}"
        return
    for number, entry in enumerate(entries, start=1):
        yield from (f"entry {number} of `{_ALLOW}` {fault}" for fault in _faults_of_allowance(entry))


def _faults_of_allowance(entry: Mapping[str, object]) -> Iterator[str]:
    keys = ("rule", "where", "reason")
    yield from (f"has an unknown key {key!r}; known: {', '.join(keys)}" for key in sorted(entry.keys() - set(keys)))
    for key in keys:
        value = entry.get(key, "")
        if not isinstance(value, str) or not value.strip():
            yield f"needs a {key}" if value == "" else f"has the {key} {value!r}, which is no text"
    if isinstance(rule := entry.get("rule"), str) and rule.strip() and rule not in ALLOWABLE:
        yield f"has the rule {rule!r}; known: {', '.join(ALLOWABLE)}"


def _faults_of_adapters(value: object) -> Iterator[str]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        yield f"`{_ADAPTERS}` must be a list of tables, each [[tool.wiremap.{_ADAPTERS}]], not {value!r}"
        return
    known = {"registry", *_ADAPTER_LISTS}
    names = [one.get("registry") for one in value]
    for one in value:
        name = one.get("registry")
        if not isinstance(name, str) or not name:
            yield f"each of `{_ADAPTERS}` must have a `registry`, its name, not {name!r}"
        elif names.count(name) > 1:
            yield f"`{_ADAPTERS}` has the registry {name!r} more than once"
        for key in sorted(one.keys() - known):
            yield f"unknown key {key!r} in `{_ADAPTERS}`; known: registry, {', '.join(_ADAPTER_LISTS)}"
        for key in _ADAPTER_LISTS:
            if not _is_list_of_texts(one.get(key, [])):
                yield f"`{_ADAPTERS}.{key}` must be a list of strings, not {one[key]!r}"
        if not any(one.get(key) for key in _ADAPTER_LISTS):
            yield f"the registry {name!r} of `{_ADAPTERS}` says in no way how things get there"


def _adapters(table: Mapping[str, Any]) -> tuple[Adapter, ...]:
    return tuple(
        Adapter(one["registry"], **{_attribute(key): tuple(one.get(key, ())) for key in _ADAPTER_LISTS})
        for one in table.get(_ADAPTERS, ())
    )


def _is_list_of_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(one, str) and one for one in value)


def _unknown_part(name: str) -> str:
    return f"`ignored-environment` knows {', '.join(IGNORABLE)}, not {name!r}"


def _attribute(key: str) -> str:
    return key.replace("-", "_")
