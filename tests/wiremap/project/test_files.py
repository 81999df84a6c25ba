from pathlib import Path

import pytest

from wiremap.project.files import files_digest, project_root, scan


def write(root: Path, *paths: str, text: str = "") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def digest(root: Path) -> str:
    return files_digest(root, scan(root))


def test_the_root_is_the_repository_around_the_tests(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "backend").mkdir()

    assert project_root(tmp_path / "backend") == tmp_path


def test_a_worktree_whose_git_is_a_file_is_a_repository(tmp_path: Path) -> None:
    write(tmp_path, ".git", text="gitdir: elsewhere")

    assert project_root(tmp_path / "backend") == tmp_path


def test_files_are_found_at_every_depth_in_order(tmp_path: Path) -> None:
    write(tmp_path, "b.py", "a/z.txt", "a/b/c.py")

    assert list(scan(tmp_path)) == ["a/b/c.py", "a/z.txt", "b.py"]


@pytest.mark.parametrize(
    "path",
    [
        ".git/config",
        "src/__pycache__/a.pyc",
        ".wiremap/map-5.sqlite",
        ".pytest_cache/x",
        "a.pyc",
        "run.log",
        "env/pyvenv.cfg",
    ],
)
def test_what_tools_keep_there_is_no_file_of_the_project(tmp_path: Path, path: str) -> None:
    write(tmp_path, path)

    assert scan(tmp_path) == {}


def test_a_project_that_is_itself_a_virtual_environment_is_scanned(tmp_path: Path) -> None:
    write(tmp_path, "pyvenv.cfg", "a.py")

    assert "a.py" in scan(tmp_path)


def test_a_circle_of_links_ends(tmp_path: Path) -> None:
    write(tmp_path, "a/b.py")
    (tmp_path / "a" / "up").symlink_to(tmp_path)

    assert list(scan(tmp_path)) == ["a/b.py"]


def test_a_link_that_leads_nowhere_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "gone.py").symlink_to(tmp_path / "missing.py")

    assert scan(tmp_path) == {}


def test_the_digest_notices_content_names_and_new_files(tmp_path: Path) -> None:
    write(tmp_path, "a.py", text="1")
    digests = [digest(tmp_path)]
    write(tmp_path, "a.py", text="2")
    digests.append(digest(tmp_path))
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    digests.append(digest(tmp_path))
    write(tmp_path, "c.txt")
    digests.append(digest(tmp_path))

    assert len(set(digests)) == 4


def test_the_digest_is_of_contents_and_not_of_times(tmp_path: Path) -> None:
    write(tmp_path / "one", "a.py", "b/c.py", text="1")
    write(tmp_path / "two", "b/c.py", "a.py", text="1")

    assert digest(tmp_path / "one") == digest(tmp_path / "two")
