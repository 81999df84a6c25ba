"""Test files that were collected as wholes: which tests each holds, and what was seen meanwhile."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from wiremap.pytest_plugin.items import test_id
from wiremap.tracing.observation import Observation


@dataclass(frozen=True, slots=True)
class CollectedFile:
    """A test file.

    Attributes:
        node: Its node id.
        path: Where it lies.
        tests: Node ids of all its tests.
        observations: What was seen while it, its classes and the folders above it were collected.
    """

    node: str
    path: Path
    tests: frozenset[str]
    observations: tuple[Observation, ...]


def collected_files(
    modules: Iterable[pytest.Module],
    items: Iterable[pytest.Item],
    seen: Mapping[str, Observation],
    failed: Collection[str],
) -> Iterator[CollectedFile]:
    """Yield those of *modules* of which it is known for sure which tests they hold.

    Args:
        modules: Files that were collected.
        items: All tests.
        seen: What was seen while a node was collected, by node id.
        failed: Ids of nodes that could not be collected.
    """
    tests: dict[str, list[str]] = {}
    for item in items:
        test = test_id(item)
        tests.setdefault(test.partition("::")[0], []).append(test)
    within: dict[str, list[Observation]] = {}
    for node, observation in seen.items():
        within.setdefault(node.partition("::")[0], []).append(observation)
    broken = {node.partition("::")[0] for node in failed}
    for module in modules:
        own = tests.get(module.nodeid, [])
        # Two tests of one name can't be told apart, and always run.
        if len(own) == len(set(own)) and module.nodeid not in broken:
            above = [seen[node.nodeid] for node in module.listchain()[:-1] if node.nodeid in seen]
            yield CollectedFile(module.nodeid, module.path, frozenset(own), (*above, *within.get(module.nodeid, ())))
