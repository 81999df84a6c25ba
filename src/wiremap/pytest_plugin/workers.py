"""What the processes of pytest-xdist tell one another: workers select and record, the controller says so."""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

_OUTPUT = "wiremap"
_PLACE = "wiremap_choice"
_CRASHED = "???"


class WorkerNews(NamedTuple):
    """What one worker did.

    Attributes:
        counts: How many tests it selected, and how many it skipped; None when it selected none.
        recorded: How many tests it recorded.
        changes: What changed, in lines.
        failures: What went wrong.
    """

    counts: tuple[int, int] | None
    recorded: int
    changes: list[str]
    failures: list[str]


def is_controller(config: pytest.Config) -> bool:
    """Tell whether tests run in other processes that this one leads."""
    return config.pluginmanager.hasplugin("dsession")


def is_first_worker(config: pytest.Config) -> bool:
    """Tell whether this is the first worker of pytest-xdist, or the one process without it: all collect the same."""
    return bool(getattr(config, "workerinput", {}).get("workerid", "gw0") == "gw0")


def tell_controller(config: pytest.Config, news: WorkerNews) -> None:
    """Send *news* to the controller, if this is a worker."""
    output = getattr(config, "workeroutput", None)
    if output is not None:
        output[_OUTPUT] = list(news)


def news_of(node: Any) -> WorkerNews | None:
    """Return what a worker that is down has sent; None when it crashed."""
    sent = getattr(node, "workeroutput", {}).get(_OUTPUT)
    if sent is None:
        return None
    counts, recorded, changes, failures = sent
    return WorkerNews(None if counts is None else tuple(counts), recorded, changes, failures)


def crashed_tests(report: pytest.TestReport) -> set[str]:
    """Return the test during which a worker died, if *report* stands for that, by all names that it may have.

    Under `--dist loadgroup` a group may stand behind a test's own name.
    """
    return {report.nodeid, report.nodeid.rpartition("@")[0] or report.nodeid} if report.when == _CRASHED else set()


class Agreed(NamedTuple):
    """What the workers of one run must not disagree on.

    Attributes:
        skipped: Tests that don't run.
        order: Tests that run, in the order to run them; none to keep the project's.
    """

    skipped: Sequence[str]
    order: Sequence[str]


class Agreement:
    """A place where the workers of one run agree on what they run; the controller makes it."""

    def __init__(self, folder: Path) -> None:
        """Choose a file in *folder* that no other run uses."""
        self._path = folder / f"choice-{os.urandom(8).hex()}.json"

    def offer(self, node: Any) -> None:
        """Tell the worker *node*, before it starts, where the place is."""
        node.workerinput[_PLACE] = str(self._path)

    def end(self) -> None:
        """Remove it."""
        with suppress(OSError):
            self._path.unlink()


def agreed(config: pytest.Config, own: Agreed) -> Agreed:
    """Return what all workers of this run do: what the first of them found.

    The project may change while they collect, and they must not disagree; nor may one that takes the place of a
    crashed one.
    """
    place = getattr(config, "workerinput", {}).get(_PLACE)
    if place is None:
        return own
    draft = Path(f"{place}.{os.getpid()}")
    with suppress(OSError):
        draft.write_text(json.dumps(own), encoding="utf-8")
        with suppress(FileExistsError):
            os.link(draft, place)  # whole at once, and only for the first
        draft.unlink()
        return Agreed(*json.loads(Path(place).read_text(encoding="utf-8")))
    return own
