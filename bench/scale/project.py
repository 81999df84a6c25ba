"""A generated project of any size: packages in layers, each with its modules, its data and its tests.

What matters for the cost of choosing is the shape: how many modules a test imports, how many of those any other test
imports too, and how often the same words name different things. So packages import packages below them, modules import
a few of their own package and of those below, everybody imports `app.core`, and names come from a small stock.
"""

import json
import random
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PER_PACKAGE = 25
_FAN_OUT = 3
"""So many packages rest on each package: the packages below one are log3 of all."""
_VERBS = ("load", "parse", "merge", "check", "send", "split", "count", "price", "rank", "pack", "close", "draw")
_NOUNS = ("order", "parcel", "invoice", "route", "label", "stock", "basket", "refund", "carrier", "pallet")
_CONSTANTS = ("RATE", "LIMIT", "STEP", "MARGIN", "WEIGHT", "ROUNDS", "DEPTH", "OFFSET")


@dataclass(frozen=True)
class Size:
    """How large a project is.

    Attributes:
        tests: Tests, by their node ids.
        sources: Python files with no tests in them; the conftest files of packages come on top.
        test_files: Files with tests.
    """

    tests: int
    sources: int
    test_files: int


def generate(folder: Path, size: Size) -> None:
    """Write a project of *size* into *folder*, the same one each time, and commit it if there is git."""
    for path, text in _files(size):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    git = shutil.which("git")
    if git is not None:
        begin = [git, "-C", str(folder), "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
        for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "generated"]):
            subprocess.run([*begin, *command], check=True)


def _files(size: Size) -> Iterator[tuple[str, str]]:
    num_packages = max(1, size.sources // _PER_PACKAGE)
    per_package = [len(range(one, size.test_files, num_packages)) for one in range(num_packages)]
    num_cases = max(1, size.tests // size.test_files - _PLAIN_TESTS)
    yield "pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n"
    yield ".gitignore", ".wiremap/\n__pycache__/\n.testmondata*\n"
    yield "app/__init__.py", ""
    yield from _core()
    yield "tests/conftest.py", _CONFTEST
    yield "tests/start/test_start.py", "def test_nothing() -> None:\n    pass\n"
    for package in range(num_packages):
        name = f"area_{package:03}"
        yield (
            f"app/{name}/__init__.py",
            f'"""Area {package}."""\n\nfrom app.{name}.part_00 import Service00 as Service\n',
        )
        yield f"app/{name}/table.json", json.dumps({f"row {row}": row * package for row in range(40)}, indent=1)
        for module in range(_PER_PACKAGE - 1):
            yield f"app/{name}/part_{module:02}.py", _module(package, module)
        yield f"tests/{name}/conftest.py", _AREA_CONFTEST.format(area=name)
        for number in range(per_package[package]):
            yield f"tests/{name}/test_{name}_{number:02}.py", _tests(name, number, num_cases)


def _core() -> Iterator[tuple[str, str]]:
    yield "app/core/__init__.py", ""
    yield "app/core/limits.py", "".join(f"{name}_MAX = {place + 10}\n" for place, name in enumerate(_CONSTANTS))
    yield "app/core/errors.py", _ERRORS
    yield "app/core/base.py", _BASE
    yield "app/core/tables.py", _TABLES


def _module(package: int, module: int) -> str:
    chance = random.Random(package * 1000 + module)  # noqa: S311 - data, not secrets
    below = [(package, one) for one in chance.sample(range(module), min(2, module))]
    if package:
        under = (package - 1) // _FAN_OUT
        below += [(under, one) for one in chance.sample(range(_PER_PACKAGE - 1), 2)]
    functions = chance.sample([f"{verb}_{noun}" for verb in _VERBS for noun in _NOUNS], 6)
    constants = chance.sample(_CONSTANTS, 3)
    limit = chance.choice(_CONSTANTS)
    calls = " + ".join(f"p{area}_{part}.combine(value - 1)" for area, part in below) or "value"
    lines = [
        f'"""Part {module} of area {package}."""',
        "",
        "from __future__ import annotations",
        "",
        "import functools",
        "import re",
        "from dataclasses import dataclass",
        "from pathlib import Path",
        "from typing import Iterable",
        "",
        "from app.core.base import Service",
        "from app.core.errors import TooLargeError",
        f"from app.core.limits import {limit}_MAX",
        "from app.core.tables import read_table",
        *(f"from app.area_{area:03} import part_{part:02} as p{area}_{part}" for area, part in below),
        "",
        *(f"{name} = {chance.randrange(100)}" for name in constants),
        '_WORD = re.compile(r"[a-z]+")',
        f"_TABLE = {{{', '.join(f'{chance.choice(_NOUNS)!r}: {row}' for row in range(8))}}}",
        "",
        "",
        "@dataclass(frozen=True)",
        f"class Entry{module:02}:",
        f'    """An entry of part {module}."""',
        "",
        "    name: str",
        f"    amount: int = {constants[0]}",
        "",
        "    def total(self, factor: int) -> int:",
        '        """Return the amount, times *factor*."""',
        "        if factor < 0:",
        '            raise ValueError(f"{factor} is negative")',
        "        return self.amount * factor",
        "",
        "",
        f"class Service{module:02}(Service):",
        f'    """The service of part {module}."""',
        "",
        f"    retries = {chance.randrange(9)}",
        "",
        "    def run(self, entries: Iterable[str]) -> int:",
        f"        made = [Entry{module:02}(entry) for entry in entries]",
        f"        return sum(entry.total({constants[1]}) for entry in made) + self.retries",
        "",
        "    @property",
        "    def table(self) -> dict[str, int]:",
        '        return read_table(Path(__file__).with_name("table.json"))',
        "",
    ]
    for before, function in zip([None, *functions], functions, strict=False):
        lines += [
            "",
            f"def {function}(value: int, *names: str) -> int:",
            f'    """Return what {function} makes of *value*."""',
            "    found = 0",
            "    for place, name in enumerate(names):",
            "        match = _WORD.search(name)",
            "        if match is None:",
            "            continue",
            "        found += _TABLE.get(match[0], place) * len(match[0])",
            f"    if value > 10 ** {limit}_MAX:",
            f'        raise TooLargeError("{function}", value)',
            f"    return found + {f'{before}(value, *names)' if before else f'value + {constants[2]}'}",
            "",
        ]
    lines += [
        "",
        "@functools.cache",
        "def combine(value: int) -> int:",
        '    """Return the results of this part and of those below."""',
        f"    return {calls} + {functions[-1]}(value, 'abc') if value > 0 else 0",
        "",
    ]
    return "\n".join(lines)


_PLAIN_TESTS = 4


def _tests(area: str, number: int, num_cases: int) -> str:
    chance = random.Random(f"{area} {number}")  # noqa: S311 - as above
    first, second, third = chance.sample(range(_PER_PACKAGE - 1), 3)
    return f'''"""Behaviour of parts {first}, {second} and {third} of {area}."""

import pytest

from app.{area} import part_{second:02}
from app.{area}.part_{first:02} import Entry{first:02}, Service{first:02}, combine
from app.{area}.part_{third:02} import Service{third:02}
from app.core.errors import TooLargeError


def test_an_entry_is_totalled(factor: int) -> None:
    assert Entry{first:02}("a", 3).total(factor) == 3 * factor


def test_a_service_runs(words: list[str]) -> None:
    assert Service{first:02}().run(words) > -1


def test_a_table_is_read(area_table: dict[str, int]) -> None:
    assert Service{third:02}().table == area_table


class TestCombining:
    def test_nothing_gives_nothing(self) -> None:
        assert combine(0) == part_{second:02}.combine(0) == 0


@pytest.mark.parametrize("value", range(1, {num_cases + 1}))
def test_combining_grows(value: int) -> None:
    assert combine(value) <= part_{second:02}.combine(value) + combine(value)
    with pytest.raises(TooLargeError):
        raise TooLargeError("value", value)
'''


_CONFTEST = '''"""What all tests share."""

import pytest


@pytest.fixture(scope="session")
def words() -> list[str]:
    return ["ash", "beech", "cedar"]


@pytest.fixture
def factor() -> int:
    return 4
'''
_AREA_CONFTEST = '''"""What the tests of {area} share."""

import pytest

from app import {area}


@pytest.fixture(scope="module")
def area_table() -> dict[str, int]:
    return {area}.Service().table
'''
_ERRORS = '''"""What may go wrong."""


class AppError(Exception):
    """The base of all errors."""


class TooLargeError(AppError):
    """A number is too large."""

    def __init__(self, name: str, value: int) -> None:
        super().__init__(f"{name}: {value} is too large")
'''
_BASE = '''"""The base of services."""

from collections.abc import Iterable


class Service:
    """Something that runs."""

    def run(self, entries: Iterable[str]) -> int:
        raise NotImplementedError
'''
_TABLES = '''"""Tables on disk."""

import json
from pathlib import Path


def read_table(path: Path) -> dict[str, int]:
    """Return a table, by its rows."""
    return {str(row): int(value) for row, value in json.loads(path.read_text(encoding="utf-8")).items()}
'''
