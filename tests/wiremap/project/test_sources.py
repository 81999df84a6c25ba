import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given

from tests.wiremap.source.programs import programs
from wiremap.project.sources import Outline, ProjectSources, _decode, _encode, _outline
from wiremap.source.keepers import PROCESS
from wiremap.source.units import FLAVOUR, parse_units
from wiremap.store.map import Map

LONG_AGO_NS = time.time_ns() - 60_000_000_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Map]:
    opened = Map(tmp_path / ".wiremap")
    yield opened
    opened.close()


def write(path: Path, text: str, mtime_ns: int = LONG_AGO_NS) -> None:
    path.write_text(text)
    os.utime(path, ns=(mtime_ns, mtime_ns))


def remembered(root: Path, store: Map, *paths: str) -> ProjectSources:
    sources = ProjectSources(root, store)
    for path in paths:
        sources.units(path)
    with store:
        sources.remember()
    return sources


def test_a_file_has_units_and_a_digest(tmp_path: Path) -> None:
    write(tmp_path / "a.py", "def f(): ...")

    sources = ProjectSources(tmp_path)

    assert "f" in sources.units("a.py").units
    assert sources.digest("a.py")


def test_a_missing_file_has_no_units_and_no_digest(tmp_path: Path) -> None:
    sources = ProjectSources(tmp_path)

    assert sources.units("a.py").units == {}
    assert sources.digest("a.py") is None
    assert sources.stat("a.py") is None


def test_a_file_beside_the_root_is_found_by_its_relative_path(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    write(tmp_path / "shared.py", "def f(): ...")

    sources = ProjectSources(tmp_path / "project")

    assert "f" in sources.units("../shared.py").units
    assert sources.stat("../missing.py") is None


def test_only_python_files_answer_to_module_names(tmp_path: Path) -> None:
    write(tmp_path / "a.py", "")
    write(tmp_path / "a.txt", "")

    sources = ProjectSources(tmp_path)

    assert sources.python_files == ["a.py"]
    assert sources.index.candidates("a") == ("a.py",)


def test_a_file_of_known_time_and_size_is_not_read_again(tmp_path: Path, store: Map) -> None:
    write(tmp_path / "a.py", "x = 1")
    stat = ProjectSources(tmp_path).files["a.py"]
    with store:
        store.record_files({"a.py": (*stat, "what was found then")})

    assert ProjectSources(tmp_path, store).digest("a.py") == "what was found then"


@pytest.mark.parametrize("change", ["time", "size"])
def test_a_file_of_another_time_or_size_is_read_again(tmp_path: Path, store: Map, change: str) -> None:
    write(tmp_path / "a.py", "x = 1")
    before = remembered(tmp_path, store, "a.py").digest("a.py")

    if change == "time":
        write(tmp_path / "a.py", "x = 2", LONG_AGO_NS + 1)
    else:
        write(tmp_path / "a.py", "x = 22")

    assert ProjectSources(tmp_path, store).digest("a.py") != before


def test_a_file_that_was_just_written_is_not_trusted_to_its_time(tmp_path: Path, store: Map) -> None:
    now = time.time_ns()
    write(tmp_path / "a.py", "x = 1", now)
    before = remembered(tmp_path, store, "a.py").digest("a.py")

    write(tmp_path / "a.py", "x = 2", now)

    assert ProjectSources(tmp_path, store).digest("a.py") != before


def test_units_of_an_earlier_state_are_remembered_by_digest(tmp_path: Path, store: Map) -> None:
    write(tmp_path / "a.py", "def before(): ...")
    digest = remembered(tmp_path, store, "a.py").digest("a.py")
    write(tmp_path / "a.py", "def after(): ...", LONG_AGO_NS + 1)

    now = ProjectSources(tmp_path, store)

    assert "after" in now.units("a.py").units
    earlier = now.units_of_digest(str(digest))
    assert earlier is not None
    assert "before" in earlier.units
    assert now.units_of_digest("unknown") is None


def test_nothing_is_remembered_without_a_cache(tmp_path: Path) -> None:
    write(tmp_path / "a.py", "def f(): ...")
    sources = ProjectSources(tmp_path)

    sources.remember()

    assert sources.units_of_digest(str(sources.digest("a.py"))) is None


@given(programs())
def test_an_outline_says_what_the_units_say(program: str) -> None:
    units = parse_units(program.encode())

    found = Outline(*json.loads(json.dumps(_outline(units))))

    assert found.units == {name: unit.fingerprint for name, unit in units.units.items()}
    assert found.top == (units.top.fingerprint if units.top else None)
    assert {name for name in units.units if found.keepers.get(name)} == {
        name for name, unit in units.units.items() if unit.keepers or unit.memory
    }


def test_the_outline_of_a_remembered_source_is_that_of_its_text(tmp_path: Path, store: Map) -> None:
    write(tmp_path / "a.py", "import functools\n\n@functools.cache\ndef f(): ...\n")
    parsed = ProjectSources(tmp_path).outline("a.py")
    remembered(tmp_path, store, "a.py")

    again = ProjectSources(tmp_path, store)

    assert again.outline("a.py").units == parsed.units
    assert again.outline("a.py").top == parsed.top
    assert again.keepers("a.py", "f") == ProjectSources(tmp_path).keepers("a.py", "f") == (PROCESS,)


@given(programs())
def test_units_come_back_from_the_cache_as_they_were(program: str) -> None:
    units = parse_units(program.encode())

    assert _decode(_encode(units)) == units


def test_a_fault_comes_back_from_the_cache(tmp_path: Path, store: Map) -> None:
    write(tmp_path / "a.py", "def f(:")
    first = remembered(tmp_path, store, "a.py")

    again = ProjectSources(tmp_path, store)

    assert store.source(str(again.digest("a.py")), FLAVOUR) is not None
    assert again.units("a.py") == first.units("a.py")
    assert again.units("a.py").fault


def test_the_words_of_a_file_are_what_may_be_names_in_it(tmp_path: Path) -> None:
    write(tmp_path / "page.html", "<p>{{ order.total }}</p>")

    assert {"order", "total"} <= (ProjectSources(tmp_path).words("page.html") or set())


def test_the_words_of_a_file_that_is_too_large_or_gone_are_not_known(tmp_path: Path) -> None:
    write(tmp_path / "large.txt", "a" * 2_000_001)

    assert ProjectSources(tmp_path).words("large.txt") is None
    assert ProjectSources(tmp_path).words("missing.txt") is None


def test_a_library_may_know_any_name_until_a_session_told_which(tmp_path: Path, store: Map) -> None:
    assert ProjectSources(tmp_path, store).is_known_outside("total")

    with store:
        store.record_outside_names(frozenset({"flush"}))

    assert ProjectSources(tmp_path, store).is_known_outside("flush")
    assert not ProjectSources(tmp_path, store).is_known_outside("total")
