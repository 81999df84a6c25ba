"""The git repository that a project lies in: its states, what differs between two of them, and what files held.

Git's own programs read it. Nothing of it is written: neither the index, nor the working tree, nor an object.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from wiremap.errors import NoCommonAncestorError, UnknownRevisionError

LINK = "120000"
SUBMODULE = "160000"
_NOTHING = "000000"
# Else git would write the index, to note which files were only touched.
_DIFF = ("-c", "diff.autoRefreshIndex=false", "diff")
# Else git may refresh the index while it looks at it, and what it says depends on the user's language.
_LOOK_ONLY = {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


@dataclass(frozen=True, slots=True)
class State:
    """A state of the files: a commit, the index, or the working tree with its new files.

    Attributes:
        kind: Which of these.
        name: What it is called where it is told.
        commit: The id of the commit, if it is one.
    """

    kind: Literal["commit", "index", "working tree"]
    name: str
    commit: str = ""


INDEX = State("index", "the index")
WORKING_TREE = State("working tree", "the working tree")


@dataclass(frozen=True, slots=True)
class Blob:
    """What stands at a path.

    Attributes:
        mode: As git writes it.
        id: The id of the content; empty where it is on disk only.
    """

    mode: str
    id: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A path at which two states differ; None is where it is not there.

    Attributes:
        path: Relative to the project's root.
        before: What was there.
        now: What is there.
        is_unmerged: Whether it is in conflict, so that there is no such thing as what is there.
    """

    path: str
    before: Blob | None
    now: Blob | None
    is_unmerged: bool = False


class Repository:
    """Reads the repository; all paths are relative to *root*."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def commit(self, name: str) -> State:
        """Return the commit that *name* stands for.

        Raises:
            UnknownRevisionError: There is no such commit, no repository, or no git.
        """
        done = self._run(name, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        if done.returncode != 0:
            raise UnknownRevisionError(name, self._reason(done), self._is_shallow())
        return State("commit", name, os.fsdecode(done.stdout).strip())

    def common_ancestor(self, one: State, other: State) -> State:
        """Return the commit where two commits parted.

        Raises:
            NoCommonAncestorError: There is none, or it is not there.
        """
        done = self._run(one.name, "merge-base", one.commit, other.commit)
        if done.returncode != 0:
            raise NoCommonAncestorError(one.name, other.name, self._is_shallow())
        return State("commit", f"{one.name}...{other.name}", os.fsdecode(done.stdout).strip())

    def differences(self, base: State, head: State) -> list[Difference]:
        """Return the paths at which *head* differs from the commit *base*, sorted."""
        which = {"commit": [base.commit, head.commit], "index": ["--cached", base.commit]}
        arguments = which.get(head.kind, [base.commit])
        text = self._git(
            *_DIFF, "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", "--relative", "-z", *arguments, "--", "."
        )
        found = dict(_differences(text.split("\0")))
        if head.kind == "working tree":
            new = self._git("ls-files", "--others", "--exclude-standard", "-z", "--", ".").split("\0")
            # What ends in a slash is another repository.
            for path in (path for path in new if path and not path.endswith("/")):
                before = found[path].before if path in found else None  # removed from the index, and here
                found[path] = Difference(path, before, Blob(self._mode(path), ""))
        touched = self._only_touched(found.values())
        return [found[path] for path in sorted(found) if path not in touched]

    def files(self, state: State) -> dict[str, Blob]:
        """Return all files of the commit or the index *state*."""
        if state.kind == "index":
            rows = _rows(self._git("ls-files", "--stage", "-z", "--", "."))
            return {path: Blob(mode, id_) for (mode, id_, stage), path in rows if stage == "0"}
        rows = _rows(self._git("ls-tree", "-r", "-z", state.commit, "--", "."))
        return {path: Blob(mode, id_) for (mode, _, id_), path in rows}

    def paths(self, state: State) -> list[str]:
        """Return the paths of all files of *state*, sorted; of the working tree those that git would keep."""
        if state.kind != "working tree":
            return sorted(self.files(state))
        listed = self._git("ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", ".").split("\0")
        return sorted({path for path in listed if path and (self._root / path).is_file()})

    def contents(self, blobs: Mapping[str, Blob | None]) -> Iterator[tuple[str, bytes]]:
        """Yield what is there for each path: of a link where it leads to, of what can't be read nothing at all."""
        stored = {path: blob.id for path, blob in blobs.items() if blob and blob.id and blob.mode != SUBMODULE}
        yield from self._stored(stored)
        for path, blob in blobs.items():
            if blob is not None and not blob.id and (text := self._on_disk(path, blob.mode)) is not None:
                yield path, text

    def read(self, state: State, paths: Iterable[str]) -> dict[str, bytes]:
        """Return the content of those of *paths* that are files of *state*."""
        if state.kind == "working tree":
            return dict(self.contents({path: Blob("", "") for path in paths}))
        wanted = set(paths)
        return dict(self.contents({path: blob for path, blob in self.files(state).items() if path in wanted}))

    def export(self, state: State, folder: Path) -> None:
        """Write all files of the commit or the index *state* below *folder*."""
        files = {path: blob for path, blob in self.files(state).items() if _is_safe(path)}
        links = []
        for path, text in self.contents(files):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if files[path].mode == LINK:
                links.append((target, text))
            else:
                target.write_bytes(text)
                target.chmod(int(files[path].mode[-3:], 8))
        for target, text in links:  # last, so that nothing is written through one
            target.symlink_to(os.fsdecode(text))

    def _only_touched(self, found: Iterable[Difference]) -> set[str]:
        """Return the paths of files on disk that hold what they held before, as git would store it."""
        ids = {
            one.path: one.before.id
            for one in found
            if one.before and one.now and not one.now.id and one.before.mode == one.now.mode not in (LINK, SUBMODULE)
            if "\n" not in one.path
        }
        if not ids:
            return set()
        done = self._run("HEAD", "hash-object", "--stdin-paths", given="".join(f"{path}\n" for path in ids))
        now = os.fsdecode(done.stdout).splitlines()
        return {path for (path, before), id_ in zip(ids.items(), now, strict=False) if before == id_}

    def _stored(self, ids: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
        if not ids:
            return
        command = [self._program("HEAD"), "cat-file", "--batch"]
        with subprocess.Popen(  # noqa: S603 - git
            command, cwd=self._root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | _LOOK_ONLY
        ) as child:
            assert child.stdin and child.stdout  # noqa: S101, PT018 - pipes, as asked for
            for path, id_ in ids.items():
                child.stdin.write(f"{id_}\n".encode())
                child.stdin.flush()
                _, *kind = child.stdout.readline().split()
                if len(kind) == 2:  # noqa: PLR2004 - kind and size; else it is missing
                    text = child.stdout.read(int(kind[1]))
                    child.stdout.read(1)
                    yield path, text
            child.stdin.close()

    def _on_disk(self, path: str, mode: str) -> bytes | None:
        file = self._root / path
        try:
            return os.fsencode(file.readlink()) if mode == LINK else file.read_bytes()
        except OSError:
            return None

    def _mode(self, path: str) -> str:
        return LINK if (self._root / path).is_symlink() else "100644"

    def _is_shallow(self) -> bool:
        done = self._run("HEAD", "rev-parse", "--is-shallow-repository")
        return os.fsdecode(done.stdout).strip() == "true"

    def _git(self, *arguments: str) -> str:
        done = self._run("HEAD", *arguments)
        if done.returncode != 0:
            raise UnknownRevisionError("HEAD", self._reason(done))
        return os.fsdecode(done.stdout)

    def _reason(self, done: "subprocess.CompletedProcess[bytes]") -> str:
        """Return why git did not answer; nothing where it just knows no such name."""
        if not any((folder / ".git").exists() for folder in (self._root, *self._root.parents)):
            return "this is no git repository"
        return _said(done).removeprefix("fatal: ").rstrip(".")

    def _run(self, name: str, *arguments: str, given: str = "") -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(  # noqa: S603 - git
            [self._program(name), *arguments],
            cwd=self._root,
            input=os.fsencode(given),
            capture_output=True,
            check=False,
            env=os.environ | _LOOK_ONLY,
        )

    @staticmethod
    def _program(name: str) -> str:
        git = shutil.which("git")
        if git is None:
            raise UnknownRevisionError(name, "git is not installed")
        return git


def _said(done: "subprocess.CompletedProcess[bytes]") -> str:
    lines = os.fsdecode(done.stderr).strip().splitlines()
    return lines[-1] if lines else ""


def _differences(fields: list[str]) -> Iterator[tuple[str, Difference]]:
    """Yield what `git diff --raw -z` writes: a line of modes, ids and a letter, then the path."""
    unmerged = set()
    for told, path in zip(fields[::2], fields[1::2], strict=False):
        mode_before, mode_now, id_before, id_now, letter = told.removeprefix(":").split(" ")
        if letter == "U":
            unmerged.add(path)
        before = Blob(mode_before, id_before) if mode_before != _NOTHING else None
        now = Blob(mode_now, id_now.strip("0") and id_now) if mode_now != _NOTHING else None
        yield path, Difference(path, before, now, path in unmerged)


def _rows(text: str) -> Iterator[tuple[list[str], str]]:
    for row in text.split("\0"):
        if row:
            told, _, path = row.partition("\t")
            yield told.split(" "), path


def _is_safe(path: str) -> bool:
    """Tell whether *path* leads nowhere else, as git itself makes sure of where it checks a tree out."""
    parts = path.split("/")
    return not os.path.isabs(path) and not {"..", ".git"} & set(parts)
