"""YAML as nodes that know where they stand, so that single lines of a file can be edited and told.

The only module that knows the YAML library, which the extra `rules` brings.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from wiremap.errors import RuleFileError, YamlMissingError


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A single value. Offsets count characters of the file; lines count from 1."""

    value: str
    line: int
    start: int
    end: int
    is_null: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """A list; `is_flow` if it is written in brackets. An item may stand elsewhere: then it is an alias."""

    line: int
    start: int
    end: int
    is_flow: bool
    items: list["Node"] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Mapping:
    """Keys with values. What a merge key (`<<`) brings along comes first, so that own keys count."""

    line: int
    pairs: list[tuple[Scalar, "Node"]] = field(default_factory=list)

    def get(self, key: str) -> "Node | None":
        """Return the value of *key*, or None where there is none or it is empty."""
        found = next((value for name, value in reversed(self.pairs) if name.value == key), None)
        return None if isinstance(found, Scalar) and found.is_null else found


Node = Scalar | Sequence | Mapping


def parse_yaml(text: str, file: str) -> Node:
    """Return the document in *text*. A node that an alias repeats is one object.

    Raises:
        YamlMissingError: The library is not installed.
        RuleFileError: The text is no YAML, or holds no document or several.
    """
    yaml = _library()
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise RuleFileError(file, mark.line + 1 if mark else 1, f"this is no YAML: {_reason(error)}") from error
    except yaml.YAMLError as error:  # a character that YAML does not allow
        line = text.count("\n", 0, getattr(error, "position", 0)) + 1
        raise RuleFileError(file, line, f"this is no YAML: {getattr(error, 'reason', error)}") from error
    if root is None:
        raise RuleFileError(file, 1, "it is empty")
    return _Reader(file).node(root)


def strings(node: Node, file: str, what: str) -> Iterator[Scalar]:
    """Yield the items of a list of strings; a single string is one.

    Raises:
        RuleFileError: It is something else.
    """
    for item in node.items if isinstance(node, Sequence) else [node]:
        if not isinstance(item, Scalar):
            raise RuleFileError(file, item.line, f"{what} must be a list of strings")
        yield item


def _library() -> ModuleType:
    try:
        import yaml  # noqa: PLC0415 -- the base install has none
    except ImportError:
        raise YamlMissingError from None
    return yaml


def _reason(error: Any) -> str:
    return " ".join(str(part) for part in (error.context, error.problem) if part)


class _Reader:
    """Turns the library's nodes into ours, each once."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._made: dict[int, Node] = {}
        self._open: set[int] = set()

    def node(self, found: Any) -> Node:
        if id(found) not in self._made:
            line = found.start_mark.line + 1
            if id(found) in self._open:
                raise RuleFileError(self._file, line, "a part of it holds itself")
            self._open.add(id(found))
            self._made[id(found)] = self._make(found, line)
        return self._made[id(found)]

    def _make(self, found: Any, line: int) -> Node:
        start, end = found.start_mark.index, found.end_mark.index
        if found.id == "scalar":
            return Scalar(found.value, line, start, end, is_null=found.tag.endswith(":null"))
        if found.id == "sequence":
            return Sequence(line, start, end, bool(found.flow_style), [self.node(item) for item in found.value])
        pairs = [(self.node(key), self.node(value)) for key, value in found.value]
        merged = [pair for key, value in pairs if _is_merge(key) for pair in _merged(value)]
        own = [(key, value) for key, value in pairs if isinstance(key, Scalar) and not _is_merge(key)]
        return Mapping(line, [*merged, *own])


def _is_merge(key: Node) -> bool:
    return isinstance(key, Scalar) and key.value == "<<"


def _merged(value: Node) -> list[tuple[Scalar, Node]]:
    """Return the pairs that a merge key brings: of several mappings the first counts, so it comes last."""
    sources = value.items if isinstance(value, Sequence) else [value]
    return [pair for source in reversed(sources) if isinstance(source, Mapping) for pair in source.pairs]
