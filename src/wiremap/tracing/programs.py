"""Which programs tell themselves what they do: Python interpreters, by whatever way they are started.

A program that is not followed is everything else: what it reads or starts itself stays unseen.
"""

import os
import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import NamedTuple

# Bound at import: tests patch these, and must not meet us there.
_access, _isfile, _open = os.access, os.path.isfile, open

_INTERPRETER = re.compile(r"python[0-9.]*[a-z]*|pypy[0-9.]*")
# Not bash: it may run a file that the environment names before anything else.
_SHELLS = frozenset({"sh", "dash"})
# Programs that standard library modules start to learn about the machine; they run no project code.
_HARMLESS = frozenset({"uname", "ldconfig"})
# A word, bare or in quotes, in which a shell finds nothing to do.
_WORD = re.compile(r"""[ \t]*(?:([\w./:@%+,=-]+)|"([^"$`\\!\n]+)"|'([^'\n]+)')(?=[ \t]|$)""", re.ASCII)


class Kind(Enum):
    """What is known of a program before it starts."""

    PYTHON = auto()
    HARMLESS = auto()
    ABSENT = auto()
    OTHER = auto()


class Program(NamedTuple):
    """A program, and of Python the command line that the interpreter gets.

    Attributes:
        kind: What it is.
        words: The command line, the interpreter first.
        is_direct: Whether the system starts the interpreter itself, and no shell does.
    """

    kind: Kind
    words: tuple[str, ...] = ()
    is_direct: bool = True


def program_of(candidates: Sequence[str], arguments: Sequence[str], search_path: str, folder: str) -> Program:
    """Tell what the first of the files *candidates* that exists is, when it is run with *arguments* in *folder*."""
    named = next((one for one in candidates if _is_program(os.path.join(folder, one))), None)
    if named is None:
        return Program(Kind.ABSENT)
    path = os.path.join(folder, named)
    if os.path.basename(path) in _HARMLESS:
        return Program(Kind.HARMLESS)
    if os.path.basename(path) in _SHELLS and len(arguments) == 3 and arguments[1] == "-c":  # noqa: PLR2004 - sh -c TEXT
        return _run_by_shell(arguments[2], search_path, folder)
    words = _interpreter_words(path, named, arguments, search_path)
    return Program(Kind.PYTHON, words) if words else Program(Kind.OTHER)


def search(name: str, search_path: str) -> list[str]:
    """Return where a program called *name* may be."""
    if os.sep in name:
        return [name]
    return [os.path.join(folder, name) for folder in search_path.split(os.pathsep)]


def _run_by_shell(text: str, search_path: str, folder: str) -> Program:
    """Tell what a shell runs that has nothing else to do: no variable, pattern, pipe, list or redirection."""
    words = _plain_words(text)
    if not words or "=" in words[0]:
        return Program(Kind.OTHER)
    named = next((one for one in search(words[0], search_path) if _is_program(os.path.join(folder, one))), None)
    if named is None:
        return Program(Kind.OTHER)
    words = _interpreter_words(os.path.join(folder, named), named, words, search_path)
    return Program(Kind.PYTHON, words, is_direct=False) if words else Program(Kind.OTHER)


def _plain_words(text: str) -> tuple[str, ...]:
    words, place = [], 0
    text = text.strip(" \t\n")
    while place < len(text):
        match = _WORD.match(text, place)
        if match is None:
            return ()
        words.append(next(group for group in match.groups() if group is not None))
        place = match.end()
    return tuple(words)


def _interpreter_words(path: str, named: str, arguments: Sequence[str], search_path: str) -> tuple[str, ...]:
    """Return the command line that Python gets when the program *path*, asked for as *named*, runs; () if none does.

    The program is an interpreter, or a script that names one in its first line. An interpreter is known by its name:
    whether it reports is seen in the end.
    """
    first_line = _shebang(path)
    if first_line is None:
        return tuple(arguments) if _is_interpreter(path) else ()
    interpreter, _, option = first_line.partition(" ")
    option = option.strip()
    rest = (named, *arguments[1:])
    if os.path.basename(interpreter) == "env":
        found = next((one for one in search(option, search_path) if _is_program(one)), None)
        return (option, *rest) if found and _shebang(found) is None and _is_interpreter(found) else ()
    if _shebang(interpreter) is not None or not _is_interpreter(interpreter):
        return ()
    return (interpreter, option, *rest) if option else (interpreter, *rest)


def _is_interpreter(path: str) -> bool:
    return _INTERPRETER.fullmatch(os.path.basename(path)) is not None


def _shebang(path: str) -> str | None:
    """Return the first line of a script after `#!`, or None for a compiled program."""
    try:
        with _open(path, "rb") as file:
            start = file.read(256)
    except OSError:
        return ""
    return os.fsdecode(start[2:].split(b"\n")[0]).strip() if start.startswith(b"#!") else None


def _is_program(path: str) -> bool:
    return _isfile(path) and _access(path, os.X_OK)
