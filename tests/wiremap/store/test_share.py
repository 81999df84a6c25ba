"""Places of parts: one suite for a folder and for URLs of two protocols."""

import builtins
import sys
import uuid
from pathlib import Path

import pytest

from wiremap.errors import ShareUnavailableError
from wiremap.store.share import Share, open_share, part_name

ONE, OTHER = part_name("1" * 32), part_name("2" * 32)


@pytest.fixture(params=["folder", "file URL", "memory URL"])
def share(request: pytest.FixtureRequest, tmp_path: Path) -> Share:
    place = str(tmp_path / "a" / "b")
    if request.param != "folder":
        pytest.importorskip("fsspec")
        place = f"file://{place}" if request.param == "file URL" else f"memory://{uuid.uuid4()}/maps"
    return open_share(place)


def test_a_place_where_nothing_was_pushed_is_empty(share: Share) -> None:
    assert share.names() == []


def test_parts_are_there_until_they_are_removed(share: Share) -> None:
    share.write(OTHER, b"two")
    share.write(ONE, b"one")

    assert share.names() == [ONE, OTHER]
    assert (share.read(ONE), share.read(OTHER)) == (b"one", b"two")

    share.remove(ONE)
    assert share.names() == [OTHER]
    assert share.read(ONE) is None


def test_removing_what_is_gone_is_no_fault(share: Share) -> None:
    share.write(ONE, b"one")
    share.remove(OTHER)

    assert share.names() == [ONE]


def test_writing_a_part_again_is_no_fault(share: Share) -> None:
    share.write(ONE, b"one")
    share.write(ONE, b"one")

    assert share.read(ONE) == b"one"


def test_other_files_at_the_place_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "README").write_text("ours")
    (tmp_path / ".unfinished-1-x").write_text("half")

    assert open_share(str(tmp_path)).names() == []


def test_writing_leaves_nothing_unfinished(tmp_path: Path) -> None:
    open_share(str(tmp_path)).write(ONE, b"one")

    assert [path.name for path in tmp_path.iterdir()] == [ONE]


def test_a_place_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    share = open_share(str(tmp_path / "file" / "maps"))

    with pytest.raises(ShareUnavailableError, match=r"Maps can't be shared at .*file.*Not a directory"):
        share.write(ONE, b"one")


def test_a_protocol_that_nobody_speaks_is_told() -> None:
    pytest.importorskip("fsspec")

    with pytest.raises(ShareUnavailableError, match=r"Protocol not known: nobody"):
        open_share("nobody://bucket/maps")


def test_a_url_without_fsspec_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    importing = builtins.__import__

    def without(name: str, *arguments: object) -> object:
        if name == "fsspec":
            raise ImportError(name)
        return importing(name, *arguments)  # type: ignore[arg-type]

    monkeypatch.delitem(sys.modules, "fsspec", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)

    with pytest.raises(ShareUnavailableError, match=r"a URL needs fsspec: pip install 'wiremap\[share\]'"):
        open_share("s3://bucket/maps")
