"""Which tests a call of pytest runs: by files, folders and node ids; its markers and keywords are not evaluated."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from wiremap.rules.shell import Folders, NotUnderstood, PytestRun

_TEST_FILES = ("test_*.py", "*_test.py")
_NOT_ENTERED = (".*", "build", "dist", "CVS", "_darcs", "{arch}", "*.egg", "venv", "node_modules")
_RUN_NOTHING = frozenset({"--collect-only", "--co", "--version", "-V", "--help", "-h", "--fixtures", "--markers"})
_SHORT_WITH_VALUE = "kmnpWocr"
_LONG_WITH_VALUE = frozenset(
    {
        "--assert", "--basetemp", "--capture", "--color", "--confcutdir", "--cov-config", "--cov-report",
        "--cov-fail-under", "--deselect", "--dist", "--doctest-glob", "--durations", "--durations-min", "--ignore",
        "--ignore-glob", "--import-mode", "--junit-prefix", "--junit-xml", "--junitxml", "--junitprefix",
        "--log-cli-level", "--log-date-format", "--log-file", "--log-file-level", "--log-format", "--log-level",
        "--maxfail", "--maxprocesses", "--maxschedchunk", "--numprocesses", "--override-ini", "--pastebin",
        "--pdbcls", "--reruns", "--reruns-delay", "--rootdir", "--shard-id", "--num-shards", "--show-capture",
        "--splits", "--group", "--tb", "--timeout", "--tx", "--verbosity",
    }
)  # fmt: skip
_UNEVALUATED = {"k": "-k", "m": "-m"}


@dataclass(frozen=True, slots=True)
class PytestSettings:
    """What pytest's configuration says of which tests there are.

    Attributes:
        root: The folder of the configuration, from the project's root: node ids start there.
        addopts: Arguments in front of all others.
        testpaths: Where tests are looked for if nothing is named in the root.
        python_files: What test files are called.
    """

    root: str = ""
    addopts: tuple[str, ...] = ()
    testpaths: tuple[str, ...] = ()
    python_files: tuple[str, ...] = _TEST_FILES

    @classmethod
    def of(cls, section: Mapping[str, object], root: str) -> "PytestSettings":
        """Return what pytest's own section of a configuration says."""
        nested = section.get("ini_options")  # of a pyproject.toml
        section = {**section, **nested} if isinstance(nested, dict) else section
        python_files = _words(section.get("python_files")) or _TEST_FILES
        return cls(root, _words(section.get("addopts")), _words(section.get("testpaths")), python_files)


@dataclass(frozen=True, slots=True)
class Targets:
    """What one call of pytest runs; paths and node ids begin at the project's root.

    Attributes:
        wanted: Files, folders (the root is empty) and node ids.
        left_out: Files and folders that are ignored.
        left_out_globs: Patterns of such.
        deselected: Node ids.
        unevaluated: Markers and keywords, with their options.
    """

    wanted: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    left_out_globs: tuple[str, ...] = ()
    deselected: tuple[str, ...] = ()
    unevaluated: tuple[str, ...] = ()

    def hold(self, test: str) -> bool:
        """Tell whether the test with that node id is among them."""
        return (
            any(_is_in(test, one) for one in self.wanted)
            and not self._leave_out(test.partition("::")[0])
            and not any(_is_in(test, one) for one in self.deselected)
        )

    def test_files(self, files: Iterable[str], settings: PytestSettings) -> list[str]:
        """Return those of *files* that pytest would collect."""
        named = {one.partition("::")[0] for one in self.wanted}
        return [
            file
            for file in files
            if file.endswith(".py")
            and (file in named or any(_is_found(file, folder, settings) for folder in self.wanted))
            and not self._leave_out(file)
        ]

    def _leave_out(self, file: str) -> bool:
        return any(file == one or file.startswith(f"{one}/") for one in self.left_out) or any(
            fnmatchcase(part, glob) for glob in self.left_out_globs for part in _with_folders(file)
        )


def targets_of(
    run: PytestRun, settings: PytestSettings, folders: Folders, files: Sequence[str]
) -> Targets | NotUnderstood | None:
    """Return what *run* runs; None where it runs nothing; or why that can't be told."""
    given = _Arguments(settings.addopts)
    given.take(run.arguments)
    if _RUN_NOTHING & set(given.flags):
        return None
    if "--pyargs" in given.flags or any(one.startswith("@") for one in given.positional):
        return NotUnderstood(run.command, "its tests are not named by paths")
    known = {*files, *(folder for file in files for folder in folders_of(file)), ""}
    wanted: list[str] = []
    for word in given.positional:
        found = _expanded(word, run.folder, folders, known)
        if not found and word not in given.doubtful:
            return NotUnderstood(run.command, f"there is no {word!r} in {run.folder or 'the root'}")
        wanted.extend(found)
    if not wanted:
        wanted = _by_default(run.folder, settings, folders, known)
    ignored = [path for word in given.ignored if (path := folders.locate(run.folder, word)) is not None]
    globs = [path for word in given.ignored_globs if (path := folders.locate(run.folder, word)) is not None]
    below = f"{settings.root}/" if settings.root else ""
    deselected = tuple(below + one for one in given.deselected)
    return Targets(tuple(wanted), tuple(ignored), tuple(globs), deselected, tuple(given.unevaluated))


@dataclass(slots=True)
class _Arguments:
    """The arguments of pytest, sorted out."""

    defaults: Sequence[str]
    flags: list[str] = field(default_factory=list)
    positional: list[str] = field(default_factory=list)
    doubtful: set[str] = field(default_factory=set)
    """Words that may be the value of an option that is not known."""
    ignored: list[str] = field(default_factory=list)
    ignored_globs: list[str] = field(default_factory=list)
    deselected: list[str] = field(default_factory=list)
    unevaluated: list[str] = field(default_factory=list)

    def take(self, arguments: Sequence[str]) -> None:
        words = [*self.defaults, *arguments]
        while words:
            word = words.pop(0)
            if word == "--":
                self.positional.extend(words)
                return
            if word.startswith("--"):
                self._take_long(word, words)
            elif word.startswith("-") and len(word) > 1:
                self._take_short(word, words)
            else:
                self.positional.append(word)

    def _take_long(self, word: str, rest: list[str]) -> None:
        name, equals, value = word.partition("=")
        self.flags.append(name)
        if not equals and name in _LONG_WITH_VALUE and rest:
            value = rest.pop(0)
        elif not equals and rest and not rest[0].startswith("-"):
            self.doubtful.add(rest[0])
        for option, values in (
            ("--ignore", self.ignored),
            ("--ignore-glob", self.ignored_globs),
            ("--deselect", self.deselected),
        ):
            if name == option and value:
                values.append(value)

    def _take_short(self, word: str, rest: list[str]) -> None:
        """Take short options, which may stand together: `-vsk WORD`."""
        for place, letter in enumerate(word[1:], start=1):
            self.flags.append(f"-{letter}")
            if letter in _SHORT_WITH_VALUE:
                value = word[place + 1 :] or (rest.pop(0) if rest else "")
                if letter in _UNEVALUATED:
                    self.unevaluated.append(f"-{letter} {shlex.quote(value)}")
                return


def _expanded(word: str, folder: str, folders: Folders, known: set[str]) -> list[str]:
    """Return the paths or node ids that *word* means: a pattern means all that a shell would put there."""
    path, separator, name = word.partition("::")
    located = folders.locate(folder, path) if "$" not in path else None
    if located is None:
        return []
    if located in known:
        return [located + separator + name]
    if separator or not set("*?[").isdisjoint(located):
        parts = located.split("/")
        return sorted(one for one in known if _fits(one.split("/"), parts)) if not separator else []
    return []


def _fits(path: Sequence[str], pattern: Sequence[str]) -> bool:
    return len(path) == len(pattern) and all(map(fnmatchcase, path, pattern))


def _by_default(folder: str, settings: PytestSettings, folders: Folders, known: set[str]) -> list[str]:
    if folder == settings.root:
        found = [path for word in settings.testpaths for path in _expanded(word, folder, folders, known)]
        if found:
            return found
    return [folder]


def _is_in(test: str, wanted: str) -> bool:
    return wanted in ("", test) or test.startswith((f"{wanted}/", f"{wanted}::", f"{wanted}["))


def _is_found(file: str, folder: str, settings: PytestSettings) -> bool:
    """Tell whether pytest, given *folder*, comes upon *file* and takes it for a test file."""
    below = f"{folder}/" if folder else ""
    if "::" in folder or not file.startswith(below):
        return False
    *parts, name = file[len(below) :].split("/")
    is_entered = not any(fnmatchcase(part, glob) for part in parts for glob in _NOT_ENTERED)
    return is_entered and any(fnmatchcase(name, glob) for glob in settings.python_files)


def folders_of(file: str) -> list[str]:
    """Return the folders that *file* lies in, the outermost first; the root is none of them."""
    parts = file.split("/")[:-1]
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]


def _with_folders(file: str) -> list[str]:
    return [file, *folders_of(file)]


def _words(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(shlex.split(value))
    return tuple(map(str, value)) if isinstance(value, list) else ()
