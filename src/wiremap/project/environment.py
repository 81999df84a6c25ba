"""Facts of the environment that every test rests on."""

import json
import os
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from wiremap.selection.facts import ENVIRONMENT, Fact

_ACCELERATOR = re.compile(r"nvidia\d+|kfd|accel\d+|davinci\d+|habanalabs")


def environment_facts(
    *,
    pytest_configuration: Mapping[str, object],
    options: Mapping[str, object],
    plugins: Sequence[str],
    declared: Mapping[str, str | None],
    search_path: str | None,
) -> frozenset[Fact]:
    """Return the facts of this interpreter, machine and configuration.

    Args:
        pytest_configuration: The ini values as pytest read them; other sections of the file don't count.
        options: Command-line options that may change an outcome.
        plugins: Names of pytest's plugins.
        declared: Digests of the environment variables that the project declares.
        search_path: The value of PYTHONPATH.
    """
    implementation = f"{platform.python_implementation()} {platform.python_version()}"
    values = {
        "Python interpreter": f"{implementation} {sys.platform} {platform.machine()}",
        "set of interpreter options": _digest([list(sys.flags), sorted(sys._xoptions), sys.warnoptions]),  # noqa: SLF001 - documented
        "set of installed distributions": _digest(_distributions()),
        "set of accelerators": " ".join(_accelerators()),
        "pytest configuration": _digest(_canonical(pytest_configuration)),
        "set of pytest options": _digest(_canonical(options)),
        "set of pytest plugins": _digest(list(plugins)),
        "set of declared variables": _digest(_canonical(declared)),
        "module search path": _digest(search_path),
    }
    return frozenset(Fact(ENVIRONMENT, key, value) for key, value in values.items())


def _distributions() -> list[str]:
    # The folders' names hold name and version; reading the metadata of each would take a hundred times longer.
    found: set[str] = set()
    for folder in sys.path:
        try:
            found.update(name for name in os.listdir(folder or ".") if name.endswith((".dist-info", ".egg-info")))
        except OSError:
            continue
    return sorted(found)


def _accelerators() -> list[str]:
    try:
        return sorted(name for name in os.listdir("/dev") if _ACCELERATOR.fullmatch(name))
    except OSError:
        return []


def _canonical(values: Mapping[str, object]) -> object:
    return sorted((key, _portable(value)) for key, value in values.items())


def _portable(value: object) -> object:
    if isinstance(value, Mapping):
        return _canonical(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_portable(one) for one in (sorted(value, key=repr) if isinstance(value, set | frozenset) else value)]
    if isinstance(value, Path):
        return value.name  # where the project lies is not part of what it is
    if value is None or isinstance(value, str | int | float | bool):
        return value
    text = getattr(value, "value", None)  # an ini value with its origin, as newer versions of pytest keep it
    return _portable(text) if text is not None else type(value).__name__


def _digest(value: object) -> str:
    return blake2b(json.dumps(value).encode(), digest_size=12).hexdigest()
