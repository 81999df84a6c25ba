import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from tests.wiremap.repositories import commit, git
from wiremap.errors import NoCommonAncestorError, UnknownRevisionError
from wiremap.project.repository import INDEX, WORKING_TREE, Blob, Repository, State

NAMES = ("same.py", "edited.py", "removed.py", "a b ü.py")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "repository"
    made.mkdir()
    (made / ".gitignore").write_text("ignored.py\n")
    for name in NAMES:
        (made / name).write_text("1\n")
    git(made, "init", "-q", "-b", "main")
    commit(made)
    return made


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def differing(folder: Path, head: State, base: str = "HEAD") -> list[str]:
    repository = Repository(folder)
    return [one.path for one in repository.differences(repository.commit(base), head)]


def test_what_differs_is_edited_removed_staged_or_new_and_not_ignored(folder: Path) -> None:
    (folder / "edited.py").write_text("2\n")
    (folder / "a b ü.py").write_text("2\n")
    (folder / "removed.py").unlink()
    (folder / "ignored.py").write_text("")
    (folder / "new.py").write_text("")
    (folder / "staged.py").write_text("")
    git(folder, "add", "staged.py")

    assert differing(folder, WORKING_TREE) == ["a b ü.py", "edited.py", "new.py", "removed.py", "staged.py"]
    assert differing(folder, INDEX) == ["staged.py"]


def test_a_file_that_was_only_touched_does_not_differ_and_the_index_stays_as_it_is(folder: Path) -> None:
    index = digest(folder / ".git" / "index")
    os.utime(folder / "same.py", (0, 0))

    assert differing(folder, WORKING_TREE) == []
    assert digest(folder / ".git" / "index") == index


def test_a_file_that_was_removed_from_the_index_and_not_from_disk_has_what_it_had_before(folder: Path) -> None:
    git(folder, "rm", "-q", "--cached", "edited.py")
    (folder / "edited.py").write_text("2\n")
    repository = Repository(folder)

    (one,) = repository.differences(repository.commit("HEAD"), WORKING_TREE)

    assert dict(repository.contents({"before": one.before, "now": Blob(one.now.mode, "") if one.now else None})) == {
        "before": b"1\n"
    }
    assert dict(repository.contents({"edited.py": one.now})) == {"edited.py": b"2\n"}


def test_two_commits_differ_whatever_the_working_tree_is(folder: Path) -> None:
    (folder / "edited.py").write_text("2\n")
    commit(folder)
    (folder / "same.py").write_text("2\n")

    assert differing(folder, Repository(folder).commit("HEAD"), base="HEAD~1") == ["edited.py"]


def test_the_content_is_that_of_the_state(folder: Path) -> None:
    (folder / "edited.py").write_text("2\n")
    git(folder, "add", "-A")
    (folder / "edited.py").write_text("3\n")
    repository = Repository(folder)

    states = (repository.commit("HEAD"), INDEX, WORKING_TREE)

    assert [repository.read(one, ["edited.py"])["edited.py"] for one in states] == [b"1\n", b"2\n", b"3\n"]
    assert repository.read(states[0], ["a b ü.py", "missing.py"]) == {"a b ü.py": b"1\n"}


def test_a_state_is_written_elsewhere_with_links_and_rights_and_whatever_archives_leave_out(
    folder: Path, tmp_path: Path
) -> None:
    (folder / ".gitattributes").write_text("same.py export-ignore\n")
    (folder / "sub").mkdir()
    (folder / "sub" / "run.sh").write_text("")
    (folder / "sub" / "run.sh").chmod(0o755)
    (folder / "link.py").symlink_to("same.py")
    commit(folder)
    (folder / "same.py").unlink()

    Repository(folder).export(Repository(folder).commit("HEAD"), tmp_path / "out")

    out = tmp_path / "out"
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()) == sorted(
        [*NAMES, ".gitattributes", ".gitignore", "link.py", "sub/run.sh"]
    )
    assert (out / "link.py").is_symlink()
    assert os.access(out / "sub" / "run.sh", os.X_OK)


def test_what_is_staged_can_be_written_elsewhere(folder: Path, tmp_path: Path) -> None:
    (folder / "edited.py").write_text("2\n")
    git(folder, "add", "-A")
    (folder / "edited.py").write_text("3\n")

    Repository(folder).export(INDEX, tmp_path / "out")

    assert (tmp_path / "out" / "edited.py").read_text() == "2\n"


def test_a_linked_working_tree_has_changes_of_its_own(folder: Path, tmp_path: Path) -> None:
    git(folder, "worktree", "add", "-q", str(tmp_path / "other"))
    (tmp_path / "other" / "edited.py").write_text("2\n")

    assert differing(tmp_path / "other", WORKING_TREE) == ["edited.py"]
    assert differing(folder, WORKING_TREE) == []


def test_files_in_conflict_are_told(folder: Path) -> None:
    git(folder, "checkout", "-q", "-b", "side")
    (folder / "edited.py").write_text("side\n")
    commit(folder)
    git(folder, "checkout", "-q", "main")
    (folder / "edited.py").write_text("main\n")
    commit(folder)
    with pytest.raises(subprocess.CalledProcessError):
        git(folder, "merge", "-q", "side")
    repository = Repository(folder)

    (one,) = repository.differences(repository.commit("HEAD"), INDEX)

    assert (one.path, one.is_unmerged, one.now) == ("edited.py", True, None)


@pytest.mark.parametrize("name", ["missing", "", "--all", "HEAD~5", "HEAD:edited.py"])
def test_a_name_that_is_no_commit_is_told(folder: Path, name: str) -> None:
    with pytest.raises(UnknownRevisionError, match="No commit is called"):
        Repository(folder).commit(name)


def test_a_commit_that_a_shallow_clone_lacks_is_told_with_how_to_get_it(folder: Path, tmp_path: Path) -> None:
    commit(folder)
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{folder}", "shallow")

    with pytest.raises(UnknownRevisionError, match="git fetch --deepen"):
        Repository(tmp_path / "shallow").commit("HEAD~1")


def test_commits_that_never_parted_are_told(folder: Path) -> None:
    git(folder, "checkout", "-q", "--orphan", "other")
    commit(folder, "another beginning")
    repository = Repository(folder)

    with pytest.raises(NoCommonAncestorError, match=r"main\.\.other"):
        repository.common_ancestor(repository.commit("main"), repository.commit("other"))


def test_commits_that_parted_before_a_shallow_clone_begins_are_told_with_how_to_get_the_rest(
    folder: Path, tmp_path: Path
) -> None:
    git(folder, "branch", "side")
    commit(folder, "main goes on")
    git(folder, "checkout", "-q", "side")
    commit(folder, "side goes on")
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", f"file://{folder}", "shallow")
    repository = Repository(tmp_path / "shallow")

    with pytest.raises(NoCommonAncestorError, match="git fetch --deepen"):
        repository.common_ancestor(repository.commit("origin/main"), repository.commit("origin/side"))


def test_a_folder_that_is_no_repository_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    with pytest.raises(UnknownRevisionError, match="here: this is no git repository"):
        Repository(tmp_path).commit("HEAD")


def test_without_git_that_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(UnknownRevisionError, match="git is not installed"):
        Repository(folder).commit("HEAD")
