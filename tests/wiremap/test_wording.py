import pytest

from wiremap.wording import counted


@pytest.mark.parametrize(
    ("number", "words", "told"),
    [
        (0, ("binding",), "0 bindings"),
        (1, ("binding",), "1 binding"),
        (2, ("binding",), "2 bindings"),
        (1, ("library", "libraries"), "1 library"),
        (3, ("library", "libraries"), "3 libraries"),
    ],
)
def test_what_is_counted_is_told_in_the_singular_or_the_plural(number: int, words: tuple[str], told: str) -> None:
    assert counted(number, *words) == told
