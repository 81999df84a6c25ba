"""What differs between two graphs, as data: what leads from the one before to the one after.

What is removed is named as it was before, what is added and what changed as it is called after; an edge whose ends
were only renamed is neither removed nor added. Classes that moved in the source are kept, since applying a
difference must give the very graph after, but a move changes no topology and so makes no difference.
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Final

from wiremap.errors import GraphDiffFormatError, GraphFormatError
from wiremap.graph import serialization
from wiremap.graph.elements import LOCATION, VALUES, Binding, Component, Containment

TOPOLOGY: Final = ("type", "module", "tags", "extension", "provides", "requires", "parameters")
"""The fields of a component that make a difference."""
Value = str | int | tuple[str, ...] | None
_EDGES: Final = ("bindings_removed", "bindings_added", "containment_removed", "containment_added")


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """Another value in one *field* of a component that both graphs have; *id* is what it is called after."""

    id: str
    field: str
    before: Value
    after: Value


@dataclass(frozen=True, slots=True)
class GraphDiff:
    """The difference between two graphs; false if there is none in topology. All in it is sorted.

    Attributes:
        removed: Components that are only in the graph before.
        added: Components that are only in the graph after.
        renamed: Ids after, by ids before, of components that are called otherwise. That is only claimed of a
            component with the same type and module and, up to renaming, the same edges to all components that
            both graphs have: at least one, unless it has no edge in either. Where other traits differ too
            (extension, tags, requirements, parameters), it is only claimed if no other component can be meant;
            these are ``changed``. Which of several interchangeable components has which new id is a consistent guess.
            The owner of a local graph has the new id inside that it has outside.
        changed: Values that differ in components that both graphs have.
            Which parameters differ is a change of ``parameter_values``.
        moved: Source locations that differ, in the same way; they make no difference. Neither do the values of
            parameters where these have one digest: an older version didn't write them.
        bindings_removed: Bindings that are only in the graph before.
        bindings_added: Bindings that are only in the graph after.
        containment_removed: Containment that is only in the graph before.
        containment_added: Containment that is only in the graph after.
        nested: The differences of local graphs, by the owner's id after. Where only one of the graphs has a local
            graph, the other counts as empty; a removed component takes its local graph along without a word.
    """

    removed: tuple[Component, ...] = ()
    added: tuple[Component, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    changed: tuple[Change, ...] = ()
    moved: tuple[Change, ...] = ()
    bindings_removed: tuple[Binding, ...] = ()
    bindings_added: tuple[Binding, ...] = ()
    containment_removed: tuple[Containment, ...] = ()
    containment_added: tuple[Containment, ...] = ()
    nested: Mapping[str, "GraphDiff"] = field(default_factory=dict)

    def __hash__(self) -> int:
        mappings = frozenset(self.renamed.items()), frozenset(self.nested.items())
        return hash((self._topology_changes, self.moved, mappings))

    def __bool__(self) -> bool:
        return any(self._topology_changes) or bool(self.renamed) or any(self.nested.values())

    @property
    def is_renaming(self) -> bool:
        """Whether nothing differs but ids: up to renaming, the graphs are one."""
        return not any(self._topology_changes) and all(local.is_renaming for local in self.nested.values())

    @property
    def _topology_changes(self) -> tuple[tuple[object, ...], ...]:
        components = (self.removed, self.added, self.changed)
        return (*components, *(getattr(self, name) for name in _EDGES))

    # For people

    def describe(self) -> str:
        """Return the difference as lines, local graphs indented; nothing if there is none.

        ::

            + BlockManager
            A -> B renamed
            ~ Scheduler.max_num_seqs: 8 -> 16
            - [allocate] A -> B
            + Layer in Model
        """
        return "".join(f"{line}\n" for line in self.lines())

    def lines(self, owner: str = "") -> Iterator[str]:
        """Yield the lines of ``describe``; *owner* is whose local graphs these are."""
        yield from (line for line, _ in self.told(owner))
        for local_owner, local in self.nested.items():
            if lines := [f"  {line}" for line in local.lines(local_owner)]:
                yield from (f"inside {local_owner}:", *lines)

    def told(self, owner: str = "") -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each difference, those of local graphs left out: a line, and the ids of the components it is about."""
        yield from ((f"- {_named(component)}", (component.id,)) for component in self.removed)
        yield from ((f"+ {_named(component)}", (component.id,)) for component in self.added)
        # That an owner has its new name inside too goes without saying.
        renamed = ((before, after) for before, after in self.renamed.items() if after != owner)
        yield from ((f"{before} -> {after} renamed", (after,)) for before, after in renamed)
        yield from self._told_changes()
        yield from ((f"- {_drawn(edge)}", edge.ends) for edge in self.bindings_removed)
        yield from ((f"+ {_drawn(edge)}", edge.ends) for edge in self.bindings_added)
        yield from ((f"- {pair.child} in {pair.parent}", pair.ends) for pair in self.containment_removed)
        yield from ((f"+ {pair.child} in {pair.parent}", pair.ends) for pair in self.containment_added)

    def _told_changes(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        values = {change.id: tuple(_told_values(change)) for change in self.changed if change.field == VALUES}
        for change in self.changed:
            if change.field == VALUES:
                yield from ((line, (change.id,)) for line in values[change.id])
            elif change.field != "parameters" or not values.get(change.id):
                yield f"~ {change.id} {_told(change)}", (change.id,)

    # For programs

    def to_json(self) -> str:
        """Return the difference as JSON of the schema ``wiremap.graph-diff/1``; equal ones give equal text."""
        return serialization.dump(self.to_document(), serialization.DIFF_SCHEMA)

    @classmethod
    def from_json(cls, text: str) -> "GraphDiff":
        """Return the difference that ``to_json`` wrote.

        Raises:
            GraphDiffFormatError: *text* is not JSON, of another schema, or no difference.
        """
        try:
            return cls._from_document(serialization.load(text, serialization.DIFF_SCHEMA))
        except GraphFormatError as error:
            raise GraphDiffFormatError(error.detail) from error

    def to_document(self) -> serialization.Document:
        """Return what ``to_json`` writes, as dictionaries and lists, without the schema."""
        records = serialization.to_records
        return {
            "removed": records(Component, self.removed),
            "added": records(Component, self.added),
            "renamed": dict(self.renamed),
            "changed": records(Change, self.changed),
            "moved": records(Change, self.moved),
            "bindings_removed": records(Binding, self.bindings_removed),
            "bindings_added": records(Binding, self.bindings_added),
            "containment_removed": records(Containment, self.containment_removed),
            "containment_added": records(Containment, self.containment_added),
            "nested": {owner: local.to_document() for owner, local in self.nested.items()},
        }

    @classmethod
    def _from_document(cls, document: object) -> "GraphDiff":
        parts = {part.name for part in fields(cls)}
        if not isinstance(document, dict) or document.keys() != parts:
            raise GraphFormatError(f"a difference has the parts {sorted(parts)}, not {document!r:.120}")
        renamed, nested = document["renamed"], document["nested"]
        if not isinstance(renamed, dict) or not all(isinstance(after, str) for after in renamed.values()):
            raise GraphFormatError(f"the new ids by the old were expected as 'renamed', not {renamed!r:.60}")
        if not isinstance(nested, dict):
            raise GraphFormatError(f"differences by their owners were expected as 'nested', not {nested!r:.60}")
        elements = serialization.from_records
        return cls(
            removed=elements(Component, document["removed"]),
            added=elements(Component, document["added"]),
            renamed=renamed,
            changed=_changes(document["changed"], (*TOPOLOGY, VALUES)),
            moved=_changes(document["moved"], (*LOCATION, VALUES)),
            bindings_removed=elements(Binding, document["bindings_removed"]),
            bindings_added=elements(Binding, document["bindings_added"]),
            containment_removed=elements(Containment, document["containment_removed"]),
            containment_added=elements(Containment, document["containment_added"]),
            nested={owner: cls._from_document(local) for owner, local in nested.items()},
        )


def _changes(records: object, names: Container[str]) -> tuple[Change, ...]:
    changes = serialization.from_records(Change, records)
    for change in changes:
        if change.field not in names:
            raise GraphFormatError(f"{change.field!r:.60} can't be the field of a change here")
        for value in (change.before, change.after):
            if not serialization.fits(change.field, value):
                raise GraphFormatError(f"{value!r:.60} can't be the {change.field} of a component")
    return changes


def _named(component: Component) -> str:
    return component.id if component.type == component.id else f"{component.id} ({component.type})"


def _drawn(edge: Binding) -> str:
    return f"[{edge.name}] {edge.provider} -> {edge.consumer}{' (state)' if edge.kind == 'state' else ''}"


def _told_values(change: Change) -> Iterator[str]:
    before, after = (
        {name: value for name, _, value in (item.partition("=") for item in values)}
        for values in (change.before, change.after)
        if isinstance(values, tuple)
    )
    for name in sorted(before.keys() | after.keys()):
        # A graph that an older version wrote tells no values, which is not to be taken for having no parameters.
        old, new = (values.get(name, "absent" if values else "not told") for values in (before, after))
        if old != new:
            yield f"~ {change.id}.{name}: {old} -> {new}"


def _told(change: Change) -> str:
    """Return the field, and its values where these tell people something, as digests don't."""
    if change.field == "parameters":
        return change.field
    if isinstance(change.before, tuple) and isinstance(change.after, tuple):
        gone = [f"-{item}" for item in change.before if item not in change.after]
        new = [f"+{item}" for item in change.after if item not in change.before]
        return " ".join([change.field, *gone, *new])
    return f"{change.field} {change.before} -> {change.after}"
