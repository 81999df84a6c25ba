"""The entry points that a project declares for others."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from wiremap.project.settings import SETTINGS_FILE


def declared_entry_points(folder: Path) -> dict[str, dict[str, str]]:
    """Return `package.module:name` by group and name, as the `pyproject.toml` of *folder* has it; none without one."""
    try:
        document = tomllib.loads((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}
    groups = [
        *_table(document, "project", "entry-points").items(),
        *_table(document, "tool", "poetry", "plugins").items(),
    ]
    return {
        group: {name: path for name, path in entries.items() if isinstance(path, str)}
        for group, entries in groups
        if isinstance(entries, dict)
    }


def _table(document: object, *keys: str) -> Mapping[str, object]:
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}
