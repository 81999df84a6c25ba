import threading
from pathlib import Path

import pytest

from wiremap.errors import MapUnavailableError, NothingRecordedError, ShareUnavailableError, UntrustedMapError
from wiremap.selection.facts import Fact, Outcome, Trace
from wiremap.store.map import Map
from wiremap.store.share import open_share
from wiremap.use_cases import sharing
from wiremap.use_cases.sharing import export_map, map_stats, merge_files, prune, pull, push


def record(folder: Path, *tests: str, value: str = "1", outcome: Outcome = "passed") -> None:
    store = Map(folder)
    with store:
        store.record([Trace(test, frozenset({Fact("file", "a.txt", value)}), outcome, 0.5) for test in tests])
    store.close()


def recorded_in(folder: Path) -> set[str]:
    store = Map(folder)
    found = set(store.traces())
    store.close()
    return found


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    """The folder of a map with a record of the test `a`."""
    record(tmp_path / "ours", "a")
    return tmp_path / "ours"


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    record(tmp_path / "theirs", "b")
    return tmp_path / "theirs"


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "place")


def parts(place: str) -> list[str]:
    return sorted(path.name for path in Path(place).iterdir())


# Looking.


def test_stats_count_what_is_there(ours: Path) -> None:
    record(ours, "a", "b", value="2", outcome="failed")
    (ours / "map-5.kept-1.sqlite").touch()
    (ours / "map-2.sqlite").touch()

    found = map_stats(ours)

    assert (found.tests, found.traces, found.facts, found.sets) == (2, {"failed": 2, "passed": 1}, 2, 2)
    assert found.kept == ("map-2.sqlite", "map-5.kept-1.sqlite")
    assert found.num_bytes > 0


def test_looking_makes_no_map(tmp_path: Path) -> None:
    with pytest.raises(NothingRecordedError):
        map_stats(tmp_path / ".wiremap")

    assert list(tmp_path.iterdir()) == []


# Files.


def test_an_exported_map_is_merged_into_another(ours: Path, theirs: Path, tmp_path: Path) -> None:
    export_map(theirs, tmp_path / "file")

    done = merge_files(ours, [tmp_path / "file"])

    assert recorded_in(ours) == {"a", "b"}
    assert (done.parts, done.tests) == (1, 2)


def test_of_several_files_one_of_which_is_damaged_none_is_taken(ours: Path, theirs: Path, tmp_path: Path) -> None:
    export_map(theirs, tmp_path / "good")
    (tmp_path / "bad").write_bytes((tmp_path / "good").read_bytes()[:-5])

    with pytest.raises(UntrustedMapError, match=r"bad is refused: it is damaged or was cut off\. Nothing was changed"):
        merge_files(ours, [tmp_path / "good", tmp_path / "bad"])

    assert recorded_in(ours) == {"a"}


def test_a_file_that_is_not_there_is_told(ours: Path, tmp_path: Path) -> None:
    with pytest.raises(ShareUnavailableError, match="No such file"):
        merge_files(ours, [tmp_path / "missing"])


def test_a_map_that_cannot_be_written_is_told(theirs: Path, tmp_path: Path) -> None:
    export_map(theirs, tmp_path / "file")
    (tmp_path / "no-folder").touch()

    with pytest.raises(MapUnavailableError, match="Not a directory"):
        merge_files(tmp_path / "no-folder" / "map", [tmp_path / "file"])


# Places.


def test_what_was_pushed_is_pulled(ours: Path, theirs: Path, place: str) -> None:
    assert push(theirs, place).parts == 1

    assert pull(ours, place).parts == 1

    assert recorded_in(ours) == {"a", "b"}
    assert recorded_in(theirs) == {"b"}


def test_nothing_new_is_neither_pushed_nor_pulled(ours: Path, place: str) -> None:
    push(ours, place)

    assert push(ours, place).parts == 0
    assert pull(ours, place).parts == 0


def test_pulling_from_where_nothing_was_pushed_is_fine(ours: Path, place: str) -> None:
    assert pull(ours, place).parts == 0


def test_a_map_is_made_by_pulling(theirs: Path, place: str, tmp_path: Path) -> None:
    push(theirs, place)

    pull(tmp_path / "fresh" / ".wiremap", place)

    assert recorded_in(tmp_path / "fresh" / ".wiremap") == {"b"}


def test_who_did_not_pull_before_pushing_removes_nothing(ours: Path, theirs: Path, place: str) -> None:
    push(theirs, place)
    push(ours, place)

    assert len(parts(place)) == 2


def test_a_push_after_a_pull_replaces_what_it_holds(ours: Path, theirs: Path, place: str, tmp_path: Path) -> None:
    push(theirs, place)
    pull(ours, place)

    push(ours, place)

    assert len(parts(place)) == 1
    pull(tmp_path / "fresh", place)
    assert recorded_in(tmp_path / "fresh") == {"a", "b"}


def test_pushes_at_the_same_time_lose_nothing(tmp_path: Path, place: str) -> None:
    folders = [tmp_path / f"shard {number}" for number in range(6)]
    for number, folder in enumerate(folders):
        record(folder, f"t{number}")
    start = threading.Barrier(len(folders))

    def pull_and_push(folder: Path) -> None:
        start.wait()
        for _ in range(4):
            pull(folder, place)
            push(folder, place)

    threads = [threading.Thread(target=pull_and_push, args=(folder,)) for folder in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    pull(tmp_path / "fresh", place)
    assert recorded_in(tmp_path / "fresh") == {f"t{number}" for number in range(6)}


def test_many_parts_are_folded_into_one(tmp_path: Path, place: str) -> None:
    for number in range(sharing._MANY_PARTS):
        record(tmp_path / str(number), f"t{number}")
        push(tmp_path / str(number), place)

    record(tmp_path / "last", "last")
    push(tmp_path / "last", place)

    assert len(parts(place)) == 1
    pull(tmp_path / "fresh", place)
    assert len(recorded_in(tmp_path / "fresh")) == sharing._MANY_PARTS + 1


def test_a_part_that_goes_while_it_is_pulled_is_found_in_what_replaced_it(
    ours: Path, theirs: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(theirs, place)
    share = open_share(place)
    read = share.read

    def after_another_push(name: str) -> bytes | None:
        monkeypatch.undo()
        record(theirs, "c")
        push(theirs, place)
        return read(name)

    monkeypatch.setattr(share, "read", after_another_push)
    monkeypatch.setattr(sharing, "open_share", lambda _: share)

    pull(ours, place)

    assert recorded_in(ours) == {"a", "b", "c"}


@pytest.mark.parametrize("spoil", ["cut off", "renamed"])
def test_a_part_that_is_damaged_is_refused_and_changes_nothing(
    ours: Path, theirs: Path, place: str, spoil: str
) -> None:
    record(theirs, *(f"t{number}" for number in range(50)))
    push(theirs, place)
    (part,) = Path(place).iterdir()
    if spoil == "cut off":
        part.write_bytes(part.read_bytes()[:-1])
    else:
        part.rename(part.with_name(f"{'0' * 32}.map"))

    with pytest.raises(UntrustedMapError, match=r"place/[0-9a-f]{32}\.map is refused"):
        pull(ours, place)

    assert recorded_in(ours) == {"a"}


# Pruning.


def test_pruning_keeps_the_newest_and_deletes_what_was_set_aside(ours: Path) -> None:
    for number in range(6):
        record(ours, "a", value=str(number))
    (ours / "map-5.kept-1.sqlite").touch()

    prune(ours, keep=2)

    found = map_stats(ours)
    assert (found.traces, found.facts, found.kept) == ({"passed": 2}, 2, ())


def test_pruning_forgets_what_is_too_old(ours: Path) -> None:
    prune(ours, max_days=1)
    assert recorded_in(ours) == {"a"}

    prune(ours, max_days=0)
    assert recorded_in(ours) == set()


def test_a_large_map_takes_less_room_after_it_was_pruned(ours: Path) -> None:
    record(ours, *(f"test_of_some_length[{number}]" for number in range(5000)))

    before, after = prune(ours, max_days=0)

    assert after < before / 2


def test_what_was_pruned_can_be_pulled_again(ours: Path, place: str) -> None:
    push(ours, place)
    prune(ours, max_days=0)

    pull(ours, place)

    assert recorded_in(ours) == {"a"}


def test_who_pruned_removes_no_part_of_which_it_lost_something(ours: Path, place: str) -> None:
    push(ours, place)
    prune(ours, max_days=0)
    record(ours, "b")

    push(ours, place)

    assert len(parts(place)) == 2
