"""Patterns: a few components and edges to look for in a graph, as data and as text.

The text is a list of chains, separated by commas or line ends::

    MoeBackend -[run_experts_ll]-> ExpertsEPLL
    tag:attention -[*]-> layer="Qwen3.layers.0" --> Model, layer -[forward]-> *

- ``A -[cell]-> B``: A hands B that cell; ``A -[interface.cell]-> B``: to be read below that interface.
- ``A --> B``: B holds A; as drawn, containment has no label.
- ``Name`` is any component whose id or type is that; ``id:Name``, ``type:Name`` and ``tag:Name`` look at one of
  these only. A type may be given with its module, and an inner class without the outer one.
- ``*``, ``?`` and ``[abc]`` in names and cells stand for other characters, as in file names; case counts. A name in
  double quotes is taken as it is, and may hold anything but a double quote or a line end.
- ``x=Name`` calls the component ``x``, and ``x`` alone means it from then on. Without that, it is called as it is
  written. What is called the same is the same component, what is called otherwise is another. A mere ``*`` is another
  one each time, called ``*``, ``*#2`` and so on.
"""

import re
from dataclasses import dataclass, replace
from typing import Final

from wiremap.errors import PatternSyntaxError

_ANYTHING: Final = "*"
_SEPARATOR: Final = re.compile(r"\s*,\s*|\s*\n\s*|\s*\Z")
_NODE: Final = re.compile(
    r"""[^\S\n]*
        (?:(?P<name>\w+)=)?
        (?:(?P<by>id|type|tag):)?
        (?:"(?P<quoted>[^"\n]+)"|(?P<word>(?:(?!-\[|-*>)[^\s,"=])+))""",
    re.VERBOSE,
)
_ARROW: Final = re.compile(r"[^\S\n]*(?:-\[(?P<cell>[^\]\n]+)\]->|-->)")


@dataclass(frozen=True, slots=True)
class PatternNode:
    """A component to look for; all that is given must fit, with wildcards as in file names.

    Attributes:
        name: What the component is called in the pattern and in its matches.
        id: Its id.
        type: Its type: the qualified name, that after the module, or the last part of it.
        tag: One of its tags.
        id_or_type: Its id or its type.
    """

    name: str
    id: str | None = None
    type: str | None = None
    tag: str | None = None
    id_or_type: str | None = None


@dataclass(frozen=True, slots=True)
class PatternEdge:
    """An edge to look for, by the names of its ends in the pattern.

    Attributes:
        start: The provider; for containment, what is contained.
        end: The consumer; for containment, the container.
        cell: The name of the cell, alone or below that of its interface (``blocks.allocate``), with wildcards as in
            file names, or None for containment.
    """

    start: str
    end: str
    cell: str | None = None

    @property
    def ends(self) -> tuple[str, str]:
        """The names that it connects."""
        return (self.start, self.end)


@dataclass(frozen=True, slots=True)
class Pattern:
    """Components and edges to look for in a graph, with ``Graph.match``.

    Raises:
        ValueError: Two nodes have one name, or an edge names none.
    """

    nodes: tuple[PatternNode, ...]
    edges: tuple[PatternEdge, ...] = ()

    def __post_init__(self) -> None:
        names = [node.name for node in self.nodes]
        if len(set(names)) < len(names):
            raise ValueError(f"two nodes of a pattern have one name: {names}")
        for edge in self.edges:
            if not set(edge.ends) <= set(names):
                raise ValueError(f"{edge} names no node of the pattern; its nodes are {names}")

    @classmethod
    def parse(cls, text: str) -> "Pattern":
        """Return the pattern that *text* writes; this module says how.

        Raises:
            PatternSyntaxError: The text is no pattern.
        """
        return _Parser(text).pattern()


class _Parser:
    """Reads one text from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = len(text) - len(text.lstrip())
        self._nodes: dict[str, PatternNode] = {}
        self._edges: dict[PatternEdge, None] = {}
        self._num_unnamed = 0

    def pattern(self) -> Pattern:
        self._chain()
        while self._position < len(self._text):
            if not self._take(_SEPARATOR):
                raise self._error("'-[cell]->', '-->', a comma or the end of the line is expected here")
            if self._position < len(self._text):
                self._chain()
        return Pattern(tuple(self._nodes.values()), tuple(self._edges))

    def _chain(self) -> None:
        start = self._node()
        while arrow := self._take(_ARROW):
            end = self._node()
            self._edges[PatternEdge(start, end, arrow["cell"])] = None
            start = end

    def _node(self) -> str:
        """Read a component and return its name."""
        start = self._position
        found = self._take(_NODE)
        if found is None:
            raise self._error("a component is expected here")
        node = _node_of(found)
        if found["name"] is None and found["by"] is None and found["quoted"] is None:
            if found["word"] == _ANYTHING:
                self._num_unnamed += 1
                node = replace(node, name=_ANYTHING if self._num_unnamed == 1 else f"{_ANYTHING}#{self._num_unnamed}")
            elif found["word"] in self._nodes:
                return found["word"]
        if self._nodes.setdefault(node.name, node) != node:
            self._position = start
            raise self._error(f"{node.name!r} is another component already; call this one otherwise, as in x=Name")
        return node.name

    def _take(self, what: re.Pattern[str]) -> re.Match[str] | None:
        """Read *what*, if it comes next."""
        found = what.match(self._text, self._position)
        if found:
            self._position = found.end()
        return found

    def _error(self, reason: str) -> PatternSyntaxError:
        rest = self._text[self._position :]
        return PatternSyntaxError(self._text, len(self._text) - len(rest.lstrip(" \t")), reason)


def _node_of(found: re.Match[str]) -> PatternNode:
    if found["quoted"] is None:
        words = glob = found["word"]
    else:
        words, glob = found["quoted"], re.sub(r"([*?[])", r"[\1]", found["quoted"])
    by = found["by"]
    name = found["name"] or (f"{by}:{words}" if by else words)
    return PatternNode(name, **{by or "id_or_type": glob})
