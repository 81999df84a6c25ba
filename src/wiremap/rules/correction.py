"""A list corrected in its file: lines of the list are added and removed, and nothing else is touched."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from wiremap.rules.coverage import pattern_of
from wiremap.rules.findings import NO_FILE, Evidence, Findings
from wiremap.rules.rule import Rule
from wiremap.rules.yaml_nodes import Node, Scalar
from wiremap.rules.yaml_nodes import Sequence as ListNode

_PLAIN = re.compile(r"[A-Za-z0-9_./][\w./+*-]*")


@dataclass(frozen=True, slots=True)
class Edit:
    """What is to be done to one list.

    Attributes:
        node: The list.
        added: Patterns to add.
        removed: Entries to take out.
    """

    node: Node
    added: tuple[str, ...]
    removed: tuple[Scalar, ...]


@dataclass(slots=True)
class Correction:
    """A corrected text.

    Attributes:
        text: The text.
        notes: What was not corrected, and why.
    """

    text: str
    notes: list[str] = field(default_factory=list)


def edit_of(rule: Rule, evidence: Evidence, findings: Findings, files: Collection[str]) -> Edit | None:
    """Return how the list of *rule* is corrected; None where there is nothing to do.

    What is missed is added. A pattern that matches no file is removed; one that no test depends on only where all that
    the step runs was recorded, since an import that is not seen must not cost a run.
    """
    if rule.node is None:
        return None
    missed = [miss for miss in findings.misses if rule.meaning != "ignored globs"]
    can_mend = [miss.file for miss in missed if miss.excluded_by is None or rule.meaning == "globs"]
    added = [pattern_of(rule.meaning, path) for path in _folded(can_mend, evidence.files, files)]
    ignored = {miss.excluded_by for miss in findings.misses if rule.meaning == "ignored globs"}
    vain = {doubt.place for doubt in findings.in_vain if evidence.is_recorded or doubt.reason == NO_FILE}
    removed = [entry for place, entry in enumerate(rule.entries) if place in vain or entry.value in ignored]
    return Edit(rule.node, tuple(added), tuple(removed)) if added or removed else None


def corrected(text: str, edits: Iterable[tuple[Rule, Edit | None]]) -> Correction:
    """Return *text* with all *edits*. A list that steps share gets what any needs, and loses what none needs."""
    by_list: dict[int, list[tuple[Rule, Edit | None]]] = {}
    for rule, edit in edits:
        if rule.node is not None:
            by_list.setdefault(id(rule.node), []).append((rule, edit))
    replacements: list[tuple[int, int, str]] = []
    done = Correction(text)
    for sharers in by_list.values():
        edit = _together([one for _, one in sharers])
        if edit is not None:
            made = list(_replacements(text, edit, done.notes, sharers[0][0]))
            replacements.extend(made)
    for start, end, new in sorted(replacements, reverse=True):
        done.text = done.text[:start] + new + done.text[end:]
    return done


def _folded(missed: Sequence[str], needed: Collection[str], files: Collection[str]) -> list[str]:
    """Return *missed*, with a folder in the place of its files where all Python files below it are needed."""
    is_needed = frozenset(needed)
    count, lacking = Counter[str](), set[str]()
    for file in files:
        if file.endswith(".py"):
            around = list(_folders_around(file))
            count.update(around)
            lacking.update(around if file not in is_needed else ())
    found: set[str] = set()
    for file in missed:
        # One file is not folded.
        whole = [folder for folder in _folders_around(file) if folder not in lacking and count[folder] > 1]
        found.add(f"{whole[-1]}/" if whole else file)
    return sorted(found)


def _folders_around(file: str) -> Iterator[str]:
    """Yield the folders that *file* lies in, the innermost first, without the root."""
    while file := file.rpartition("/")[0]:
        yield file


def _together(edits: Sequence[Edit | None]) -> Edit | None:
    known = [edit for edit in edits if edit is not None]
    if not known:
        return None
    added = tuple(dict.fromkeys(pattern for edit in known for pattern in edit.added))
    is_shared = len(known) < len(edits)
    removed = () if is_shared else tuple(one for one in known[0].removed if all(one in edit.removed for edit in known))
    return Edit(known[0].node, added, removed) if added or removed else None


def _replacements(text: str, edit: Edit, notes: list[str], rule: Rule) -> Iterator[tuple[int, int, str]]:
    node = edit.node
    reason = _why_not(text, node)
    if reason is not None:
        notes.append(f"the list in line {node.line} is not corrected: {reason}")
        return
    assert isinstance(node, ListNode), "what else it may be was refused"  # noqa: S101 - ours to keep
    kept = [item for item in rule.entries if item not in edit.removed]
    removed = edit.removed
    if not kept and not edit.added:
        notes.append(f"the last entry of the list in line {node.line} is left: without any, the list says nothing")
        removed, kept = removed[:-1], [removed[-1]]
    if node.is_flow:
        yield _rewritten(text, node, kept, edit.added)
    else:
        yield from _by_line(text, node, removed, edit.added)


def _why_not(text: str, node: Node) -> str | None:
    if not isinstance(node, ListNode) or not node.items:
        return "it is no list of several lines or in brackets"
    if any(not node.start <= item.start <= node.end for item in node.items if isinstance(item, Scalar)):
        return "an entry of it stands elsewhere"
    if node.is_flow and "#" in text[node.start : node.end]:
        return "it has comments between brackets"
    return None


def _rewritten(text: str, node: ListNode, kept: Sequence[Scalar], added: Sequence[str]) -> tuple[int, int, str]:
    """Return a list in brackets anew, with what stood between its first two entries between all."""
    items = [item for item in node.items if isinstance(item, Scalar)]
    between = text[items[0].end : items[1].start] if len(items) > 1 else ", "
    quote = _quote(text, items[-1])
    words = [text[item.start : item.end] for item in kept] + [_written(one, quote) for one in added]
    return items[0].start, items[-1].end, between.join(words)


def _by_line(
    text: str, node: ListNode, removed: Sequence[Scalar], added: Sequence[str]
) -> Iterator[tuple[int, int, str]]:
    """Yield the lines to remove, and those to add below the last."""
    last = node.items[-1]
    assert isinstance(last, Scalar), "a list of strings"  # noqa: S101 - ours to keep
    start, end = _line_of(text, last)
    before = text[start : last.start]
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = "".join(f"{before}{_written(one, _quote(text, last))}{newline}" for one in added)
    for one in removed:
        if one is not last:
            yield (*_line_of(text, one), "")
    if last in removed:
        yield start, end, lines
    elif lines:
        yield end, end, lines if text[:end].endswith("\n") else newline + lines.removesuffix(newline)


def _line_of(text: str, item: Scalar) -> tuple[int, int]:
    """Return where the line of *item* begins, and where the next does."""
    start = text.rfind("\n", 0, item.start) + 1
    end = text.find("\n", item.end) + 1
    return start, end or len(text)


def _quote(text: str, item: Scalar) -> str:
    return text[item.start] if text[item.start] in "'\"" else ""


def _written(pattern: str, quote: str) -> str:
    if not quote and _PLAIN.fullmatch(pattern):
        return pattern
    if quote == '"' and not set('\\"').intersection(pattern):
        return f'"{pattern}"'
    return "'" + pattern.replace("'", "''") + "'"
