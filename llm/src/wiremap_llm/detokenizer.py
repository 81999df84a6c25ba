"""Generated tokens to text, piece by piece, without anything that a later token could change or hide."""

from collections.abc import Callable, Sequence

# What decoders write where bytes do not form a character (yet).
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class Detokenizer:
    """Turns the tokens of one sample into text and watches for its stop strings.

    The pieces together are the text of all tokens, up to the first stop string. Held back are the
    bytes of an unfinished character, and an end that may be the start of a stop string.

    Attributes:
        has_stopped: A stop string was found; the text ended before it.
    """

    def __init__(self, decode: Callable[[Sequence[int]], str], stop_strings: Sequence[str] = ()) -> None:
        self.has_stopped = False
        self._decode = decode
        self._stop_strings = stop_strings
        self._held = ""
        # Decoders treat the start of a text specially, so a new token is decoded with the few before
        # it: [context tokens whose text is known, tokens whose text is not].
        self._context: list[int] = []
        self._pending: list[int] = []

    def add(self, token_id: int, *, may_stop: bool = True) -> str:
        """Return the text that is safe to show now that *token_id* was generated.

        With *may_stop* false a stop string that this token completes counts as text.
        """
        self._pending.append(token_id)
        known = self._decode(self._context)
        text = self._decode(self._context + self._pending)
        if len(text) <= len(known) or text.endswith(_REPLACEMENT):
            return ""
        self._context, self._pending = self._pending, []
        return self._show(text[len(known) :], may_stop=may_stop)

    def finish(self) -> str:
        """Return what was held back, now that no token follows."""
        if self.has_stopped:
            return ""
        known = self._decode(self._context)
        text = self._held + self._decode(self._context + self._pending)[len(known) :]
        self._held, self._pending = "", []
        return text

    def _show(self, new: str, *, may_stop: bool) -> str:
        text = self._held + new
        if may_stop:
            starts = [start for stop in self._stop_strings if (start := text.find(stop)) >= 0]
            if starts:
                self.has_stopped = True
                self._held = ""
                return text[: min(starts)]
        held = max((_overlap(text, stop) for stop in self._stop_strings), default=0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]


def _overlap(text: str, stop: str) -> int:
    """Return the length of the longest end of *text* that is a start, but not the whole, of *stop*."""
    longest = min(len(text), len(stop) - 1)
    return next((size for size in range(longest, 0, -1) if text.endswith(stop[:size])), 0)
