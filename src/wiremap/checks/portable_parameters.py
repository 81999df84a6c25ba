"""Parameters without what holds for one Python or machine only: digests of compiled code and of absolute paths."""

import re
from dataclasses import replace
from typing import Final

from wiremap.graph import Component, Graph

_LOCAL: Final = re.compile(r" ~[0-9a-f]{8}$")


def without_local_digest(parameter: str) -> str:
    """Return ``name=value`` without the digest behind it that only holds here."""
    return _LOCAL.sub("", parameter)


def with_portable_parameters(graph: Graph) -> Graph:
    """Return *graph* as it would be wherever the project lies: where a digest only holds here, the values count."""
    components = tuple(map(_portable, graph.components))
    nested = {owner: with_portable_parameters(local) for owner, local in graph.nested.items()}
    return replace(graph, components=components, nested=nested)


def _portable(component: Component) -> Component:
    values = tuple(map(without_local_digest, component.parameter_values))
    if values == component.parameter_values:
        return component
    return replace(component, parameters=None, parameter_values=values)
