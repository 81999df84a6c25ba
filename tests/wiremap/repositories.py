"""Git repositories in a temporary folder, whatever the user's own configuration of git says."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.wiremap.projects import Project, new_project

ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    **{f"GIT_{who}_{what}": "a@b.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    # So that equal contents make equal commits.
    **{f"GIT_{who}_DATE": "2026-01-01T00:00:00Z" for who in ("AUTHOR", "COMMITTER")},
}


def git(folder: Path, *arguments: str) -> str:
    """Return what git prints."""
    command = ["git", "-c", "protocol.file.allow=always", *arguments]
    environment = {"PATH": os.environ["PATH"], **ENVIRONMENT}
    return subprocess.run(command, cwd=folder, check=True, env=environment, capture_output=True, text=True).stdout


def commit(folder: Path, message: str = "change") -> None:
    """Commit everything that is not ignored."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)


def new_repository(root: Path, files: Mapping[str, str | bytes | None]) -> Project:
    """Lay out a project with one commit of everything."""
    project = new_project(root, files)
    (root / ".git").rmdir()
    git(root, "init", "-q", "-b", "main")
    commit(root, "base")
    return project
