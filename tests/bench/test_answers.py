import pytest

from bench.mutation.tools import Answer

ANSWER = Answer(frozenset({"a::runs", "a::new"}), frozenset({"b::skipped"}), cpu_seconds=0, wall_seconds=0)
KNOWN = frozenset({"a::runs", "a::gone", "b::skipped"})


@pytest.mark.parametrize(
    ("test", "missed"),
    [
        pytest.param("a::runs", False, id="it is selected"),
        pytest.param("b::skipped", True, id="it is skipped"),
        pytest.param("a::gone", False, id="its file was collected and it is not there"),
        pytest.param("a::new", False, id="it is new and selected"),
        pytest.param("b::new", True, id="it is new and nobody looked"),
    ],
)
def test_a_test_is_missed_if_its_other_end_would_go_unnoticed(test: str, missed: bool) -> None:  # noqa: FBT001 - a case
    assert ANSWER.misses(test, KNOWN) is missed
