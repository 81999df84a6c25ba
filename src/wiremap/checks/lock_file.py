"""`wiremap.lock`: the graphs of recipes as text that people review, and back.

Each fact has a line of its own, and lines stand in an order of their own, so that a change of the wiring is a change of
few lines, and two changes that have nothing to do with one another merge.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from wiremap.checks.locked_form import COUNT
from wiremap.errors import GraphFormatError
from wiremap.graph import CALL, Binding, Component, Containment, Graph

_Key = TypeVar("_Key")
_Thing = TypeVar("_Thing")

FILE: Final = "wiremap.lock"
VERSION: Final = 1

_HEAD: Final = f"""\
# The wiring of each recipe. `wiremap lock` writes this file, and `wiremap check` compares it with the code.
# After a merge conflict, take either side and run `wiremap lock`.
wiremap.lock {VERSION}
"""
_KEYWORDS: Final = ("component", "recipe", "inside", "in")
_PLAIN: Final = re.compile(r'[^\s"/#<|=>]\S*')
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|-\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*\]->|\S+')
_ARROW: Final = re.compile(r"-\[(.*)\]->", re.DOTALL)
_CELL: Final = re.compile(r"(?:(\w+)\.)?(\w+)(\(\))?")
_VALUE: Final = re.compile(r"(?:\w+|\(\w+\))=.*")
_COUNT: Final = re.compile(rf"{re.escape(COUNT)}=[0-9]+")
_STATE: Final = "(state)"
_TRAITS: Final = 4  # blanks before what is told of a component
_CONFLICT: Final = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")


class DamagedLockError(Exception):
    """A text is no lock; says why and where, and never leaves the checks."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        self.reason = reason
        super().__init__(line, reason)


@dataclass(frozen=True, slots=True)
class Lock:
    """What a lock holds.

    Attributes:
        graphs: The locked form of the graph of each recipe.
        lines: Where each recipe begins, 1-based.
    """

    graphs: Mapping[str, Graph]
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)


# Writing


def lock_text(graphs: Mapping[str, Graph]) -> str:
    """Return the lock of *graphs*, which are in locked form, by recipe."""
    sections = [section for recipe, graph in sorted(graphs.items()) for section in _sections(recipe, graph, ())]
    return "\n".join([_HEAD, *sections])


def _sections(recipe: str, graph: Graph, owners: tuple[str, ...]) -> Iterator[str]:
    title = f"inside {' / '.join(map(_word, owners))}" if owners else f"recipe {_word(recipe)}"
    parts = [
        [f"{title}\n"],
        ["".join(f"{line}\n" for line in _lines_of(component)) for component in graph.components],
        sorted(f"{_binding(edge)}\n" for edge in graph.bindings),
        sorted(f"{_word(pair.child)} in {_word(pair.parent)}\n" for pair in graph.containment),
    ]
    yield "\n".join("".join(part) for part in parts if part)
    for owner, local in graph.nested.items():
        yield from _sections(recipe, local, (*owners, owner))


def _lines_of(component: Component) -> Iterator[str]:
    counts = [value for value in component.parameter_values if _COUNT.fullmatch(value)]
    yield " ".join(["component", _word(component.id), *(f"x{count.partition('=')[2]}" for count in counts[:1])])
    indent = " " * _TRAITS
    yield f"{indent}class {_word(component.module)} {_word(component.type)}"
    if component.extension != "core":
        yield f"{indent}extension {_word(component.extension)}"
    yield from (f"{indent}tag {_word(tag)}" for tag in component.tags)
    yield from (f"{indent}requires {_word(name)}" for name in component.requires)
    yield from (f"{indent}{_value(value)}" for value in component.parameter_values if value not in counts[:1])


def _binding(edge: Binding) -> str:
    state = f" {_STATE}" if edge.kind == "state" else ""
    return f"{_word(edge.provider)} -[{_cell(edge)}]-> {_word(edge.consumer)}{state}"


def _cell(edge: Binding) -> str:
    if edge.cell == CALL and edge.interface:
        text = f"{edge.interface}()"
    else:
        text = f"{edge.interface}.{edge.cell}" if edge.interface else edge.cell
    is_plain = _CELL.fullmatch(text) and _read_cell(text) == (edge.cell, edge.interface)
    return text if is_plain else f"{json.dumps(edge.cell)} {json.dumps(edge.interface)}"


def _value(text: str) -> str:
    is_plain = _VALUE.fullmatch(text) and text.isprintable() and text == text.strip()
    return text if is_plain else json.dumps(text)


def _word(text: str) -> str:
    is_plain = _PLAIN.fullmatch(text) and text.isprintable() and text not in _KEYWORDS and "-[" not in text
    return text if is_plain else json.dumps(text)


# Reading


def read_lock(text: str) -> Lock:
    """Return what *text* holds.

    Raises:
        DamagedLockError: It is no lock, or of another version.
    """
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        if line.startswith(_CONFLICT):
            raise DamagedLockError(number, "a merge conflict is left in it")
    reader = _Reader()
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.startswith("#"):
            try:
                reader.take(line, number)
            except KeyError as error:
                raise DamagedLockError(number, "what this line belongs to is missing above it") from error
            except ValueError as error:  # of JSON too
                raise DamagedLockError(number, f"{str(error) or 'this line'} can't be read") from error
    if not reader.has_begun:
        raise DamagedLockError(1, "it is empty")
    return reader.finished()


@dataclass(slots=True)
class _Section:
    """What is read of one graph so far."""

    line: int
    components: dict[str, Component] = field(default_factory=dict)
    bindings: list[Binding] = field(default_factory=list)
    containment: list[Containment] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)


class _Reader:
    """Takes line after line."""

    def __init__(self) -> None:
        self.has_begun = False
        self._recipe = ""
        self._sections: dict[str, dict[tuple[str, ...], _Section]] = {}
        self._section = _Section(0)
        self._component = ""

    def take(self, line: str, number: int) -> None:
        """Note what one line says."""
        words = _TOKEN.findall(line)
        if not self.has_begun:
            _check_version(words)
            self.has_begun = True
        elif line.startswith(" " * _TRAITS):
            self._take_trait(line[_TRAITS:], words)
        else:
            self._take_fact(words, number)

    def _take_fact(self, words: list[str], number: int) -> None:
        match words:
            case ["recipe", name]:
                self._recipe = _unquoted(name)
                self._component, self._section = "", _Section(number)
                sections: dict[tuple[str, ...], _Section] = {(): self._section}
                _put_new(self._sections, self._recipe, sections)
            case ["inside", *path]:
                owners = tuple(map(_unquoted, _without_slashes(path)))
                sections = self._sections[self._recipe]
                self._component, self._section = "", _Section(number)
                _put_new(sections, owners, self._section)
                _ = sections[owners[:-1]].components[owners[-1]]
            case ["component", name, *count] if not count or re.fullmatch("x[0-9]+", "".join(count)):
                self._component = _unquoted(name)
                _put_new(self._section.components, self._component, Component(self._component, "", ""))
                self._section.values[self._component] = [f"{COUNT}={one[1:]}" for one in count]
            case [child, "in", parent]:
                self._section.containment.append(Containment(_unquoted(child), _unquoted(parent)))
            case [provider, arrow, consumer, *state] if (found := _ARROW.fullmatch(arrow)) and state in ([], [_STATE]):
                cell, interface = _read_cell(found[1])
                ends = (_unquoted(provider), cell, _unquoted(consumer))
                self._section.bindings.append(Binding(*ends, "state" if state else "method", interface))
            case _:
                raise ValueError

    def _take_trait(self, text: str, words: list[str]) -> None:
        component = self._section.components[self._component]
        known = {name: getattr(component, name) for name in ("type", "module", "extension", "tags", "requires")}
        match words:
            case ["class", module, name]:
                known |= {"module": _unquoted(module), "type": _unquoted(name)}
            case ["extension", name]:
                known["extension"] = _unquoted(name)
            case ["tag", name]:
                known["tags"] += (_unquoted(name),)
            case ["requires", name]:
                known["requires"] += (_unquoted(name),)
            case _ if text.startswith('"') or _VALUE.fullmatch(text):
                self._section.values[self._component].append(_unquoted(text))
            case _:
                raise ValueError
        self._section.components[self._component] = Component(self._component, **known)

    def finished(self) -> Lock:
        """Return all of it."""
        return Lock(
            {recipe: self._graph(recipe, ()) for recipe in self._sections},
            {recipe: sections[()].line for recipe, sections in self._sections.items()},
        )

    def _graph(self, recipe: str, owners: tuple[str, ...]) -> Graph:
        sections = self._sections[recipe]
        section = sections[owners]
        inside = [path for path in sections if path[:-1] == owners and path]
        try:
            return Graph(
                tuple(_with_values(one, section.values[one.id]) for one in section.components.values()),
                tuple(section.bindings),
                tuple(section.containment),
                {path[-1]: self._graph(recipe, path) for path in inside},
            )
        except GraphFormatError as error:
            raise DamagedLockError(section.line, error.detail) from error


def _check_version(words: list[str]) -> None:
    match words:
        case [name, version] if name == FILE:
            if version != str(VERSION):
                raise ValueError(f"version {version!r:.20}, of another wiremap,")
        case _:
            raise ValueError("what should be its version")


def _put_new(table: dict[_Key, _Thing], key: _Key, thing: _Thing) -> None:
    if key in table:
        raise ValueError("what stands twice")
    table[key] = thing


def _without_slashes(words: list[str]) -> Iterable[str]:
    if not words or any((word == "/") != bool(place % 2) for place, word in enumerate(words)) or words[-1] == "/":
        raise ValueError
    return words[::2]


def _with_values(component: Component, values: list[str]) -> Component:
    return replace(component, parameter_values=tuple(sorted(values)))


def _read_cell(text: str) -> tuple[str, str]:
    """Return a cell and the interface below which it is read."""
    match _TOKEN.findall(text):
        case [cell, interface] if text.startswith('"'):
            return _unquoted(cell), _unquoted(interface)
    found = _CELL.fullmatch(text)
    if found is None or (found[1] and found[3]):
        raise ValueError(f"the cell {text!r:.60}")
    return (CALL, found[2]) if found[3] else (found[2], found[1] or "")


def _unquoted(word: str) -> str:
    return str(json.loads(word)) if word.startswith('"') else word
