import sys
from collections.abc import Callable
from typing import Any

import pytest

from wiremap import RegistryOrchestrator, Requires, WiringError
from wiremap.registry.annotations import UNKNOWN, resolved


def test_a_string_is_looked_up_where_it_was_written() -> None:
    assert resolved("list[Size]", {"Size": int}) == list[int]
    assert resolved("list[Size]", {}) is UNKNOWN


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the type statement came with Python 3.12")
def test_a_requirement_may_be_written_as_a_type_alias() -> None:
    names: dict[str, Any] = {"Callable": Callable}
    requires: Any = Requires  # type checkers can't see what is made below
    exec("type Allocate[T] = Callable[[int], list[T]]", names)  # noqa: S102 -- older versions can't parse it
    allocate_type: Any = names["Allocate"]

    class Scheduler:
        allocate = requires[allocate_type[int]]()

        def schedule(self) -> Any:
            return self.allocate(2)

    def allocate(count: int) -> list[int]:
        return list(range(count))

    def measure(text: str) -> int:
        return len(text)

    orch, scheduler = RegistryOrchestrator(), Scheduler()
    Scheduler.allocate.register(orch, allocate, scheduler)
    orch.finalize()

    assert scheduler.schedule() == [0, 1]

    orch, scheduler = RegistryOrchestrator(), Scheduler()
    Scheduler.allocate.register(orch, measure, scheduler)
    with pytest.raises(WiringError, match=r"its 'text' takes str, and int is passed"):
        orch.finalize()
