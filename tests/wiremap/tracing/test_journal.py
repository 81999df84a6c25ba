import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiremap.source.units import MODULE_UNIT
from wiremap.tracing.expectation import FORK, Expectation
from wiremap.tracing.journal import GRAPH, IMPORTED, OUTSIDE_OF_IMPORTS, Journal, line, read_lines
from wiremap.tracing.observation import Observation
from wiremap.tracing.process_records import ProcessRecord, read_record
from wiremap.tracing.territory import Territory

TEXT = "def f():\n    def inner(): ...\nclass C:\n    def m(self): ...\n"


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """A journal that has begun, in `tmp_path`, of the process `p`."""
    (tmp_path / "app.py").write_text(TEXT)
    begun = Journal(str(tmp_path), "p", Territory(tmp_path))
    begun.begin(["python", "x y.py"])
    return begun


def record(folder: Path) -> ProcessRecord:
    found = read_record((folder / "p").read_bytes())
    assert found is not None
    return found


def code(folder: Path, *names: str) -> Observation:
    """Return an observation of the code objects of `app.py` with these names, nested ones in order."""
    found = compile(TEXT, str(folder / "app.py"), "exec")
    for name in names:
        found = next(one for one in found.co_consts if getattr(one, "co_name", None) == name)
    return Observation(codes={id(found): found})


@pytest.mark.usefixtures("journal")
def test_a_record_says_which_process_wrote_it(tmp_path: Path) -> None:
    found = record(tmp_path)

    assert (found.pid, found.parent, found.arguments) == (os.getpid(), os.getppid(), ("python", "x y.py"))


def test_all_that_an_observation_holds_comes_back(tmp_path: Path, journal: Journal) -> None:
    seen = journal.observation(OUTSIDE_OF_IMPORTS)

    seen.modules.add("a.py")
    seen.imports.update({"b", "c.d"})
    seen.files["/a b\n\t\\\udc80"] = "file:1"
    seen.presences.setdefault("/c", "absent")
    seen.variables["HOME"] = None
    seen.variables["MODE"] = ""
    seen.graphs.add("digest")
    seen.processes.add("q")
    seen.doubts.add("why")

    work = record(tmp_path).work
    assert (work.modules, work.imports) == ({"a.py"}, {"b", "c.d"})
    assert (work.files, work.presences) == ({"/a b\n\t\\\udc80": "file:1"}, {"/c": "absent"})
    assert work.variables == {"HOME": None, "MODE": ""}
    assert (work.graphs, work.processes, work.doubts) == ({"digest"}, {"q"}, {"why"})


@pytest.mark.parametrize(
    ("names", "unit"),
    [((), MODULE_UNIT), (("f",), "f"), (("f", "inner"), "f"), (("C",), MODULE_UNIT), (("C", "m"), "C.m")],
)
def test_code_comes_back_as_its_unit(tmp_path: Path, journal: Journal, names: tuple[str, ...], unit: str) -> None:
    journal.observation(OUTSIDE_OF_IMPORTS).absorb(code(tmp_path, *names))

    assert record(tmp_path).work.units == {("app.py", unit)}


def test_what_happens_during_an_import_is_kept_apart(tmp_path: Path, journal: Journal) -> None:
    journal.write(IMPORTED, "quiet.py")
    journal.observation("app.py").doubts.add("why")

    found = record(tmp_path)
    assert found.work.doubts == set()
    assert found.imports["app.py"].doubts == {"why"}
    assert "quiet.py" in found.imports


def test_what_was_kept_before_counts_as_if_it_happened(tmp_path: Path, journal: Journal) -> None:
    first, second = Observation(files={"/1": "a"}), Observation(files={"/2": "b"})
    first.kept[id(second)], second.kept[id(first)] = second, first

    journal.observation(OUTSIDE_OF_IMPORTS).kept[id(first)] = first

    assert record(tmp_path).work.files == {"/1": "a", "/2": "b"}


def test_starts_and_graphs_come_back(tmp_path: Path, journal: Journal) -> None:
    expected = Expectation(7, FORK)

    journal.expect("q", expected, Observation())
    journal.write(GRAPH, OUTSIDE_OF_IMPORTS, "digest", "{\n}")

    assert record(tmp_path).starts == {"q": expected}
    assert record(tmp_path).graphs == {"digest": "{\n}"}


def test_a_thing_is_written_once(tmp_path: Path, journal: Journal) -> None:
    seen = journal.observation(OUTSIDE_OF_IMPORTS)
    seen.modules.add("a.py")
    size = (tmp_path / "p").stat().st_size

    seen.modules.add("a.py")

    assert (tmp_path / "p").stat().st_size == size


@pytest.mark.parametrize("cut", [1, 5, 10])
def test_a_journal_that_was_cut_off_is_no_record(tmp_path: Path, journal: Journal, cut: int) -> None:
    journal.observation(OUTSIDE_OF_IMPORTS).modules.add("a.py")

    text = (tmp_path / "p").read_bytes()

    assert read_record(text[:-cut]) is None


@pytest.mark.parametrize("text", [b"", b"\n", b"other\t1\t2\n", b"wiremap journal 1\tx\ty\n", b"wiremap journal 1\n"])
def test_what_is_no_journal_is_no_record(text: bytes) -> None:
    assert read_record(text) is None


def test_an_entry_that_nobody_knows_is_no_record(tmp_path: Path, journal: Journal) -> None:
    journal.write("later", OUTSIDE_OF_IMPORTS, "x")

    assert read_record((tmp_path / "p").read_bytes()) is None


def test_a_process_that_cannot_write_its_journal_removes_it(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int, text: bytes) -> int:
        return len(text) - 1

    monkeypatch.setattr("wiremap.tracing.journal._write", full)

    journal.observation(OUTSIDE_OF_IMPORTS).modules.add("a.py")

    assert not (tmp_path / "p").exists()


def test_a_process_whose_session_is_over_writes_no_more(tmp_path: Path, journal: Journal) -> None:
    (tmp_path / "p").unlink()

    journal.observation(OUTSIDE_OF_IMPORTS).modules.add("a.py")
    journal.observation(OUTSIDE_OF_IMPORTS).modules.add("b.py")

    assert not (tmp_path / "p").exists()


@pytest.mark.usefixtures("journal")
def test_an_id_is_taken_once(tmp_path: Path) -> None:
    with pytest.raises(FileExistsError):
        Journal(str(tmp_path), "p", Territory(tmp_path)).begin()


@given(st.lists(st.lists(st.text(), min_size=1), min_size=1))
def test_fields_come_back_from_lines(fields: list[list[str]]) -> None:
    assert read_lines(b"".join(line(*one) for one in fields)) == fields
