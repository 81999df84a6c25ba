import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiremap.render.lettering import columns, legible, shortened


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain name", "plain name"),
        ("two\nlines\tand tab", r"two\nlines\tand tab"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("no\u00a0break", r"no\xa0break"),
        ("null\0", r"null\x00"),
        ("no character \ufffe", r"no character \ufffe"),
        ("half \ud83d pair", r"half \ud83d pair"),
        ("\u6a21\u578b \u05e9\u05dc\u05d5\u05dd", "\u6a21\u578b \u05e9\u05dc\u05d5\u05dd"),
        ("family \U0001f469\u200d\U0001f467", "family \U0001f469\u200d\U0001f467"),
    ],
)
def test_what_can_not_be_seen_is_spelled(text: str, shown: str) -> None:
    assert legible(text) == shown


@given(st.text())
def test_what_is_shown_can_be_written_on_one_line(text: str) -> None:
    shown = legible(text)

    assert len(shown.splitlines()) <= 1
    shown.encode()


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("\u6a21\u578b", 4), ("e\u0301", 1), ("\U0001f680", 2), ("\u05e9\u05dc", 2)]
)
def test_columns_are_those_of_a_terminal(text: str, width: int) -> None:
    assert columns(text) == width


def test_long_names_lose_their_middle_and_keep_more_of_their_end() -> None:
    assert shortened("Qwen3MoeForCausalLM.model.layers.0.mlp", 20) == "Qwen3M\u2026.layers.0.mlp"


@given(st.text(), st.integers(4, 30))
def test_a_shortened_text_fits(text: str, limit: int) -> None:
    short = shortened(text, limit)

    assert columns(short) <= limit
    assert short == text or "\u2026" in short
