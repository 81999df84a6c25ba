"""pytest's own section of a configuration file: what other tools keep beside it is no business of the tests."""

import configparser
import tomllib
from pathlib import Path


def read_pytest_section(path: Path) -> dict[str, object]:
    """Return the section of *path* that pytest reads, by key; the whole text under `text` if it does not parse."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    try:
        return _toml_section(text) if path.suffix == ".toml" else _ini_section(text, path.name)
    except (tomllib.TOMLDecodeError, configparser.Error):
        return {"text": text}


def _toml_section(text: str) -> dict[str, object]:
    document = tomllib.loads(text)
    if isinstance(document.get("pytest"), dict):  # pytest.toml, since pytest 9
        return dict(document["pytest"])
    tools = document.get("tool")
    section = tools.get("pytest") if isinstance(tools, dict) else None
    return dict(section) if isinstance(section, dict) else {}


def _ini_section(text: str, name: str) -> dict[str, object]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(text)
    section = "tool:pytest" if name == "setup.cfg" else "pytest"
    return dict(parser[section]) if parser.has_section(section) else {}
