"""From what classes hold and use to the graph: which of them are components, and what joins them.

A class is a component if it takes part in wiring: another one holds an object of it and calls a method of it
there, or it uses or holds such a one. What merely flows through methods while the program runs (requests,
batches, configurations) hands over no method from an attribute, and is left out.
"""

import builtins
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from wiremap.graph import Binding, Component, Containment, Graph
from wiremap.graph.serialization import digest
from wiremap.inference.definitions import Class
from wiremap.inference.facts import Attribute, Declaration, Unit
from wiremap.inference.record import Use
from wiremap.inference.registries import Registry, Target
from wiremap.inference.solving import Solver
from wiremap.inference.values import Origin, instances

_STRENGTH: Final = {Origin.PART: 0, Origin.HELD: 1, Origin.LOOSE: 2}
_VALUE_BASES: Final = frozenset(
    {
        "Enum",
        "IntEnum",
        "StrEnum",
        "Flag",
        "IntFlag",
        "TypedDict",
        "NamedTuple",
        "tuple",
        "str",
        "int",
        "float",
        "bytes",
    }
)

Holds = dict[tuple[Class, Class], Origin]
"""Holder and held, with the best that is known of how."""


def assemble(solver: Solver, registries: Sequence[Registry] = ()) -> tuple[Graph, tuple[str, ...]]:
    """Return the graph of what *solver* found, with *registries* that are handed what is registered there.

    With it come the classes left out of it though some keep and call their objects, which are made in the course of
    calls and handed on.
    """
    assembly = _Assembly(solver)
    graph, components = assembly.graph(registries)
    return graph, tuple(sorted({cls.name for cls in assembly.called_where_kept() - components}))


def registries_alone(registries: Sequence[Registry]) -> Graph:
    """Return the graph of *registries* and of what is registered there."""
    return _named_graph(set(), set(), [], registries)


class _Assembly:
    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        records = solver.records.values()
        passing = {cls for record in records for cls in record.passing - record.kept}
        self._in_passing = {cls for cls in solver.classes if any(one.inherits(cls) for one in passing)}
        self._made = {cls for record in records for cls in record.made}
        self._kept = self._find_kept()
        self._holds = self._of_wiring(self._kept)
        self._uses = {use for record in records for use in record.uses if can_be_component(use.consumer)}

    def graph(self, registries: Sequence[Registry]) -> tuple[Graph, set[Class]]:
        self._uses |= self._inherited_uses(self._components())
        self._uses = _of_one_kind(self._uses)
        components = self._components()
        components -= self._stand_ins(components)
        return _named_graph(components, self._uses, self._containment(components), registries), components

    def called_where_kept(self) -> set[Class]:
        """Return the classes of which some other keeps an object and calls a method, for however long."""
        return {use.provider for use in self._uses if use.kind == "method" and (use.holder, use.provider) in self._kept}

    def _find_kept(self) -> Holds:
        """Return who keeps what in an attribute, values aside."""
        holds: Holds = {}
        for key, value in self._solver.facts.attributes():
            if isinstance(key, Declaration) and self._is_told_by_what_is_stored(Attribute(key.cls, key.name)):
                continue
            for one in instances(value):
                pair = (one.holder or key.cls, one.cls)
                origin = one.origin if one.origin in _STRENGTH else Origin.LOOSE
                if pair not in holds or _STRENGTH[origin] < _STRENGTH[holds[pair]]:
                    holds[pair] = origin
        values = _values(self._solver.classes, holds)
        return {
            (holder, part): origin
            for (holder, part), origin in holds.items()
            if part is not holder and part not in values and can_be_component(holder) and can_be_component(part)
        }

    def _is_told_by_what_is_stored(self, key: Attribute) -> bool:
        """Tell whether what is stored says more than what is declared: it is known, wherever it is stored."""
        facts = self._solver.facts
        return facts.is_about_ours(key) and not facts.is_partly_unknown(key)

    def _of_wiring(self, holds: Holds) -> Holds:
        """Return *holds* but for what passes by."""
        lasting = self._lasting(holds)
        return {
            (holder, part): origin
            for (holder, part), origin in holds.items()
            if self._stays(part) or (origin is not Origin.LOOSE and part in lasting)
        }

    def _lasting(self, holds: Holds) -> set[Class]:
        """Return what those that stay have from the start, and what such parts have in turn.

        A client keeps headers of its own: then so do requests, though headers are handed on in calls too.
        """
        pairs = [pair for pair, origin in holds.items() if origin is not Origin.LOOSE]
        lasting = {part for holder, part in pairs if self._stays(holder)}
        while new := {part for holder, part in pairs if holder in lasting} - lasting:
            lasting |= new
        return lasting

    def _components(self) -> set[Class]:
        """Return who hands over a method from an attribute, and whoever is joined to such a one."""
        providers = {use.provider for use in self._uses if use.kind == "method" and self._is_held(use)}
        components = providers | self._consumers(providers)
        # Who holds a component is one, and so is what a component makes for itself, if it does anything.
        holds = [pair for pair, origin in self._holds.items() if origin is not Origin.LOOSE]
        while (
            new := (
                {holder for holder, part in holds if part in components and self._stays(holder)}
                | {use.consumer for use in self._uses if use.provider in components and self._is_called_as_part(use)}
            )
            - components
        ):
            components |= new | self._consumers(new)
        parts = {
            part
            for (holder, part), origin in self._holds.items()
            if holder in components and origin is Origin.PART and self._stays(part) and _does_something(part)
        }
        return components | parts

    def _is_held(self, use: Use) -> bool:
        return use.holder is not None and (use.holder, use.provider) in self._holds

    def _is_called_as_part(self, use: Use) -> bool:
        """Tell whether the consumer calls what it keeps from the start, be it made in a call and handed on itself."""
        if use.holder is None or use.kind != "method" or not use.consumer.inherits(use.holder):
            return False
        return self._kept.get((use.holder, use.provider), Origin.LOOSE) is not Origin.LOOSE

    def _consumers(self, providers: set[Class]) -> set[Class]:
        return {use.consumer for use in self._uses if use.provider in providers}

    def _stays(self, cls: Class) -> bool:
        return cls not in self._in_passing

    def _inherited_uses(self, components: set[Class]) -> set[Use]:
        """Return what *components* use in methods that they inherit: an object runs these as its own."""
        uses: set[Use] = set()
        for cls in components:
            for base in cls.lineage[1:]:
                for name, function in base.methods.items():
                    if cls.find_method(name) is function and function.role != "staticmethod":
                        found = self._solver.evaluate(Unit(base.module, function, cls)).uses
                        uses |= {use for use in found if use.provider is not base}
        return uses

    def _stand_ins(self, components: set[Class]) -> set[Class]:
        """Return abstract classes whose part is played by heirs among *components*."""
        providers = {use.provider for use in self._uses}
        inherited = {base for cls in components for base in cls.lineage[1:]}
        return {cls for cls in components & inherited - providers - self._made if cls.is_abstract}

    def _containment(self, components: set[Class]) -> list[tuple[Class, Class]]:
        """Return pairs of part and holder, without going round in circles: a part that knows its owner holds it not."""
        candidates = {
            (part, cls): origin
            for cls in components
            for base in reversed(cls.lineage)
            for part in components
            if part is not cls and (origin := self._holds.get((base, part))) is not None
        }
        kept: list[tuple[Class, Class]] = []
        above: dict[Class, set[Class]] = defaultdict(set)
        for strength in sorted(set(_STRENGTH.values())):
            pairs = [pair for pair, origin in candidates.items() if _STRENGTH[origin] == strength]
            new = [(part, holder) for part, holder in pairs if not _leads_to(holder, part, above)]
            together = defaultdict(set, {part: set(holders) for part, holders in above.items()})
            for part, holder in new:
                together[part].add(holder)
            # Of a circle that equals make, none is known to be the whole: no edge of it is kept.
            for part, holder in new:
                if not _leads_to(holder, part, together):
                    above[part].add(holder)
                    kept.append((part, holder))
        return kept


def _named_graph(
    components: set[Class], uses: set[Use], containment: list[tuple[Class, Class]], registries: Sequence[Registry]
) -> Graph:
    registered = {target for registry in registries for _, target in registry.entries}
    registered |= {registry.keeper for registry in registries if registry.keeper is not None}
    ids = _ids(components | registered)
    bindings = [
        Binding(ids[use.provider], use.cell, ids[use.consumer], use.kind)
        for use in uses
        if {use.provider, use.consumer} <= components
    ]
    # A registry may be called as the class that keeps it.
    bindings += [
        Binding(ids[target], name, registry.name, "state")
        for registry in registries
        for name, target in registry.entries
        if ids[target] != registry.name
    ]
    provided: dict[str, set[str]] = defaultdict(set)
    for binding in bindings:
        provided[binding.provider].add(binding.cell)
    chosen = {registry.name: tuple(sorted(registry.defaults)) for registry in registries}
    described = [
        Component(
            id=ids[one],
            type=one.name,
            module=one.module.name,
            source_path=one.module.path,
            source_line=one.node.lineno,
            provides=tuple(sorted(provided[ids[one]])),
            **_chosen(chosen.get(ids[one], ())),
        )
        for one in components | registered
    ]
    described += [
        Component(id=name, type=name, module="", **_chosen(values))
        for name, values in chosen.items()
        if name not in ids.values()
    ]
    return Graph(
        components=tuple(described),
        bindings=tuple(bindings),
        containment=tuple(Containment(ids[part], ids[holder]) for part, holder in containment),
    )


def _chosen(defaults: tuple[str, ...]) -> dict[str, Any]:
    """Return what a registry chooses by default as its parameters: another choice is another topology."""
    return {"parameters": digest(defaults), "parameter_values": defaults} if defaults else {}


def _ids(components: set[Class] | set[Target]) -> dict[Target, str]:
    """Name each class or function by its name, with its module where that name is shared, and a number if need be."""
    names = Counter(cls.name for cls in components)
    taken: Counter[str] = Counter()
    ids: dict[Target, str] = {}
    for cls in sorted(components, key=_order):
        name = cls.name if names[cls.name] == 1 else f"{cls.module.name}.{cls.name}"
        taken[name] += 1
        ids[cls] = name if taken[name] == 1 else f"{name}#{taken[name]}"
    return ids


def _order(cls: Target) -> tuple[str, str, str, int]:
    return cls.name, cls.module.name, cls.module.root, cls.node.lineno


def _leads_to(start: Class, end: Class, above: dict[Class, set[Class]]) -> bool:
    seen, todo = {start}, [start]
    while todo:
        one = todo.pop()
        if one is end:
            return True
        new = above[one] - seen
        seen |= new
        todo.extend(new)
    return False


def _of_one_kind(uses: set[Use]) -> set[Use]:
    """Return *uses* with each cell of one kind: of what another distribution defines, only a call tells a method."""
    methods = {(use.provider, use.cell) for use in uses if use.kind == "method"}
    return {replace(use, kind="method") if (use.provider, use.cell) in methods else use for use in uses}


def can_be_component(cls: Class) -> bool:
    """Tell whether objects of the class are more than values: enumerations, errors, named tuples are not.

    Nor are descriptors: who reads the attribute gets what they answer.
    """
    is_descriptor = cls.find_method("__get__") is not None
    return not is_descriptor and not any(_is_value_base(name.rpartition(".")[2]) for name in cls.outside_bases)


def _is_value_base(name: str) -> bool:
    found = getattr(builtins, name, None)
    is_error = isinstance(found, type) and issubclass(found, BaseException)
    return is_error or name in _VALUE_BASES or name.endswith(("Error", "Exception"))


def _values(classes: Iterable[Class], holds: Holds) -> set[Class]:
    """Return the frozen records that hold nothing but values: such an object is what its attributes say."""
    values = {cls for cls in classes if cls.is_frozen}
    while served := {
        holder for holder, part in holds if holder in values and part not in values and _does_something(part)
    }:
        values -= served
    return values


def _does_something(cls: Class) -> bool:
    return any(
        method.role == "method" and not name.startswith("__")
        for one in cls.lineage
        for name, method in one.methods.items()
    )
