"""A revision of the repository: what differs from it now. It explains changes; no verdict needs it."""

import os
import shutil
import subprocess
from pathlib import Path

from wiremap.errors import UnknownRevisionError


class Revision:
    """A commit of the git repository that a project lies in."""

    def __init__(self, root: Path, name: str) -> None:
        """Find the commit.

        Raises:
            UnknownRevisionError: There is no such commit, no repository, or no git.
        """
        self._root = root
        self._name = name
        self._commit = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").strip()

    def changed_paths(self) -> list[str]:
        """Return the files that differ from the commit or are new, relative to the project's root."""
        differing = self._git("diff", "--name-only", "--no-renames", "-z", "--relative", self._commit, "--", ".")
        new = self._git("ls-files", "--others", "--exclude-standard", "-z", "--", ".")
        return sorted({path for path in (differing + new).split("\0") if path})

    def text(self, path: str) -> bytes | None:
        """Return the content of *path* at the commit, or None when it was not there."""
        done = self._run("cat-file", "blob", f"{self._commit}:./{path}")
        return done.stdout if done.returncode == 0 else None

    def _git(self, *arguments: str) -> str:
        done = self._run(*arguments)
        if done.returncode != 0:
            raise UnknownRevisionError(self._name, self._reason(done.stderr))
        return os.fsdecode(done.stdout)

    def _reason(self, said: bytes) -> str:
        """Return why git did not answer; nothing where it just knows no such name."""
        if not any((folder / ".git").exists() for folder in (self._root, *self._root.parents)):
            return "this is no git repository"
        return os.fsdecode(said).strip().removeprefix("fatal: ").rstrip(".")

    def _run(self, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
        git = shutil.which("git")
        if git is None:
            raise UnknownRevisionError(self._name, "git is not installed")
        return subprocess.run([git, *arguments], cwd=self._root, capture_output=True, check=False)  # noqa: S603 - git
