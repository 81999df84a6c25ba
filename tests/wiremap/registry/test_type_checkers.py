"""What ``compile`` says of signatures, compared with mypy: every provider of a list with every requirement of another.

A false refusal is the worse fault: there must be none. Where ``compile`` is more lenient, the list at the end says so.
"""

import importlib.util
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from textwrap import indent
from types import ModuleType
from typing import Final

import pytest

from wiremap import WiringError

pytest.importorskip("mypy")

HEAD: Final = """
from __future__ import annotations
import asyncio
from collections.abc import *
from contextlib import *
from dataclasses import dataclass
from functools import cached_property
from typing import *
from wiremap import RegistryOrchestrator, Requires

T = TypeVar("T")
S = TypeVar("S", str, bytes)
A = TypeVar("A", bound="Animal")

class Animal: ...
class Dog(Animal): ...
"""
METHODS: Final = {
    "managed": "@contextmanager\ndef f(self) -> Iterator[int]:\n    yield 1",
    "managed_text": "@contextmanager\ndef f(self, x: str) -> Generator[int, None, None]:\n    yield 1",
    "async_managed": "@asynccontextmanager\nasync def f(self) -> AsyncIterator[int]:\n    yield 1",
    "itself": "def f(self) -> Self: return self",
    "perhaps_itself": "def f(self) -> Self | None: return self",
    "merge": "def f(self, other: Self) -> None: ...",
    "awaitable": "def f(self) -> Awaitable[int]: raise NotImplementedError",
    "coroutine": "def f(self) -> Coroutine[Any, Any, int]: raise NotImplementedError",
    "future": "def f(self) -> asyncio.Future[int]: raise NotImplementedError",
    "waiting": "async def f(self) -> int: return 1",
    "anything": "def f(self) -> object: return 1",
    "same": "def f(self, x: T) -> T: return x",
    "same_animal": "def f(self, x: A) -> A: return x",
    "same_text": "def f(self, x: S) -> S: return x",
    "either": "def f(self, x: T, y: T) -> T: return x",
    "number": "def f(self, x: int) -> int: return x",
    "unknown": "def f(self, x: Any) -> Any: return x",
    "animal": "def f(self, x: Animal) -> Animal: return x",
    "walk": "async def f(self) -> AsyncIterator[int]:\n    yield 1",
}
CALLBACKS: Final = {
    "Same": "def __call__(self, x: T) -> T: ...",
    "SameAnimal": "def __call__(self, x: A) -> A: ...",
    "SameText": "def __call__(self, x: S) -> S: ...",
    "Waits": "async def __call__(self) -> int: ...",
    "Walks": "def __call__(self) -> AsyncIterator[int]: ...",
}
TYPES: Final = (
    *(
        f"Callable[[], {result}]"
        for result in ("int", "object", "None", "Animal", "Iterator[int]", "AsyncIterator[int]")
    ),
    *(f"Callable[[], {kind}[{kept}]]" for kind in ("Awaitable", "Coroutine[Any, Any, %]") for kept in ("int", "str")),
    "Callable[[], asyncio.Future[int]]",
    "Callable[[], int | Awaitable[int]]",
    *(f"Callable[[], AbstractContextManager[{kept}]]" for kept in ("int", "str")),
    "Callable[[], AbstractAsyncContextManager[int]]",
    "Callable[[str], ContextManager[int]]",
    *("Callable[[int], int]", "Callable[[int], str]", "Callable[[str], str]", "Callable[[int | None], int | None]"),
    *("Callable[[Dog], Animal]", "Callable[[Animal], Dog]", "Callable[[Animal], None]", "Callable[[int, str], int]"),
    *CALLBACKS,
)
CLASSES: Final = ("int", "str", "dict", "range", "Dog")
STATES: Final = {
    "Computed": "@property\ndef x(self) -> int: return 1",
    "Settable": "@property\ndef x(self) -> int: return 1\n@x.setter\ndef x(self, value: int) -> None: ...",
    "Kept": "x: int = 1",
    "Flag": "x: bool = True",
    "Perhaps": "x: int | None = 1",
    "Fixed": "x: Final[int] = 1",
    "Untold": "x: Any = 1",
    "Inferred": "def __init__(self) -> None: self.x = 1",
    "Cached": "@cached_property\ndef x(self) -> int: return 1",
}
MORE_STATES: Final = """
@dataclass(frozen=True)
class Frozen:
    x: int = 1

class Named(NamedTuple):
    x: int = 1
"""
MEMBERS: Final = {
    "number": "x: int",
    "real": "x: float",
    "perhaps": "x: int | None",
    "untold": "x: Any",
    "read_number": "@property\ndef x(self) -> int: ...",
    "read_real": "@property\ndef x(self) -> float: ...",
    "set_number": "@property\ndef x(self) -> int: ...\n@x.setter\ndef x(self, value: int) -> None: ...",
}
LENIENT: Final = {
    "future -> Callable[[], Awaitable[str]]",  # a generic class of somebody else
    "Settable -> real",  # what its setter takes is not looked at
    "Settable -> perhaps",
    "Inferred -> real",  # a checker infers a type that nobody has written
    "Inferred -> perhaps",
    "Flag -> set_number",  # pyright accepts it
    *(f"{one} -> untold" for one in ("Computed", "Fixed", "Cached", "Frozen", "Named")),  # `x: Any` says nothing here
    # What a class that is not written in Python takes is not told.
    "int -> Callable[[int | None], int | None]",
    "int -> Callable[[int, str], int]",
    "range -> Callable[[], object]",
}


def random_signatures(number: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield a method, and the callback that is required of it: mostly nearly the same."""
    chance = random.Random(seed)  # noqa: S311 -- no secret

    def written(names: str, types: list[str]) -> str:
        kinds = ("", "", "", " = ...", "*", "/")
        parts, has_star, has_default = ["self"], False, False
        for name in names:
            kind = chance.choice(kinds)
            if kind == "*" and not has_star:
                parts, has_star, has_default = [*parts, "*"], True, False
            if kind == "/" and "/" not in parts and not has_star and len(parts) > 1:
                parts.append("/")
            has_default = has_default or kind == " = ..."
            parts.append(f"{name}: {chance.choice(types)}{' = ...' if has_default else ''}")
        if chance.random() < 0.15:
            parts.append(f"**more: {chance.choice(types)}")
        return f"({', '.join(parts)}) -> {chance.choice(types)}: ..."

    for _ in range(number):
        types = chance.choice(
            (["int", "float"], ["int", "bool"], ["Animal", "Dog"], ["int", "int | None"], ["T", "int"])
        )
        names = chance.choice(("", "a", "ab", "abc"))
        given_names = chance.choice((names, names, names, names + "d", names[1:]))
        yield f"def __call__{written(given_names, types)}", f"def __call__{written(names, types)}"


RANDOM: Final = list(random_signatures(150, seed=1))


def module_text() -> tuple[str, dict[int, tuple[str, str]]]:
    """Return a module in which each pair is a function, and by the line of its wiring the pair and the function."""
    text = HEAD + MORE_STATES
    for name, written in (*METHODS.items(), *STATES.items()):
        text += f"class {name}(Animal):\n{indent(written, '    ')}\n"
    for name, written in (*CALLBACKS.items(), *((f"has_{name}", member) for name, member in MEMBERS.items())):
        text += f"class {name}(Protocol):\n{indent(written, '    ')}\n"
    required = [re.sub(r"%\]\[(\w+)", r"\1", one) for one in TYPES]
    for number, one in enumerate(required):
        text += f"class User{number}:\n    f = Requires[{one}]()\n"
    for name in MEMBERS:
        text += f"class uses_{name}:\n    b = Requires[has_{name}]()\n"
    for number, (given, wanted) in enumerate(RANDOM):
        text += f"class Given{number}:\n    {given} # type: ignore\n"
        text += f"class Wanted{number}(Protocol):\n    {wanted} # type: ignore\n"
        text += f"class Random{number}:\n    f = Requires[Wanted{number}]()\n"
    users = [(one, f"User{number}") for number, one in enumerate(required)]
    wirings = [
        *(
            (f"{one} -> {kind}", f"{user}.f.register(orch, {one}().f, {user}())")
            for one in METHODS
            for kind, user in users
        ),
        *((f"{one} -> {kind}", f"{user}.f.register(orch, {one}, {user}())") for one in CLASSES for kind, user in users),
    ]
    for one, member in product((*STATES, "Frozen", "Named"), MEMBERS):
        wirings.append((f"{one} -> {member}", f"uses_{member}.b.register(orch, {one}(), uses_{member}())"))
    for number, (given, wanted) in enumerate(RANDOM):
        line = f"Random{number}.f.register(orch, Given{number}(), Random{number}())"
        wirings.append((f"{given} -> {wanted}", line))
    cases = {}
    for number, (pair, line) in enumerate(wirings):
        text += f"def case_{number}(orch: RegistryOrchestrator) -> None:\n    {line}\n"
        cases[text.count("\n")] = (pair, f"case_{number}")
    return text, cases


def refused_by_mypy(file: Path) -> set[int]:
    """Return the lines with errors."""
    config = file.with_name("mypy.ini")
    config.write_text("[mypy]\nstrict = true\nwarn_unused_ignores = false\n")
    found = subprocess.run(
        [sys.executable, "-m", "mypy", f"--config-file={config}", f"--cache-dir={file.parent}", file.name],
        cwd=file.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode in (0, 1), found.stdout + found.stderr
    return {int(line) for line in re.findall(rf"^{file.name}:(\d+): error:", found.stdout, re.MULTILINE)}


def loaded(file: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, file.stem, module)
    spec.loader.exec_module(module)
    return module


def is_refused(module: ModuleType, function: str) -> bool:
    orch = module.RegistryOrchestrator()
    try:
        getattr(module, function)(orch)
        orch.compile()
    except WiringError as error:
        return [fault.code for fault in error.faults] == ["cell-type"]
    return False


@pytest.mark.filterwarnings("ignore::wiremap.WiringWarning")
def test_compile_refuses_what_mypy_refuses_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, cases = module_text()
    file = tmp_path / "generated_pairs.py"
    file.write_text(text)
    by_mypy = refused_by_mypy(file)
    assert by_mypy <= cases.keys(), "mypy refuses more than wirings"

    module = loaded(file, monkeypatch)
    verdicts = {pair: (is_refused(module, function), line in by_mypy) for line, (pair, function) in cases.items()}

    assert [pair for pair, verdict in verdicts.items() if verdict == (True, False)] == []
    assert {pair for pair, verdict in verdicts.items() if verdict == (False, True)} == LENIENT
    assert min(sum(one) for one in zip(*verdicts.values(), strict=True)) > len(cases) / 3
