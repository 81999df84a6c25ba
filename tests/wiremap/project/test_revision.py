import os
import subprocess
from pathlib import Path

import pytest

from wiremap.errors import UnknownRevisionError
from wiremap.project.revision import Revision


def git(folder: Path, *arguments: str) -> None:
    names = {f"GIT_{who}_{what}": "a@b.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, **names}
    subprocess.run(["git", *arguments], cwd=folder, check=True, env=environment, capture_output=True)  # noqa: S607


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / ".gitignore").write_text("ignored.py\n")
    for name in ("same.py", "edited.py", "removed.py", "a b ü.py"):
        (tmp_path / name).write_text("1\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "base")
    return tmp_path


def test_what_differs_is_edited_removed_staged_or_new_and_not_ignored(repository: Path) -> None:
    (repository / "edited.py").write_text("2\n")
    (repository / "a b ü.py").write_text("2\n")
    (repository / "removed.py").unlink()
    (repository / "ignored.py").write_text("")
    (repository / "new.py").write_text("")
    (repository / "staged.py").write_text("")
    git(repository, "add", "staged.py")

    assert Revision(repository, "HEAD").changed_paths() == [
        "a b ü.py",
        "edited.py",
        "new.py",
        "removed.py",
        "staged.py",
    ]


def test_the_content_is_that_of_the_commit(repository: Path) -> None:
    (repository / "edited.py").write_text("2\n")

    base = Revision(repository, "HEAD")

    assert (base.text("edited.py"), base.text("a b ü.py"), base.text("missing.py")) == (b"1\n", b"1\n", None)


@pytest.mark.parametrize("name", ["missing", "", "--all", "HEAD~5", "HEAD:edited.py"])
def test_a_name_that_is_no_commit_is_told(repository: Path, name: str) -> None:
    with pytest.raises(UnknownRevisionError, match="No commit is called"):
        Revision(repository, name)


def test_a_folder_that_is_no_repository_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    with pytest.raises(UnknownRevisionError, match=r"here: this is no git repository\. Verdicts need none"):
        Revision(tmp_path, "HEAD")


def test_without_git_that_is_told(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(UnknownRevisionError, match="git is not installed"):
        Revision(repository, "HEAD")
