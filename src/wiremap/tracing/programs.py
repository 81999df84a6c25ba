"""Which programs tell themselves what they do: Python interpreters, by whatever way they are started.

A program that is not followed is everything else: what it reads or starts itself stays unseen.
"""

import os
import re
from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import NamedTuple

# Bound at import: tests patch these, and must not meet us there.
_access, _isfile, _open = os.access, os.path.isfile, open

_INTERPRETER = re.compile(r"python[0-9.]*[a-z]*|pypy[0-9.]*")
# The system's, by the names that Python uses. Not bash: it may run a file that the environment names before all else.
_SHELLS = frozenset({"/bin/sh", "/usr/bin/sh", "/bin/dash", "/usr/bin/dash"})
# Programs that read no file of a project: these print what they are told, or standard library modules start them to
# learn about the machine.
_HARMLESS = frozenset({"echo", "false", "ldconfig", "printf", "sleep", "true", "uname"})
# Programs that read the files which they are told, and their input; of the latter one, unless it is told otherwise.
_READERS = frozenset({"cat", "less"})
_PLAIN_OPTION_OF_LESS = re.compile("-[EFINRSXefinrs]*")
# A word, bare or in quotes, in which a shell finds nothing to do.
_WORD = re.compile(r"""[ \t]*(?:([\w./:@%+,=-]+)|"([^"$`\\!\n]+)"|'([^'\n]+)')(?=[ \t]|$)""", re.ASCII)


class Kind(Enum):
    """What is known of a program before it starts."""

    PYTHON = auto()
    READER = auto()
    HARMLESS = auto()
    ABSENT = auto()
    OTHER = auto()


class Program(NamedTuple):
    """What starts.

    Attributes:
        kind: What it is.
        path: Where it lies.
        words: The command line: of Python as the interpreter gets it.
        is_direct: Whether the system starts it itself, and no shell does.
    """

    kind: Kind
    path: str = ""
    words: tuple[str, ...] = ()
    is_direct: bool = True


Environment = Callable[[str], str | None]
"""Returns the value of an environment variable."""


def program_of(candidates: Sequence[str], arguments: Sequence[str], environment: Environment, folder: str) -> Program:
    """Tell what the first of the files *candidates* that exists is, when it is run with *arguments* in *folder*."""
    named = next((one for one in candidates if _is_program(os.path.join(folder, one))), None)
    if named is None:
        return Program(Kind.ABSENT)
    name = os.path.basename(named)
    if named in _SHELLS and len(arguments) == 3 and arguments[1] == "-c":  # noqa: PLR2004 - sh -c TEXT
        return _run_by_shell(arguments[2], environment, folder)
    path = os.path.join(folder, named)
    if name in _HARMLESS:
        return Program(Kind.HARMLESS, path)
    if name in _READERS and (name != "less" or _is_plain_less(arguments, environment)):
        return Program(Kind.READER, path, tuple(arguments))
    words = _interpreter_words(path, named, arguments, environment)
    reports = words and not _is_left_alone(words)
    return Program(Kind.PYTHON, path, words) if reports else Program(Kind.OTHER, path)


def search(name: str, environment: Environment) -> list[str]:
    """Return where a program called *name* may be."""
    if os.sep in name:
        return [name]
    path = environment("PATH")
    return [os.path.join(folder, name) for folder in (os.defpath if path is None else path).split(os.pathsep)]


def _run_by_shell(text: str, environment: Environment, folder: str) -> Program:
    """Tell what a shell runs that has nothing else to do: no variable, pattern, pipe, list or redirection."""
    words = _plain_words(text)
    if not words or "=" in words[0]:
        return Program(Kind.OTHER)
    program = program_of(search(words[0], environment), words, environment, folder)
    # The shell has commands of its own, which are nowhere to be found; another shell may have anything to do.
    is_known = program.is_direct and program.kind is not Kind.ABSENT
    return program._replace(is_direct=False) if is_known else Program(Kind.OTHER)


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


def _interpreter_words(path: str, named: str, arguments: Sequence[str], environment: Environment) -> tuple[str, ...]:
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
        found = next((one for one in search(option, environment) if _is_program(one)), None)
        return (option, *rest) if found and _shebang(found) is None and _is_interpreter(found) else ()
    if _shebang(interpreter) is not None or not _is_interpreter(interpreter):
        return ()
    return (interpreter, option, *rest) if option else (interpreter, *rest)


def _is_left_alone(words: Sequence[str]) -> bool:
    """Tell whether the interpreter's options keep start files away (`-S`), or show each import."""
    options = iter(words[1:])
    for word in options:
        if not word.startswith("-") or word.startswith("--"):
            return False
        for place, letter in enumerate(word[1:], start=1):
            if letter in "cm":
                return False
            if letter in "WX":
                value = word[place + 1 :] or next(options, "")
                if letter == "X" and value.startswith("importtime"):
                    return True
                break
            if letter in "Sv":
                return True
    return False


def _is_plain_less(arguments: Sequence[str], environment: Environment) -> bool:
    """Tell whether `less` runs no other program and reads no further file."""
    options = [*(environment("LESS") or "").split(), *(one for one in arguments[1:] if one.startswith("-"))]
    return not environment("LESSOPEN") and all(_PLAIN_OPTION_OF_LESS.fullmatch(option) for option in options)


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
