"""Why something could not be collected, in one line."""

import re

_PLACE = re.compile(r"^(?:E\s+)?(?:File \"(?P<file>[^\"]+)\", line (?P<line>\d+)|(?P<path>[^\s:]+):(?P<number>\d+): )")

_EXCEPTION = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Failed|Group|Interrupt|Warning)\b:?")


def error_in_a_line(text: str, root: str) -> str:
    """Return where and what of pytest's account *text* of a failed collection, with paths relative to *root*."""
    lines = text.strip().splitlines()
    told = [line.removeprefix("E").strip() for line in lines if line.startswith("E")]
    sentence = _what_went_wrong(told or lines or ["it could not be collected"])
    places = [place for line in lines if (place := _place(line, root))]
    return f"{places[-1]}: {sentence}" if places else sentence


def exception_in_a_line(text: str, root: str) -> str:
    """Return the same where *text* names an exception and its place in the project; nothing otherwise."""
    line = error_in_a_line(text, root)
    place, _, sentence = line.partition(": ")
    return line if _EXCEPTION.match(sentence) and " " not in place else ""


def _what_went_wrong(lines: list[str]) -> str:
    """Return the line that names the exception: others of its message, a hint or a link, may follow."""
    named = [line for line in lines if _EXCEPTION.match(line)]
    return named[-1] if named else lines[0].rstrip(":")


def _place(line: str, root: str) -> str:
    """Return `path:line` if *line* tells of a place in the project."""
    match = _PLACE.match(line)
    if match is None:
        return ""
    path = (match["file"] or match["path"]).removeprefix(root.rstrip("/") + "/")
    is_own = not path.startswith(("/", "..", "<")) and "site-packages" not in path
    return f"{path}:{match['line'] or match['number']}" if is_own else ""
