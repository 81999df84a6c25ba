from pathlib import Path

import pytest

from wiremap.errors import NothingRecordedError
from wiremap.selection.facts import Fact, Trace
from wiremap.selection.flakiness import FlakyTest
from wiremap.store.map import Map
from wiremap.use_cases.flakiness import find_flaky


def test_what_was_recorded_of_several_sessions_is_compared(tmp_path: Path) -> None:
    store = Map(tmp_path)
    facts = frozenset({Fact("file", "a", "1")})
    for outcome in ("passed", "failed", "passed"):
        with store:
            store.record([Trace("shaky", facts, outcome, 0.1), Trace("steady", facts, "passed", 0.1)])
    store.close()

    found = find_flaky(tmp_path)

    assert found.flaky == (FlakyTest("shaky", ("failed", "passed"), last_outcome="passed"),)
    assert found.num_tests == 2


def test_without_a_record_it_says_so_and_makes_no_map(tmp_path: Path) -> None:
    with pytest.raises(NothingRecordedError):
        find_flaky(tmp_path / ".wiremap")

    assert list(tmp_path.iterdir()) == []
