"""Two graphs over each other, as one graph in which everything says whether it is only in one of them.

Marks are what no registration can give: a tag that begins with a null character, and words before the name of a
cell that end with a colon. Both survive whatever is done with graphs: folding, cutting, drawing.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final

from wiremap.graph import Binding, Component, Graph
from wiremap.graph.differences import GraphDiff

_MARK: Final = "\0"
_ADDED, _REMOVED, _CHANGED, EDITED = (f"{_MARK}{word}" for word in ("added", "removed", "changed", "edited"))
# Words: Mermaid takes a label that begins with a dash for a list.
PLUS: Final = "added: "
MINUS: Final = "removed: "
SIGNS: Final = (PLUS, MINUS, "")
HELD: Final = "held"  # what containment is called where it changed: it has no label of its own


def change_union(
    before: Graph, after: Graph, diff: GraphDiff, edited: Collection[str] = (), *, with_equal_inside: bool = False
) -> Graph:
    """Return both graphs over each other.

    Args:
        before: The graph before.
        after: The graph after.
        diff: The difference between them.
        edited: The components whose code changed, by their ids after.
        with_equal_inside: Keep local graphs that do not differ, too.
    """
    ids = {id_: diff.renamed.get(id_, id_) for id_ in before.ids}
    for component in diff.removed:
        ids[component.id] = _free_id(component.id, after)
    added = {component.id for component in diff.added}
    changed = {change.id for change in diff.changed}
    marks = {id_: _mark(id_, added, changed, edited) for id_ in after.ids}
    gone = (replace(component, id=ids[component.id], tags=(_REMOVED,)) for component in diff.removed)
    plus, minus = set(diff.bindings_added), diff.bindings_removed
    held_now, held_before = set(diff.containment_added), diff.containment_removed
    return Graph(
        components=(*(replace(one, tags=marks[one.id]) for one in after.components), *gone),
        bindings=(
            *(_named(edge, PLUS if edge in plus else "") for edge in after.bindings),
            *(_named(edge.renamed(ids), MINUS) for edge in minus),
            *(Binding(pair.child, PLUS + HELD, pair.parent) for pair in sorted(held_now)),
            *(Binding(pair.child, MINUS + HELD, pair.parent) for pair in (one.renamed(ids) for one in held_before)),
        ),
        containment=tuple(pair for pair in after.containment if pair not in held_now),
        nested=dict(_nested_unions(before, after, diff, edited, with_equal_inside)),
    )


def _nested_unions(
    before: Graph,
    after: Graph,
    diff: GraphDiff,
    edited: Collection[str],
    with_equal: bool,  # noqa: FBT001 -- the caller's option, passed on
) -> Iterator[tuple[str, Graph]]:
    olds = {new: old for old, new in diff.renamed.items()}
    equal = dict.fromkeys(after.nested, GraphDiff()) if with_equal else {}
    for owner, inside in {**equal, **diff.nested}.items():
        old = olds.get(owner, owner)
        alone = Graph(components=(after.component(owner),))
        union = change_union(
            before.nested.get(old, alone), after.nested.get(owner, alone), inside, edited, with_equal_inside=with_equal
        )
        if owner in union:
            yield owner, union


def _free_id(id_: str, after: Graph) -> str:
    while id_ in after:
        id_ += " (before)"
    return id_


def _mark(id_: str, added: Collection[str], changed: Collection[str], edited: Collection[str]) -> tuple[str, ...]:
    if id_ in added:
        return (_ADDED,)
    return (_CHANGED,) if id_ in changed else (EDITED,) if id_ in edited else ()


def _named(edge: Binding, mark: str) -> Binding:
    return Binding(edge.provider, mark + edge.name, edge.consumer, edge.kind)


def mark_of(component: Component) -> str:
    """Return ``added``, ``removed``, ``changed`` or ``edited``; nothing for a component that is as it was."""
    return next((tag.removeprefix(_MARK) for tag in component.tags if tag.startswith(_MARK)), "")


def sign_of(cell: str) -> str:
    """Return which of ``SIGNS`` the name of a cell begins with."""
    return next(sign for sign in SIGNS if cell.startswith(sign))
