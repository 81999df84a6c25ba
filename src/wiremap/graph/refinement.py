"""Colour refinement: the coarsest classes of nodes such that nodes of one class have the same edges to every class.

It starts from given colours and splits classes until nothing more can be told apart (Weisfeiler and Leman, 1968).
Always the smaller part of a split class is looked at again, never the largest, which bounds the work by
edges times the logarithm of nodes (Hopcroft, 1971; Cardon and Crochemore, 1982).

Nodes that an automorphism maps to one another are always in one class. The converse holds for forests and nearly
everywhere, but not for regular graphs: in two triangles and a hexagon, all twelve nodes are in one class.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence

Edges = Sequence[Sequence[tuple[int, int]]]
"""For each node its edges, as the number of a label and the node at the other end; each edge is told at both ends."""


class Partition:
    """The classes of the nodes ``0..n-1``: ``class_of`` each node, and the ``members`` of each class.

    Which nodes share a class depends on colours and edges only; how classes are numbered is nobody's business.

    Args:
        colours: What tells nodes apart to begin with.
        edges: What else does.
        spreading: Whether every class splits others; if not, only those do that are singled out, and there is no
            class whose nodes have different edges to one of these.
    """

    def __init__(self, colours: Sequence[Hashable], edges: Edges, *, spreading: bool = True) -> None:
        numbers: dict[Hashable, int] = {}
        self.class_of = [numbers.setdefault(colour, len(numbers)) for colour in colours]
        self.members: list[set[int]] = [set() for _ in numbers]
        for node, number in enumerate(self.class_of):
            self.members[number].add(node)
        self._edges = edges
        self._settled: set[int] = set()
        self._spreading = spreading
        self._waiting = set(range(len(self.members))) if spreading else set()
        self._refine()

    def single_out(self, nodes: set[int]) -> None:
        """Give *nodes*, which share a class, one of their own that is never split, and refine the others."""
        number = self.class_of[next(iter(nodes))]
        if len(self.members[number]) > len(nodes):
            number = self._move(nodes, number)
        self._settled.add(number)
        if not self._spreading:
            self._waiting.add(number)
        self._refine()

    def _refine(self) -> None:
        while self._waiting:
            splitter = self._waiting.pop()
            labels: dict[int, list[int]] = defaultdict(list)
            for member in self.members[splitter]:
                for label, node in self._edges[member]:
                    labels[node].append(label)
            groups: dict[int, dict[tuple[int, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
            for node, seen in labels.items():
                groups[self.class_of[node]][tuple(sorted(seen))].append(node)
            for number, parts in groups.items():
                if number not in self._settled:
                    self._split(number, list(parts.values()))

    def _split(self, number: int, parts: list[list[int]]) -> None:
        """Split a class into *parts* and the rest; the largest keeps the number."""
        members = self.members[number]
        if len(parts[0]) == len(members):
            return
        untouched = len(members) - sum(map(len, parts))
        largest = max(parts, key=len)
        if untouched < len(largest):
            rest = list(members.difference(*parts))
            parts = [part for part in [*parts, rest] if part and part is not largest]
        for part in parts:
            self._move(set(part), number)

    def _move(self, nodes: set[int], number: int) -> int:
        """Move *nodes* from the class *number* to a new one, and return the number of that."""
        new = len(self.members)
        self.members[number] -= nodes
        self.members.append(nodes)
        for node in nodes:
            self.class_of[node] = new
        if self._spreading:
            self._waiting.add(new)
        return new
