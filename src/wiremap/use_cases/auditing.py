"""How safe the selection is on this project: run what would be skipped, and see whether any of it fails.

Nothing is selected, observed or recorded meanwhile. A test that fails is run once more on its own, and if it passes
there, everything is run once more in the same order: what then passes too was chance and not a miss.
"""

import contextlib
import json
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, TextIO

from wiremap.errors import CollectionFailedError
from wiremap.selection.facts import Trace, newest
from wiremap.selection.flakiness import flaky_tests
from wiremap.store.map import FOLDER, Map
from wiremap.use_cases.child_python import pytest_command, run_to_its_end
from wiremap.use_cases.collecting import affected

CHOSEN, OUTCOMES = "chosen.json", "outcomes.jsonl"
"""Files of the folder that the plugin is given: a list of node ids; for each test that ended a line of JSON."""

_FailsAgain = Literal["alone", "in company", "by chance"]
_MOST_ALONE = 20
"""So many tests are run in processes of their own; more have one reason, and are run in one."""
_SECONDS_PER_DAY = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Ended:
    """How a test ended: `passed`, `failed` or `skipped`, and the error in a line."""

    outcome: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A test that would have been skipped and does not end as it was recorded.

    Attributes:
        test: The node id.
        recorded: How its last recorded run that did not fail ended.
        age_days: How long ago that was.
        now: How it ends now.
        error: Why it fails, in a line; empty where it does not.
        needs_company: Whether it fails among the others only, and passes alone.
        is_known_flaky: Whether its records contradict one another already.
    """

    test: str
    recorded: str
    age_days: float
    now: str
    error: str = ""
    needs_company: bool = False
    is_known_flaky: bool = False


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found.

    Attributes:
        num_skippable: How many tests would have been skipped.
        num_run: How many of them were run to their end.
        not_run: Those that were chosen and did not come to their end, sorted.
        misses: Those that fail, and again: the selection was wrong about them.
        flaky: Those that failed once and then passed under the same conditions.
        differing: Those that end in another way without failing.
        changes: What differs from the last recorded state.
        notes: What could not be proved, and what it widened.
    """

    num_skippable: int
    num_run: int
    not_run: tuple[str, ...]
    misses: tuple[Finding, ...]
    flaky: tuple[Finding, ...]
    differing: tuple[Finding, ...]
    changes: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]


def audit(pytest_arguments: Sequence[str] = (), sample: float | None = None, output: TextIO | None = None) -> Audit:
    """Run what would be skipped, and return what does not end as it was recorded.

    Args:
        pytest_arguments: What to collect, and how to run it.
        sample: How many tests to run if it is 1 or more, which part of them if it is less; all by default. Which ones
            depends on what was recorded last, so that another time others are chosen.
        output: Where pytest's own output goes; nowhere by default.

    Raises:
        PytestMissingError: This interpreter has no pytest.
        CollectionFailedError: pytest gave up, for instance over its configuration.
        MapUnavailableError: The map could not be read.
    """
    answer = affected(pytest_arguments)
    skippable = answer.document["skip"]
    with contextlib.closing(Map(answer.rootdir / FOLDER)) as store:
        traces = store.traces()
    chosen = _chosen(skippable, sample, seed=max((one.sequence for each in traces.values() for one in each), default=0))
    run = _Runner(pytest_arguments)
    ended = run(chosen, output)
    verdicts = _judge([test for test in ended if ended[test].outcome == "failed"], chosen, run)
    known = {one.test for one in flaky_tests({test: traces[test] for test in verdicts})}
    findings = [_finding(test, traces[test], ended[test], verdicts.get(test), known) for test in sorted(ended)]
    return Audit(
        num_skippable=len(skippable),
        num_run=len(ended),
        not_run=tuple(sorted(set(chosen) - ended.keys())),
        misses=tuple(one for one in findings if verdicts.get(one.test) in ("alone", "in company")),
        flaky=tuple(one for one in findings if verdicts.get(one.test) == "by chance"),
        differing=tuple(one for one in findings if one.test not in verdicts and one.now != one.recorded),
        changes=tuple(answer.document["changes"]),
        notes=tuple(answer.document["notes"]),
    )


def _chosen(skippable: Sequence[str], sample: float | None, seed: int) -> list[str]:
    if sample is None:
        return list(skippable)
    number = round(sample if sample >= 1 else max(1, sample * len(skippable)))
    by_chance = sorted(skippable, key=lambda test: blake2b(f"{seed} {test}".encode(errors="surrogatepass")).digest())
    return sorted(by_chance[:number])


def _judge(failing: Sequence[str], chosen: Sequence[str], run: "_Runner") -> dict[str, _FailsAgain]:
    """Return for each failing test how it fails again, by running it on its own, then all in order once more."""
    groups = [[test] for test in failing] if len(failing) <= _MOST_ALONE else [list(failing)]
    alone = {test: how for group in groups for test, how in run(group).items()}
    # Who ends the process does not pass.
    passing = {test for test in failing if test in alone and alone[test].outcome != "failed"}
    again = run(chosen) if passing else {}
    return {test: _fails_again(test in passing, again.get(test)) for test in failing}


def _fails_again(passes_alone: bool, again: Ended | None) -> _FailsAgain:  # noqa: FBT001 - one of two observations
    if not passes_alone:
        return "alone"
    return "in company" if again is None or again.outcome == "failed" else "by chance"


def _finding(
    test: str, traces: Sequence[Trace], ended: Ended, verdict: _FailsAgain | None, known_flaky: AbstractSet[str]
) -> Finding:
    trace = newest(one for one in traces if one.outcome != "failed")
    return Finding(
        test=test,
        recorded=trace.outcome,
        age_days=max(0.0, time.time() - trace.sequence / 1000) / _SECONDS_PER_DAY,
        now=ended.outcome,
        error=ended.error,
        needs_company=verdict == "in company",
        is_known_flaky=test in known_flaky,
    )


class _Runner:
    """Runs chosen tests in a child process, with the arguments that the user gave."""

    def __init__(self, pytest_arguments: Sequence[str]) -> None:
        self._arguments = pytest_arguments

    def __call__(self, tests: Sequence[str], output: TextIO | None = None) -> dict[str, Ended]:
        """Return how each of *tests* ended that did end."""
        if not tests:
            return {}
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, CHOSEN).write_text(json.dumps(tests), encoding="utf-8")
            command = [*pytest_command(), f"--wiremap-audit={folder}", *self._arguments]
            talk = output or subprocess.DEVNULL
            exit_code = run_to_its_end(command, stdout=talk, stderr=talk)
            outcomes = Path(folder, OUTCOMES)
            if not outcomes.exists():
                raise CollectionFailedError(exit_code, "No test came to its end.")
            return _read(outcomes.read_text(encoding="utf-8"))


def _read(text: str) -> dict[str, Ended]:
    ended: dict[str, Ended] = {}
    for line in text.splitlines():
        test, outcome, error = json.loads(line)
        if test not in ended or outcome == "failed":
            ended[test] = Ended(outcome, error)
    return ended
