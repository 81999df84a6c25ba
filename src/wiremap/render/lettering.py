"""Names as people get to see them: nothing invisible in them, their width known, shortened where room is scarce.

Widths are counted in columns, the cells of a terminal or of a monospaced font: East Asian letters and emoji
take two, marks that combine with the letter before take none.
"""

import unicodedata
from typing import Final

_JOINERS: Final = "\u200c\u200d"  # Indic, Persian and composed emoji are written with them
_INVISIBLE: Final = ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs")
_NO_CHARACTERS: Final = "\ufffe\uffff"  # XML forbids them
_ELLIPSIS: Final = "\u2026"
_DEEPEST: Final = 40


def legible(text: str) -> str:
    r"""Return *text* with what can't be seen, or turns the writing around, spelled as in Python: ``\n``, ``\u202e``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_spelled(letter) if _is_invisible(letter) else letter for letter in text)


def deeper(indent: str) -> str:
    """Return the indent one level further in; beyond twenty it stays, or the text would grow with their square."""
    return f"{indent}  " if len(indent) < _DEEPEST else indent


def columns(text: str) -> int:
    """Return how many columns *text* takes."""
    if text.isascii():
        return len(text)
    return sum(map(_columns_of, text))


def shortened(text: str, limit: int) -> str:
    """Return *text* in at most *limit* columns, with an ellipsis for its middle if need be.

    More is kept of the end, where a dotted id names the thing itself.
    """
    if columns(text) <= limit:
        return text
    head = _leading(text, limit // 3)
    tail = _leading(text[::-1], limit - 1 - columns(head))[::-1]
    # A mark that combines must not land on the ellipsis.
    return head + _ELLIPSIS + tail.lstrip("".join(letter for letter in tail if not _columns_of(letter)))


def _leading(text: str, limit: int) -> str:
    taken = 0
    for at, letter in enumerate(text):
        taken += _columns_of(letter)
        if taken > limit:
            return text[:at]
    return text


def _columns_of(letter: str) -> int:
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Mn", "Me") or letter in _JOINERS:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def _is_invisible(letter: str) -> bool:
    if letter in _NO_CHARACTERS:
        return True
    return letter not in " " + _JOINERS and unicodedata.category(letter) in _INVISIBLE


def _spelled(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
