"""Components that play the same part: 48 equal layers are one shape.

Two components have one shape if they agree in traits, in what they provide and in what is nested in them, and have
the same edges to components of the same shapes, and so on through the whole graph. Ids don't matter.
Different shapes are different parts for certain. One shape means that colour refinement can't tell the parts apart,
which is proof in all but strongly regular wirings; see ``wiremap.graph.refinement``.
"""

from collections import Counter
from dataclasses import dataclass

from wiremap.graph.elements import Label
from wiremap.graph.refinement import Partition
from wiremap.graph.topology import Topology


@dataclass(frozen=True, slots=True)
class Shape:
    """Components of one graph that play the same part: their type, and their ids, sorted.

    ``distinct`` says in which parameters, as ``name=value``, they are unlike other shapes of their type.
    """

    type: str
    ids: tuple[str, ...]
    distinct: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many they are."""
        return len(self.ids)


def shapes(graph: Topology) -> tuple[Shape, ...]:
    """Return the shapes of all components, in the order of their first ids."""
    positions = {id_: position for position, id_ in enumerate(graph.by_id)}
    labels: dict[Label, int] = {}
    partition = Partition(
        colours=[
            (c.traits, c.provides, graph.nested[c.id].shape(c.id) if c.id in graph.nested else "")
            for c in graph.components
        ],
        edges=[
            [(labels.setdefault(label, len(labels)), positions[other]) for label, other in graph.links.get(id_, ())]
            for id_ in graph.by_id
        ],
    )
    ids = tuple(graph.by_id)
    found = sorted(tuple(ids[position] for position in sorted(members)) for members in partition.members)
    first = [graph.by_id[names[0]] for names in found]
    num_shapes = Counter(c.type for c in first)
    num_alike = Counter((c.type, value) for c in first for value in c.parameter_values)
    return tuple(
        Shape(c.type, names, tuple(v for v in c.parameter_values if num_alike[c.type, v] < num_shapes[c.type]))
        for c, names in zip(first, found, strict=True)
    )
