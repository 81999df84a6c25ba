"""The order in which tests run: likeliest to fail first, and among equals the cheapest.

Only whole test files change places, within their folder, so that no fixture of a module or package is set up
twice and tests of one file that build on each other stay as they are. Where the tests of a file don't follow
one another, somebody has ordered them: a plugin, or pytest itself to share a costly fixture. That order stands.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TypeAlias

from wiremap.selection.verdicts import Reason, Verdict

_UNKNOWN_SECONDS = float("inf")
_RULES = ("failed", "new", "topology", "changed")

_Urgency: TypeAlias = "tuple[int, int, float]"


def likeliest_first(tests: Sequence[str], verdicts: Mapping[str, Verdict], seconds: Mapping[str, float]) -> list[int]:
    """Return the places of *tests* in the order in which they had better run.

    Args:
        tests: Node ids, in the order of the project; one may stand there twice.
        verdicts: Why each runs.
        seconds: How long each took when it last ran.
    """
    blocks = [
        (file, [place for place, _ in run]) for file, run in groupby(enumerate(tests), key=lambda one: _file(one[1]))
    ]
    if len({file for file, _ in blocks}) < len(blocks):
        return list(range(len(tests)))
    urgencies: dict[str, _Urgency] = {}
    first_places: dict[str, int] = {}
    for file, places in blocks:
        urgency = min(_urgency(tests[place], verdicts, seconds) for place in places)
        for node in _path_of(file):
            urgencies[node] = min(urgency, urgencies.get(node, urgency))
            first_places.setdefault(node, places[0])
    blocks.sort(key=lambda block: [(urgencies[node], first_places[node]) for node in _path_of(block[0])])
    return [place for _, places in blocks for place in places]


def _urgency(test: str, verdicts: Mapping[str, Verdict], seconds: Mapping[str, float]) -> _Urgency:
    verdict = verdicts.get(test)
    reasons = verdict.reasons if verdict is not None else ()
    rank = min((_rank(reason) for reason in reasons), default=len(_RULES))
    distance = min((_distance(test, reason) for reason in reasons), default=0)
    return rank, distance, seconds.get(test, _UNKNOWN_SECONDS)


def _rank(reason: Reason) -> int:
    return _RULES.index(reason.rule) if reason.rule in _RULES else len(_RULES)


def _distance(test: str, reason: Reason) -> int:
    """Return how near a change is: in the test's own file, in a function that it executed, or anywhere else."""
    if reason.unit is None:
        return 2
    path, _, unit = reason.unit.partition("::")
    if path == _file(test):
        return 0
    return 2 if unit == "<module>" else 1


def _file(test: str) -> str:
    return test.partition("::")[0]


def _path_of(file: str) -> list[str]:
    """Return the folders of *file* from the root down, and the file."""
    parts = file.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
