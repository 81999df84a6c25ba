"""Shell text to the pytest runs in it. What is not understood is told, never guessed."""

import re
import shlex
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from posixpath import basename, isabs, join, normpath

from wiremap.rules.rule import Shell


@dataclass(frozen=True, slots=True)
class PytestRun:
    """One call of pytest.

    Attributes:
        folder: The folder in which it runs, from the project's root; empty for the root.
        arguments: What it is given.
        command: The command, in a line.
    """

    folder: str
    arguments: tuple[str, ...]
    command: str


@dataclass(frozen=True, slots=True, order=True)
class NotUnderstood:
    """A command that may run tests, and nobody knows which."""

    command: str
    reason: str


class Folders:
    """The folders of a project, and which of them a path in a command means."""

    def __init__(self, known: AbstractSet[str], workspace: str | None = None, default: str = "") -> None:
        """Take the *known* folders, from the project's root.

        Args:
            known: Without the root itself.
            workspace: The absolute path at which the commands find the root.
            default: Where commands begin of which it is not said.
        """
        self._known = known
        self._workspace = workspace.rstrip("/") if workspace else None
        self._default = default.strip("/")

    def begin(self, written: str | None) -> str | None:
        """Return the folder that a step says that it begins in; None where that is none of the project."""
        if written is None:
            return self.resolve("", self._default)
        return self.resolve("", written) if "$" not in written else None

    def resolve(self, folder: str, path: str) -> str | None:
        """Return the folder that *path* is in *folder*, or None where it is none of the project."""
        found = self.locate(folder, path)
        return found if found == "" or found in self._known else None

    def locate(self, folder: str, path: str) -> str | None:
        """Return *path*, which is read in *folder*, from the root; None where it leads out of the project."""
        if isabs(path):
            return self._below_workspace(normpath(path))
        found = normpath(join(folder, path))
        return None if found.startswith("..") else found.removeprefix(".") if found == "." else found

    def _below_workspace(self, path: str) -> str | None:
        if self._workspace is not None:
            is_inside = f"{path}/".startswith(f"{self._workspace}/")
            return path[len(self._workspace) :].strip("/") if is_inside else None
        # A checkout lies anywhere: the longest end of the path that is a folder here is meant.
        parts = path.strip("/").split("/")
        ends = ("/".join(parts[start:]) for start in range(len(parts)))
        return next((end for end in ends if end in self._known or end.rpartition("/")[0] in self._known), None)


def pytest_runs(shell: Shell, folders: Folders) -> Iterator[PytestRun | NotUnderstood]:
    """Yield what the commands of *shell* run, in their order."""
    session = _Session(folders, folders.begin(shell.folder), shell.folder)
    for command in shell.commands:
        yield from session.run(command.text)


# From text to simple commands.

_TOKEN = re.compile(
    r"""
      (?P<continuation>\\\r?\n)
    | (?P<literal>\\. | '[^']*' | "(?:\\.|[^"\\])*")
    | (?P<comment>(?<![^\s;&|])\#[^\n]*)
    | (?P<heredoc><<)
    | (?P<redirection>(?:(?<!\S)\d+|&)?(?:>>|>\||>&|>|<&|<)(?!\()[ \t]*(?:&?\d+|-|[^\s;&|<>]+)?)
    | (?P<separator>&&|\|\||[;&|\n])
    | (?P<substitution>\$\()
    | (?P<group>[()`])
    | (?P<text>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_DROPPED = ("comment", "redirection")
_EXPRESSION = re.compile(r"\$\{\{.*?\}\}", re.DOTALL)  # GitHub puts its value there before a shell sees the text


class _UnclearError(Exception):
    """The structure of a text can't be told; the message says why."""


def _simple_commands(text: str) -> list[list[str]]:
    """Return the words of each simple command in *text*."""
    text = _EXPRESSION.sub("$EXPRESSION", text)
    pieces, position = [""], 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        assert found is not None, "any character is text"  # noqa: S101 - ours to keep
        kind, position = found.lastgroup, found.end()
        if kind == "separator":
            pieces.append("")
        elif kind == "substitution":
            position = _closing(text, position)
            pieces[-1] += "$"  # a word that nobody knows
        elif kind in ("heredoc", "group"):
            raise _UnclearError("it has a group, a subshell or a text of several lines")
        else:
            pieces[-1] += " " if kind in _DROPPED else "" if kind == "continuation" else found.group()
    try:
        commands = [words for piece in pieces if (words := shlex.split(piece))]
    except ValueError as error:
        raise _UnclearError(f"its words can't be told apart: {str(error).lower()}") from error
    if any(words[0] in _CONTROL for words in commands):
        raise _UnclearError("it has a loop or a condition")
    return commands


def _closing(text: str, position: int) -> int:
    """Return what comes after the parenthesis that closes the one before *position*."""
    start, depth = position, 1
    while depth and position < len(text):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        position += 1
    if depth or "pytest" in text[start:position]:
        raise _UnclearError("it has a substitution")
    return position


# From simple commands to runs.

_CONTROL = frozenset(
    {
        "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "function",
        "select", "{", "}", "[[", "!",
    }
)  # fmt: skip
_RUNS_NO_TESTS = frozenset(
    {
        "apk", "apt", "apt-get", "awk", "aws", "basename", "buildkite-agent", "cat", "chmod", "chown", "cp", "curl",
        "cut", "date", "df", "dirname", "dnf", "du", "echo", "exit", "export", "false", "find", "free", "git",
        "grep", "head", "hf", "hostname", "huggingface-cli", "id", "jq", "kill", "ln", "ls", "lscpu", "mkdir", "mv",
        "nproc", "nvidia-smi", "pip", "pip3", "printenv", "printf", "ps", "pwd", "read", "readlink", "rm", "rmdir",
        "rocm-smi", "sed", "set", "shopt", "sleep", "sort", "tail", "tar", "tee", "test", "touch", "tr", "trap",
        "true", "type", "ulimit", "umask", "uname", "unset", "unzip", "wait", "wc", "wget", "which", "yum", ":", "[",
    }
)  # fmt: skip
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_PYTHON = re.compile(r"python(?:3(?:\.\d+)?)?")
_FLAG_WITH_VALUE = ("-W", "-X")
_LONGEST_SHOWN = 120
_ADDOPTS = "PYTEST_ADDOPTS"
# Programs that run another: behind their own options, of which these take a value.
_WRAPPERS: dict[tuple[str, ...], frozenset[str]] = {
    ("env",): frozenset({"-u", "--unset"}),
    ("time",): frozenset(),
    ("nice",): frozenset({"-n"}),
    ("sudo",): frozenset({"-u"}),
    ("exec",): frozenset(),
    ("uv", "run"): frozenset({"--with", "--python", "-p", "--group", "--extra"}),
    ("poetry", "run"): frozenset(),
    ("pdm", "run"): frozenset(),
    ("rye", "run"): frozenset(),
    ("pipenv", "run"): frozenset(),
    ("xvfb-run",): frozenset({"-s", "-n"}),
}


class _Session:
    """A shell: where it stands, while its commands are read."""

    def __init__(self, folders: Folders, folder: str | None, written: str | None) -> None:
        self._folders = folders
        self._folder = folder
        self._unknown = f"its folder {written or 'by default'!r} is none of the project"
        self._stack: list[str | None] = []

    def run(self, text: str) -> Iterator[PytestRun | NotUnderstood]:
        try:
            commands = _simple_commands(text)
        except _UnclearError as reason:
            yield NotUnderstood(_in_a_line(text), str(reason))
            return
        for words in commands:
            yield from self._simple(words)

    def _simple(self, words: list[str]) -> Iterator[PytestRun | NotUnderstood]:
        shown = _in_a_line(shlex.join(words))
        if any(word.startswith(f"{_ADDOPTS}=") for word in words):
            yield NotUnderstood(shown, f"it sets {_ADDOPTS}")
            return
        program, arguments = _program(words)
        if program is None:
            return
        if program in ("cd", "pushd", "popd"):
            self._change(program, arguments)
        elif (given := _given_to_pytest(program, arguments)) is not None:
            yield self._pytest(given, shown)
        elif (script := _script(program, arguments)) is not None:
            yield from self.run(script)
        elif not _is_harmless(program, arguments):
            yield NotUnderstood(shown, "it is not known whether it runs tests")

    def _change(self, program: str, arguments: list[str]) -> None:
        if program == "popd":
            self._folder = self._stack.pop() if self._stack else None
            return
        if program == "pushd":
            self._stack.append(self._folder)
        paths = [one for one in arguments if not one.startswith("-")]
        path = paths[0] if len(paths) == 1 and "$" not in paths[0] else None
        self._unknown = f"`{_in_a_line(shlex.join([program, *arguments]))}` leads to no folder of the project"
        if path is None or (self._folder is None and not isabs(path)):
            self._folder = None
        else:
            self._folder = self._folders.resolve(self._folder or "", path)

    def _pytest(self, arguments: list[str], shown: str) -> PytestRun | NotUnderstood:
        if self._folder is None:
            return NotUnderstood(shown, self._unknown)
        return PytestRun(self._folder, tuple(arguments), shown)


def _program(words: list[str]) -> tuple[str | None, list[str]]:
    """Return the program that *words* run, without what stands before it, and its arguments."""
    rest = list(words)
    while rest:
        if _ASSIGNMENT.match(rest[0]):
            rest = rest[1:]
        elif rest[0] == "timeout":
            rest = _after_options(rest[1:], frozenset({"-s", "-k", "--signal", "--kill-after"}))[1:]
        elif (wrapper := next((one for one in _WRAPPERS if tuple(rest[: len(one)]) == one), None)) is not None:
            rest = _after_options(rest[len(wrapper) :], _WRAPPERS[wrapper])
        else:
            return basename(rest[0]), rest[1:]
    return None, []


def _after_options(words: list[str], with_value: frozenset[str]) -> list[str]:
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in with_value else 1 :]
    return words


def _given_to_pytest(program: str, arguments: list[str]) -> list[str] | None:
    """Return what pytest is given, where that is what runs."""
    if program in ("pytest", "py.test"):
        return arguments
    if program == "coverage" and arguments[:1] == ["run"]:
        return _behind_module(_after_options_but_m(arguments[1:], frozenset({"--source", "--rcfile", "--data-file"})))
    if _PYTHON.fullmatch(program):
        return _behind_module(_after_options_but_m(arguments, frozenset(_FLAG_WITH_VALUE)))
    return None


def _after_options_but_m(words: list[str], with_value: frozenset[str]) -> list[str]:
    while words and words[0].startswith("-") and words[0] != "-m":
        words = words[2 if words[0] in with_value else 1 :]
    return words


def _behind_module(words: list[str]) -> list[str] | None:
    return words[2:] if words[:1] == ["-m"] and words[1:2] in (["pytest"], ["py.test"]) else None


def _script(program: str, arguments: list[str]) -> str | None:
    """Return the text that a shell is given to run."""
    if program not in ("bash", "sh") or not arguments or not re.fullmatch(r"-[a-z]*c", arguments[0]):
        return None
    return arguments[1] if len(arguments) == 2 else None  # noqa: PLR2004 - the option and its text


def _is_harmless(program: str, arguments: list[str]) -> bool:
    if program == "uv":
        return arguments[:1] != ["run"]
    if _PYTHON.fullmatch(program):
        return arguments[:2] == ["-m", "pip"] or arguments == ["--version"]
    if program == "command":
        return arguments[:1] == ["-v"]
    if program in ("source", "."):
        return [basename(one) for one in arguments] == ["activate"]
    # What it finds may be run.
    return program in _RUNS_NO_TESTS and not (program == "find" and "-exec" in arguments)


def _in_a_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_SHOWN else f"{line[: _LONGEST_SHOWN - 1]}…"
