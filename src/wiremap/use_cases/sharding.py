"""The tests that a change can reach, divided among machines."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from wiremap.selection.facts import newest, of_tests
from wiremap.selection.shards import Shard, shards
from wiremap.store.map import FOLDER, Map
from wiremap.use_cases.collecting import affected


@dataclass(frozen=True, slots=True)
class Sharding:
    """What each machine runs.

    Attributes:
        shards: One for each machine; each test to run is in exactly one.
        num_unknown: How many of the tests were never recorded, so that their time is a guess.
        num_skipped: How many tests are proved unaffected.
        notes: What could not be proved, and what it widened.
    """

    shards: tuple[Shard, ...]
    num_unknown: int
    num_skipped: int
    notes: tuple[str, ...]

    @property
    def is_timed(self) -> bool:
        """Whether the time of any test is known; else each counts as much as another."""
        return self.num_unknown < sum(len(one.tests) for one in self.shards)


def shard(number: int, pytest_arguments: Sequence[str] = ()) -> Sharding:
    """Divide what would run into *number* shards of about equal recorded time.

    Equal input gives equal shards: the same map, sources and environment on each machine.

    Raises:
        PytestMissingError: This interpreter has no pytest.
        CollectionFailedError: pytest gave up, for instance over its configuration.
        SettingsError: `[tool.wiremap]` is not what it should be.
        MapUnavailableError: The map could not be read.
    """
    answer = affected(pytest_arguments)
    with contextlib.closing(Map(answer.rootdir / FOLDER)) as store:
        recorded = {test: newest(traces).duration for test, traces in of_tests(store.traces()).items()}
    tests = [entry["test"] for entry in answer.document["run"]]
    return Sharding(
        shards=tuple(shards(tests, number, recorded)),
        num_unknown=sum(test not in recorded for test in tests),
        num_skipped=len(answer.document["skip"]),
        notes=tuple(answer.document["notes"]),
    )
