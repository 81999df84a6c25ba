"""A graph in the form in which it is locked: folded, without lines of source, equal on every machine.

What repeats is one component, with the number of those that it stands for; a parameter that differs among them is
told as the list of its values. A digest that holds only for one Python or machine, and that of a secret, is left out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Final

from wiremap.checks.portable_parameters import without_local_digest
from wiremap.graph import Component, Graph
from wiremap.render.folding import fold_repetition

COUNT: Final = "(count)"
"""The parameter that says how many components one stands for. No attribute has a name like that."""
INSIDE: Final = "(inside)"
"""The parameter of a folded owner whose local graphs differ in parameters: a digest of all of these."""

_SECRET: Final = re.compile(r"^\*\*\* #[0-9a-f]{8}$")
_LONGEST_LIST: Final = 60  # characters


def locked_form(graph: Graph) -> Graph:
    """Return what is locked of *graph*."""
    fold = fold_repetition(graph)
    components = []
    for component in fold.graph.components:
        ids = sorted(fold.members.get(component.id, ()), key=_natural)
        members = [graph.component(one) for one in ids] or [component]
        values = [*_joined_values(members), *_told_of_members(graph, ids)]
        components.append(_plain(component, tuple(sorted(values))))
    return Graph(
        components=tuple(components),
        bindings=fold.graph.bindings,
        containment=fold.graph.containment,
        nested={owner: locked_form(local) for owner, local in fold.graph.nested.items()},
    )


def _plain(component: Component, values: tuple[str, ...]) -> Component:
    # What it provides follows from the bindings.
    return replace(component, source_path="", source_line=0, provides=(), parameters=None, parameter_values=values)


def _natural(component_id: str) -> list[tuple[int, str]]:
    return [(int(part) if part.isdecimal() else -1, part) for part in re.split(r"([0-9]+)", component_id)]


# Parameters


def _joined_values(members: Sequence[Component]) -> Iterator[str]:
    """Yield ``name=value`` for each parameter, with all values where they differ."""
    tables = [dict(_portable_values(member)) for member in members]
    for name in sorted({name for table in tables for name in table}):
        values = [table.get(name, "absent") for table in tables]
        yield f"{name}={values[0] if len(set(values)) == 1 else _list_of(values)}"


def _portable_values(component: Component) -> Iterator[tuple[str, str]]:
    for item in map(without_local_digest, component.parameter_values):
        name, _, value = item.partition("=")
        yield name, "***" if _SECRET.match(value) else value


def _list_of(values: Sequence[str]) -> str:
    told = " | ".join(values)
    return told if len(told) <= _LONGEST_LIST else f"{len(values)} values #{_digest(told)}"


def _told_of_members(graph: Graph, ids: Sequence[str]) -> Iterator[str]:
    if len(ids) > 1:
        yield f"{COUNT}={len(ids)}"
    inside = [sorted(_values_inside(graph.nested[one])) for one in ids if one in graph.nested]
    if any(one != inside[0] for one in inside):
        yield f"{INSIDE}=#{_digest(repr(inside))}"


def _values_inside(graph: Graph) -> Iterator[str]:
    for component in graph.components:
        yield repr((component.type, sorted(_portable_values(component))))
    for local in graph.nested.values():
        yield from _values_inside(local)


def _digest(text: str) -> str:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=4).hexdigest()
