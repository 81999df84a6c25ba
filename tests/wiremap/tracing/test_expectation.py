import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiremap.tracing.expectation import FORK, PROGRAM, SHELL, Expectation, from_fields

WORDS = ("python", "x.py")


@pytest.mark.parametrize(
    ("pid", "parent", "arguments", "is_met"),
    [
        (2, 1, WORDS, True),
        (1, 7, WORDS, True),
        (3, 2, WORDS, False),
        (2, 1, ("python", "y.py"), False),
        (2, 1, ("/venv/python", "x.py"), False),
    ],
    ids=["a child", "in the place of who started it", "a grandchild", "other arguments", "another interpreter"],
)
def test_a_program_is_met_by_itself_only(pid: int, parent: int, arguments: tuple[str, ...], *, is_met: bool) -> None:
    assert Expectation(1, PROGRAM, WORDS).is_met_by(pid, parent, arguments) is is_met


def test_below_a_shell_the_command_line_alone_counts() -> None:
    assert Expectation(1, SHELL, WORDS).is_met_by(3, 2, WORDS)
    assert not Expectation(1, SHELL, WORDS).is_met_by(2, 1, ("python", "y.py"))


def test_a_fork_is_met_by_whoever_knows_its_id() -> None:
    assert Expectation(1, FORK).is_met_by(3, 1, ())


@given(st.integers(1), st.sampled_from([FORK, PROGRAM, SHELL]), st.lists(st.text()).map(tuple))
def test_it_comes_back_from_its_fields(starter: int, way: str, words: tuple[str, ...]) -> None:
    expected = Expectation(starter, way, words)

    assert from_fields(expected.as_fields()) == expected
