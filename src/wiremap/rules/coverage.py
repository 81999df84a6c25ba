"""Which files a list of patterns covers."""

import re
from collections.abc import Callable, Sequence
from functools import cache

from wiremap.rules.rule import Covers, Meaning

_NOT = "!"


def covering(meaning: Meaning, patterns: Sequence[str], *, whole_names: bool = False) -> Covers:
    """Return what tells whether a change of a file runs what stands below *patterns*.

    Args:
        meaning: What the patterns mean.
        patterns: The patterns, in their order.
        whole_names: Whether a prefix must end where a name in the path does.
    """
    tests = [(pattern.startswith(_NOT), matching(meaning, pattern, whole_names=whole_names)) for pattern in patterns]

    def prefixes(file: str) -> bool:
        return any(fits(file) for negated, fits in tests if not negated) and not any(
            fits(file) for negated, fits in tests if negated
        )

    def globs(file: str) -> bool:
        fitting = [negated for negated, fits in tests if fits(file)]
        return bool(fitting) and not fitting[-1]  # the last one that fits counts

    def not_ignored(file: str) -> bool:
        return not any(fits(file) for _, fits in tests)

    return {"prefixes": prefixes, "globs": globs, "ignored globs": not_ignored}[meaning]


def matching(meaning: Meaning, pattern: str, *, whole_names: bool = False) -> Callable[[str], bool]:
    """Return what tells the files that one pattern speaks of, whether it takes them in or out."""
    bare = pattern if meaning == "ignored globs" else pattern.removeprefix(_NOT)
    if meaning != "prefixes":
        return lambda file: _glob(bare).fullmatch(file) is not None
    if whole_names:
        folder = bare.rstrip("/")
        return lambda file: bool(folder) and (file == folder or file.startswith(f"{folder}/"))
    return lambda file: file.startswith(bare)


def is_negated(meaning: Meaning, pattern: str) -> bool:
    """Tell whether *pattern* takes files out."""
    return meaning == "ignored globs" or pattern.startswith(_NOT)


def pattern_of(meaning: Meaning, path: str) -> str:
    """Return the pattern that covers the file *path*, or everything below it if it ends in a slash."""
    return f"{path}**" if meaning == "globs" and path.endswith("/") else path


_GLOB = re.compile(r"(?P<folders>\*\*/)|(?P<all>\*\*)|(?P<some>\*)|(?P<class>\[[^]]*])|(?P<count>[?+])|(?P<plain>.)")
_MEANS = {"folders": "(?:.*/)?", "all": ".*", "some": "[^/]*"}


@cache
def _glob(pattern: str) -> re.Pattern[str]:
    """Return GitHub's pattern of paths as an expression. `?` and `+` say how often the character before may come."""
    parts: list[str] = []
    for found in _GLOB.finditer(pattern):
        kind = str(found.lastgroup)
        text = found.group()
        if kind == "count" and not parts:
            kind = "plain"
        parts.append(_MEANS.get(kind) or (re.escape(text) if kind == "plain" else text))
    try:
        return re.compile("".join(parts), re.DOTALL)
    except re.error:  # it is none, and fits what is written like it
        return re.compile(re.escape(pattern))
