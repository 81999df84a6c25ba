"""What takes no part in a sound wiring: warnings, since each may be meant."""

import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from types import FunctionType, MethodType
from typing import Any, Final

from wiremap.errors import (
    LostGraphWarning,
    NeverFinalizedWarning,
    UnusedCellWarning,
    UnusedComponentWarning,
    WiringWarning,
)
from wiremap.registry.attributes import instance_dict, is_class
from wiremap.registry.compilation import Compilation
from wiremap.registry.declarations import Declarations
from wiremap.registry.ledger import Entry, Ledger
from wiremap.registry.lifecycle import has_hooks
from wiremap.registry.location import Location
from wiremap.registry.nesting import graphs_lost, is_in_a_graph
from wiremap.registry.reading import may_read
from wiremap.registry.state_cell import wired_cells

_FUNCTIONS: Final = (FunctionType, MethodType)

# What was said before: under the default filter Python says a thing once, for as long as it is in here.
_said: dict[Any, Any] = {}


def warn_of_unused(ledger: Ledger, compilation: Compilation) -> None:
    """Issue a warning, at the line of the registration, for each component and cell that nothing uses.

    So too, at the line that finalized it, for a graph that was wired inside a component and that no graph shows.

    Raises:
        WiringWarning: A filter turns warnings into errors.
    """
    _warn((*_unused_components(ledger, compilation), *_unused_cells(ledger, compilation)))
    warn_of_lost(compilation.components)


def warn_of_lost(components: Mapping[str, object], since: int = 0) -> None:
    """Issue a warning for each graph that was wired inside one of *components*, since then, and that no graph shows.

    Raises:
        WiringWarning: A filter turns warnings into errors.
    """
    _warn((where, LostGraphWarning(maker)) for maker, where in graphs_lost(components, since))


def warn_of_never_finalized(ledger: Ledger, where: Location) -> None:
    """Issue a warning, at the line of the ``with`` block that ended, if what it registered was bound by nobody.

    Raises:
        WiringWarning: A filter turns warnings into errors.
    """
    _warn((where, NeverFinalizedWarning(str(first.where))) for first in ledger.entries[:1])


def _warn(found: Iterable[tuple[Location, WiringWarning]]) -> None:
    for where, warning in found:
        warnings.warn_explicit(warning, None, where.file, where.line, registry=_said)


def _unused_components(ledger: Ledger, compilation: Compilation) -> Iterator[tuple[Location, WiringWarning]]:
    graph = compilation.graph
    used = set(graph.nested)
    used.update(end for edge in graph.bindings for end in (edge.provider, edge.consumer))
    used.update(end for pair in graph.containment for end in (pair.child, pair.parent))
    if len(ledger.entries) == 1:
        return  # there is nothing that it could be bound to
    for entry in ledger.entries:
        component, component_id = entry.component, compilation.names[entry]
        if component_id not in used and not has_hooks(component) and not is_in_a_graph(component):
            yield entry.where, UnusedComponentWarning(component_id, is_class(component))


def _unused_cells(ledger: Ledger, compilation: Compilation) -> Iterator[tuple[Location, WiringWarning]]:
    """Yield one warning for what one line hands to consumers of one class."""
    handed_on = {(link.provider, link.cell) for link in ledger.links}
    verdicts: dict[tuple[type, str], bool] = {}
    unread: dict[tuple[Location, type, str], dict[Entry, Entry]] = defaultdict(dict)
    for link in ledger.links:
        cls, name = type(link.consumer.component), link.name
        if (cls, name) not in verdicts:
            verdicts[cls, name] = may_read(cls, name)
        is_read = verdicts[cls, name] or (link.consumer, name) in handed_on
        if not is_read and not _has_functions_of_its_own(link.consumer.component):
            unread[link.where, cls, name].setdefault(link.consumer, link.provider)
    declarations = Declarations()
    for (where, cls, name), providers in unread.items():
        consumers = [compilation.names[consumer] for consumer in providers]
        provider = compilation.names[next(iter(providers.values()))]
        yield where, UnusedCellWarning(name, provider, consumers, declarations.of_class(cls))


def _has_functions_of_its_own(component: object) -> bool:
    """Tell whether somebody has put a function into the instance, which may read anything."""
    handed = wired_cells(component)
    return any(type(value) in _FUNCTIONS and name not in handed for name, value in instance_dict(component).items())
