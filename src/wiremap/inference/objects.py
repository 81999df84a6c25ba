"""What comes of reading an attribute and of calling something, and what is learnt of either."""

import ast
from dataclasses import dataclass
from typing import Final

from wiremap.graph import CellKind
from wiremap.inference import containers
from wiremap.inference.definitions import Class, Function, Module
from wiremap.inference.facts import Attribute, Declaration, Facts, Global, Passed, Returned, Unit
from wiremap.inference.modules import Modules
from wiremap.inference.record import Record, Use
from wiremap.inference.values import (
    ANY,
    OUTSIDE,
    UNKNOWN,
    ClassValue,
    FunctionValue,
    Instance,
    Kind,
    Maker,
    Many,
    ModuleValue,
    Origin,
    Outside,
    Several,
    Super,
    Value,
    changed,
    instance,
    maker,
    member_of_outside,
    ours,
    union,
)

# Outside callables that give back, or stand for, what they are given first.
_SAME: Final = frozenset(
    {
        "functools.partial", "copy.copy", "copy.deepcopy", "weakref.proxy", "torch.compile", "torch.jit.script",
        "typing.assert_type", "contextlib.nullcontext", "contextlib.closing", "contextlib.aclosing",
    }
)  # fmt: skip
# They find by a string what is wanted, at run time.
_LOADERS: Final = frozenset(
    {
        "builtins.__import__", "importlib.import_module", "importlib.metadata.entry_points", "pkgutil.resolve_name",
    }
)  # fmt: skip
_OF_AN_ELEMENT: Final = frozenset({"builtins.next", "builtins.max", "builtins.min"})
_MODULE_BASES: Final = frozenset({"torch.nn.Module", "torch.nn.modules.module.Module", "torch.nn.modules.Module"})
# Methods of a torch module that return the module itself.
_FLUENT: Final = frozenset(
    {
        "to", "cuda", "cpu", "eval", "train", "half", "float", "double", "bfloat16", "requires_grad_", "to_empty",
        "share_memory", "apply",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Arguments:
    """The values of a call's arguments; what follows a starred one is left out of ``positional``."""

    positional: list[Value]
    keywords: dict[str, Value]

    @property
    def all(self) -> list[Value]:
        """The values, positional ones first."""
        return [*self.positional, *self.keywords.values()]


class Objects:
    """Reads attributes and makes calls on behalf of one unit, and records what that tells."""

    def __init__(self, modules: Modules, facts: Facts, unit: Unit, record: Record) -> None:
        """Note uses in *record* if the *unit* is a method."""
        self._modules = modules
        self._facts = facts
        self._unit = unit
        self._record = record
        self._consumer = unit.receiver

    # Attributes

    def read(self, value: Value, name: str, *, is_called: bool) -> Value:
        """Return the attribute *name* of what *value* stands for."""
        return union(self._read(kind, name, is_called=is_called) for kind in value)

    def _read(self, kind: Kind, name: str, *, is_called: bool) -> Value:
        match kind:
            case Instance():
                return self._read_object(kind, name, is_called=is_called)
            case ClassValue(cls):
                return self._members(cls, name, kind)
            case Super():
                return self._inherited(kind, name)
            case ModuleValue(module):
                return self.member(module, name)
            case Many() | Several():
                return maker(containers.asked(kind, name))
            case _:
                return member_of_outside(kind, name) if isinstance(kind, Outside) else UNKNOWN

    def _inherited(self, kind: Super, name: str) -> Value:
        bases = kind.receiver.lineage_after(kind.cls)
        above = next((base.methods[name] for base in bases if name in base.methods), None)
        return OUTSIDE if above is None else self._bound(above, Instance(kind.receiver, Origin.SELF))

    def _read_object(self, owner: Instance, name: str, *, is_called: bool) -> Value:
        members = self._members(owner.cls, name, owner)
        if self._has(owner.cls, name):
            is_function = any(isinstance(kind, FunctionValue | Maker) for kind in members)
            self._use(owner, name, "method" if is_function else "state")
            return members
        if owner.cls.is_open:
            self._use(owner, name, "method" if is_called else "state")
            is_fluent = name in _FLUENT and not _MODULE_BASES.isdisjoint(owner.cls.outside_bases)
            return maker(frozenset({owner})) if is_fluent else OUTSIDE
        return UNKNOWN

    def _members(self, cls: Class, name: str, owner: "Instance | ClassValue") -> Value:
        stored = union(self._stored(one, name) for one in cls.lineage)
        if isinstance(owner, Instance):
            stored = _seen_from(owner, _without_own_methods(self._got(stored)))
        method = cls.find_method(name)
        return stored if method is None else union([stored, self._bound(method, owner)])

    def _stored(self, cls: Class, name: str) -> Value:
        """Return what an attribute refers to: what is stored in it, else what it is declared to be.

        Where nobody knows what one place stores, it is what is declared, besides what others store.
        """
        stored = self._facts.read(Attribute(cls, name), self._unit)
        declared = self._facts.read(Declaration(cls, name), self._unit)
        if not stored and not declared:
            return UNKNOWN
        if not ours(stored) or not ANY.isdisjoint(declared):
            return stored | declared if ANY.isdisjoint(stored | declared) else ANY
        return stored | declared if self._facts.is_partly_unknown(Attribute(cls, name)) else stored

    def _has(self, cls: Class, name: str) -> bool:
        return cls.find_method(name) is not None or any(
            self._facts.exists(key, self._unit)
            for one in cls.lineage
            for key in (Attribute(one, name), Declaration(one, name))
        )

    def _got(self, value: Value) -> Value:
        """Return what reading an attribute gives: a descriptor is asked for it."""
        descriptors = [
            (kind, method)
            for kind in value
            if isinstance(kind, Instance) and (method := kind.cls.find_method("__get__")) is not None
        ]
        asked = (self._result(method, kind) for kind, method in descriptors)
        return union([value - {kind for kind, _ in descriptors}, *asked]) if descriptors else value

    def _bound(self, method: Function, owner: "Instance | ClassValue") -> Value:
        if method.role == "property":
            return self._result(method, owner) if isinstance(owner, Instance) else OUTSIDE
        return frozenset({FunctionValue(method, owner)})

    def member(self, module: Module, name: str) -> Value:
        """Return what *name* stands for in *module*: something that it defines, else a module in it."""
        key = Global(module, name)
        if self._facts.exists(key, self._unit):
            return self._facts.read(key, self._unit)
        inner = self._modules.find(f"{module.name}.{name}", module)
        return UNKNOWN if inner is None else frozenset({ModuleValue(inner)})

    def _use(self, owner: Instance, cell: str, kind: CellKind) -> None:
        if cell.startswith("__") and kind == "state":
            return  # what every object has: its class, its dictionary
        if self._consumer is not None and owner.origin is not Origin.SELF and owner.cls is not self._consumer:
            self._record.uses.add(Use(self._consumer, owner.cls, cell, kind, owner.holder))

    # Calls

    def call(self, callee: Value, arguments: Arguments) -> Value:
        """Return what calling *callee* gives."""
        if not callee:
            return UNKNOWN
        return union(self._call(kind, arguments) for kind in callee)

    def _call(self, kind: Kind, arguments: Arguments) -> Value:
        match kind:
            case ClassValue():
                return self._make(kind, arguments)
            case FunctionValue(function, receiver):
                if isinstance(receiver, Instance):
                    self._use(receiver, function.name, "method")
                is_own = isinstance(receiver, Instance) and receiver.origin is Origin.SELF
                self._pass(function, function.parameters, arguments, is_own=is_own)
                made = self._made_of_argument(function, arguments)
                return self._result(function, receiver) if made is None else made
            case Maker(makes):
                return makes
            case Instance():
                return self.ask(kind, _called_name(kind.cls), arguments)
            case Outside(name):
                if name in _LOADERS:
                    self._record.loaders.add(name.removeprefix("builtins."))
                return _call_outside(name, arguments)
            case _:
                return UNKNOWN

    def ask(self, owner: Instance, method: str, arguments: Arguments) -> Value:
        """Call *method* of an object."""
        bound = self.read(frozenset({owner}), method, is_called=True)
        return self.call(bound, arguments)

    def _make(self, kind: ClassValue, arguments: Arguments) -> Value:
        cls = kind.cls
        self._record.made.add(cls)
        if self._is_in_passing(cls):
            self._record.passing.add(cls)
        if (method := cls.find_method("__init__")) is not None:
            self._pass(method, method.parameters, arguments, is_own=False)
        else:
            names = [(one, name) for one in reversed(cls.lineage) for name in one.fields]
            for (one, name), value in [
                *zip(names, arguments.positional, strict=False),
                *((pair, arguments.keywords[pair[1]]) for pair in names if pair[1] in arguments.keywords),
            ]:
                self._record.add(Passed(one, name), given(value))
        return _made_of(kind)

    def _made_of_argument(self, function: Function, arguments: Arguments) -> Value | None:
        """Return what *function* makes of a class that it is given; None if it makes nothing of that sort."""
        if function.makes_of is None:
            return None
        names = [one.arg for one in function.parameters]
        passed = dict(zip(names, arguments.positional, strict=False)) | arguments.keywords
        classes = [kind for kind in passed.get(function.makes_of, UNKNOWN) if isinstance(kind, ClassValue)]
        self._record.made.update(kind.cls for kind in classes)
        return union(_made_of(kind) for kind in classes) if classes else None

    def _is_in_passing(self, cls: Class) -> bool:
        function, consumer = self._unit.function, self._consumer
        if function is None or consumer is None or function.name in consumer.constructors:
            return False
        return not (cls.inherits(consumer) or consumer.inherits(cls))

    def _pass(self, function: Function, parameters: list[ast.arg], arguments: Arguments, *, is_own: bool) -> None:
        names = [one.arg for one in parameters]
        known = {*names, *(one.arg for one in function.node.args.kwonlyargs)}
        for name, value in [*zip(names, arguments.positional, strict=False), *arguments.keywords.items()]:
            if name in known and ours(value):
                self._record.add(Passed(function, name), given(value, is_own=is_own))

    def _result(self, function: Function, receiver: "Instance | ClassValue | None") -> Value:
        returned = self._facts.read(Returned(function), self._unit)
        if receiver is None:
            return returned
        return _seen_from(receiver if isinstance(receiver, Instance) else Instance(receiver.cls, Origin.MADE), returned)


def _made_of(kind: ClassValue) -> Value:
    return instance(kind.cls, Origin.SELF if kind.is_own else Origin.MADE)


def _seen_from(owner: Instance, value: Value) -> Value:
    """Return *value*, which comes from a method or attribute of *owner*, with what is itself there replaced by that."""
    return changed(value, lambda one: owner if one.origin is Origin.SELF else one)


def _without_own_methods(value: Value) -> Value:
    """Return *value* with methods that an object keeps in its own attributes unbound: one cell is read, not two."""
    return frozenset(
        FunctionValue(kind.function)
        if isinstance(kind, FunctionValue) and getattr(kind.receiver, "origin", None) is Origin.SELF
        else kind
        for kind in value
    )


def given(value: Value, *, is_own: bool = False) -> Value:
    """Return *value* as the one sees it who is handed it; its own method still knows in whose attribute it is kept."""
    return changed(value, lambda one: Instance(one.cls, Origin.DECLARED, one.holder if is_own else None))


def _called_name(cls: Class) -> str:
    """Return the method that a call of an object ends in: torch modules are called for their ``forward``."""
    has_forward = cls.find_method("__call__") is None and cls.find_method("forward") is not None
    return "forward" if has_forward else "__call__"


def _call_outside(name: str, arguments: Arguments) -> Value:
    first = arguments.positional[0] if arguments.positional else UNKNOWN
    if name in _SAME:
        return first
    if name in _OF_AN_ELEMENT:
        return containers.iterated(first)
    if name == "weakref.ref":
        return maker(first)
    if name == "builtins.type":
        return frozenset(ClassValue(kind.cls) for kind in first if isinstance(kind, Instance)) or OUTSIDE
    made = containers.made_of(name, arguments.positional, list(arguments.keywords.values()))
    # What is handed one of ours may give it back, as a container of services does.
    is_open = any(ours(one) for one in arguments.all)
    return made if made is not None else UNKNOWN if is_open else OUTSIDE
