from collections.abc import Iterable
from textwrap import dedent

from wiremap.selection.carried_state import CarriedState
from wiremap.source.units import UnitKey, parse_units
from wiremap.tracing.observation import Observation

SOURCE = dedent(
    """
    import functools

    @functools.cache
    def table(): ...

    @their_own
    def guess(): ...

    def plain(): ...

    def asks():
        return guess()
    """
)
UNITS = parse_units(SOURCE.encode())


def behind(executed: Iterable[str] = (), within: Iterable[str] = ("m.py",)) -> set[str]:
    """Return the functions whose work may be behind *executed*; each of them did some in this process."""
    work = {name: Observation() for name in ("table", "guess", "plain")}
    carried = CarriedState([(UnitKey("m.py", name), seen) for name, seen in work.items()], lambda _path: UNITS)
    found = carried.behind({UnitKey("m.py", name) for name in executed}, set(within))
    return {name for name, seen in work.items() if any(seen is one for one in found)}


def test_the_work_of_a_memoised_function_counts_for_all_whose_imports_reach_it() -> None:
    assert behind() == {"table"}


def test_the_work_behind_an_unknown_decorator_counts_for_who_names_the_function() -> None:
    assert behind(["asks"]) == {"table", "guess"}


def test_the_work_of_a_plain_function_is_noted_elsewhere() -> None:
    assert "plain" not in behind(["asks", "plain"])


def test_what_the_imports_of_a_test_do_not_reach_has_done_nothing_for_it() -> None:
    assert behind(["asks"], within=[]) == set()
