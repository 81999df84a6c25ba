"""The value of an expression."""

import ast
import builtins
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final

from wiremap.inference import annotations, containers
from wiremap.inference.definitions import Class, Module
from wiremap.inference.facts import Attribute, Facts, Global, Unit
from wiremap.inference.modules import Modules
from wiremap.inference.objects import Arguments, Objects
from wiremap.inference.record import Record
from wiremap.inference.values import (
    NONE,
    OUTSIDE,
    TYPE_VARIABLE,
    UNKNOWN,
    ClassValue,
    Instance,
    Maker,
    Many,
    Origin,
    Outside,
    Several,
    Super,
    TypeForm,
    Value,
    changed,
    instances,
    maker,
    many,
    ours,
    outside_names,
    several,
    union,
)

_TYPE_VARIABLES: Final = frozenset({"TypeVar", "ParamSpec", "TypeVarTuple"})
_FACTORIES: Final = ("default_factory", "factory")


@dataclass(slots=True)
class Frame:
    """The names of one scope.

    Attributes:
        names: What is bound here so far.
        outer: The scope around it, None for a module.
        cls: The class whose body it is.
        shared: Names that are declared global.
        returned: What is returned.
        yielded: What is yielded.
        left: The names where the innermost loop is left or its next round begun.
    """

    names: dict[str, Value] = field(default_factory=dict)
    outer: "Frame | None" = None
    cls: Class | None = None
    shared: set[str] = field(default_factory=set)
    returned: list[Value] = field(default_factory=list)
    yielded: list[Value] = field(default_factory=list)
    left: list[dict[str, Value]] = field(default_factory=list)

    def inner(self, names: Mapping[str, Value]) -> "Frame":
        """Return a scope in this one; the names of a class body are not seen from within."""
        return Frame(dict(names), self if self.cls is None else self.outer)


def _is_any_callable(callee: Value) -> bool:
    """Tell whether all that is known is that it can be called, and gives nothing of ours."""
    return any(isinstance(kind, Maker) and kind.is_declared for kind in callee) and not ours(callee)


class Expressions:
    """Evaluates expressions for one unit."""

    def __init__(self, modules: Modules, facts: Facts, unit: Unit, record: Record) -> None:
        """Record in *record* what reading attributes and making calls tells."""
        self.modules = modules
        self.facts = facts
        self.unit = unit
        self.record = record
        self.objects = Objects(modules, facts, unit, record)

    @property
    def module(self) -> Module:
        """The module that the unit lies in."""
        return self.unit.module

    @property
    def owner(self) -> Class | None:
        """The class that the unit is a method of."""
        return self.unit.function.owner if self.unit.function else None

    def value(self, node: ast.expr | None, frame: Frame) -> Value:
        """Return what *node* stands for in *frame*."""
        if node is None:
            return NONE
        evaluate = self._EVALUATE.get(type(node))
        if evaluate is not None:
            return evaluate(self, node, frame)
        self.values_in(node, frame)
        return OUTSIDE

    def values_in(self, node: ast.AST, frame: Frame) -> None:
        """Evaluate the expressions below *node* for what they use."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child, frame)
            elif not isinstance(child, ast.expr_context | ast.operator):
                self.values_in(child, frame)

    def declared(self, node: ast.expr | None, frame: Frame) -> Value:
        """Return what the annotation *node* declares."""
        owner = frame.cls or self.unit.receiver or self.owner
        return annotations.declared(node, lambda one: self._named(one, frame), owner)

    def bind(self, target: ast.expr, value: Value, frame: Frame) -> None:
        """Assign *value* to *target*."""
        match target:
            case ast.Name(id=name):
                self._bind_name(name, value, frame)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self._bind_all(targets, value, frame)
            case ast.Starred(value=inner):
                self.bind(inner, many(containers.iterated(value)), frame)
            case ast.Attribute():
                self.store(self.value(target.value, frame), target.attr, value)
            case ast.Subscript():
                self._fill(target.value, "__setitem__", [self.value(target.slice, frame), value], frame)
            case _:
                return

    def _bind_name(self, name: str, value: Value, frame: Frame) -> None:
        if name in frame.shared:
            self.record.add(Global(self.module, name), value)
            return
        frame.names[name] = value
        if frame.cls is not None:
            self.store(frozenset({ClassValue(frame.cls)}), name, value)

    def _bind_all(self, targets: list[ast.expr], value: Value, frame: Frame) -> None:
        if any(isinstance(target, ast.Starred) for target in targets):
            parts = [containers.iterated(value)] * len(targets)
            parts = [many(part) if isinstance(t, ast.Starred) else part for t, part in zip(targets, parts, strict=True)]
            targets = [target.value if isinstance(target, ast.Starred) else target for target in targets]
        else:
            parts = containers.unpacked(value, len(targets))
        for target, part in zip(targets, parts, strict=True):
            self.bind(target, part, frame)

    def store(self, owners: Value, name: str, value: Value) -> None:
        """Store *value* in the attribute *name* of each of *owners*."""
        for owner in owners:
            if isinstance(owner, Instance | ClassValue):
                is_own = isinstance(owner, ClassValue) or owner.origin is Origin.SELF
                self.record.add(Attribute(owner.cls, name), self.kept(value, owner.cls, is_own=is_own))

    def kept(self, value: Value, owner: Class, *, is_own: bool) -> Value:
        """Return *value* as an attribute of *owner* has it; ``Origin`` says how well it is known.

        Constructors assemble, and so do functions out of any class. Other methods are called while the program
        runs: what they store on their own object may still be a part of it, what they store elsewhere passes by.
        """
        if is_own:
            self.record.kept.update(one.cls for one in instances(value) if one.origin is Origin.MADE)

        def origin(one: Instance) -> Origin:
            if one.origin is Origin.MADE and (self._assembles or is_own):
                return Origin.PART
            is_read = one.holder is not None and one.origin is not Origin.DECLARED  # from another attribute, here
            return Origin.HELD if self._assembles or (is_own and is_read) else Origin.LOOSE

        def keep(one: Instance) -> Instance:
            is_self = is_own and one.origin is Origin.SELF
            return one if is_self else Instance(one.cls, origin(one), owner)

        def keep_element(one: Instance) -> Instance:
            # What another object's container is filled with stays that one's, whoever shares the container.
            is_shared = one.origin is Origin.LOOSE and one.holder is not None and one.holder not in owner.lineage
            return one if is_shared else keep(one)

        collections = frozenset(kind for kind in value if isinstance(kind, Many))
        return changed(value - collections, keep) | changed(collections, keep_element)

    @property
    def _assembles(self) -> bool:
        function = self.unit.function
        return function is None or function.owner is None or function.name in function.owner.constructors

    def _fill(self, container: ast.expr, method: str, arguments: list[Value], frame: Frame) -> None:
        """Put something into what *container* stands for, by a method of it."""
        value = self.value(container, frame)
        objects = [kind for kind in value if isinstance(kind, Instance)]
        for kind in objects:
            self.objects.ask(kind, method, Arguments(arguments, {}))
        if not any(isinstance(kind, Many | Several) or (isinstance(kind, Outside) and not objects) for kind in value):
            return
        content = containers.filled(value, method, arguments)
        if isinstance(container, ast.Name) and container.id in frame.names:
            frame.names[container.id] = union([value, content])
        elif isinstance(container, ast.Attribute):
            for owner in self.value(container.value, frame):
                if isinstance(owner, Instance | ClassValue):
                    kept = self.kept(content, owner.cls, is_own=False)
                    self.record.add(Attribute(owner.cls, container.attr), kept)

    # Names

    def lookup(self, name: str, frame: Frame) -> Value:
        """Return what *name* stands for in *frame*."""
        scope: Frame | None = frame
        while scope is not None:
            if name in scope.names and name not in scope.shared:
                return scope.names[name]
            scope = scope.outer
        key = Global(self.module, name)
        if self.facts.exists(key, self.unit):
            return self.facts.read(key, self.unit)
        return frozenset({Outside(f"builtins.{name}")}) if hasattr(builtins, name) else UNKNOWN

    def _named(self, node: ast.expr, frame: Frame) -> Value:
        """Return what a dotted name in an annotation stands for."""
        if isinstance(node, ast.Name):
            return self.lookup(node.id, frame)
        if isinstance(node, ast.Attribute):
            return self.objects.read(self._named(node.value, frame), node.attr, is_called=False)
        return UNKNOWN

    # Expressions

    def _constant(self, node: ast.Constant, _: Frame) -> Value:
        return NONE if node.value is None else OUTSIDE

    def _name(self, node: ast.Name, frame: Frame) -> Value:
        return self.lookup(node.id, frame)

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Value:
        return self.objects.read(self.value(node.value, frame), node.attr, is_called=False)

    def _inner(self, node: ast.Await | ast.Starred, frame: Frame) -> Value:
        return self.value(node.value, frame)

    def _walrus(self, node: ast.NamedExpr, frame: Frame) -> Value:
        value = self.value(node.value, frame)
        self.bind(node.target, value, frame)
        return value

    def _condition(self, node: ast.IfExp, frame: Frame) -> Value:
        self.value(node.test, frame)
        return union([self.value(node.body, frame), self.value(node.orelse, frame)])

    def _either(self, node: ast.BoolOp, frame: Frame) -> Value:
        return union([self.value(one, frame) for one in node.values])

    def _binary(self, node: ast.BinOp, frame: Frame) -> Value:
        left, right = self.value(node.left, frame), self.value(node.right, frame)
        if isinstance(node.op, ast.BitOr) and any(isinstance(kind, ClassValue | TypeForm) for kind in left | right):
            return frozenset({TypeForm(self.declared(node, frame))})
        parts = frozenset(kind for kind in left | right if isinstance(kind, Many | Several))
        is_container = parts and isinstance(node.op, ast.Add | ast.Mult | ast.BitOr)
        if not is_container:
            return OUTSIDE
        mappings = containers.mappings_in(parts)
        return many(containers.held(parts), keys=containers.iterated(mappings) if mappings else None)

    def _compare(self, node: ast.Compare, frame: Frame) -> Value:
        self.value(node.left, frame)
        for operator, right in zip(node.ops, node.comparators, strict=True):
            value = self.value(right, frame)
            if isinstance(operator, ast.In | ast.NotIn):
                self.ask_if_defined(value, "__contains__")
        return OUTSIDE

    def _list(self, node: ast.List | ast.Set, frame: Frame) -> Value:
        return many(union(self._elements(node.elts, frame)))

    def _tuple(self, node: ast.Tuple, frame: Frame) -> Value:
        if any(isinstance(one, ast.Starred) for one in node.elts):
            return many(union(self._elements(node.elts, frame)))
        return several([self.value(one, frame) for one in node.elts])

    def _elements(self, nodes: list[ast.expr], frame: Frame) -> list[Value]:
        values = [(one, self.value(one, frame)) for one in nodes]
        return [containers.iterated(value) if isinstance(one, ast.Starred) else value for one, value in values]

    def _dict(self, node: ast.Dict, frame: Frame) -> Value:
        keys, contents = [], []
        for key, one in zip(node.keys, node.values, strict=True):
            value = self.value(one, frame)
            keys.append(containers.iterated(value) if key is None else self.value(key, frame))
            contents.append(containers.held(value) if key is None else value)
        return many(union(contents), keys=union(keys))

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, frame: Frame) -> Value:
        return many(self.value(node.elt, self._loop_frame(node.generators, frame)))

    def _dict_comprehension(self, node: ast.DictComp, frame: Frame) -> Value:
        inner = self._loop_frame(node.generators, frame)
        keys = self.value(node.key, inner)
        return many(self.value(node.value, inner), keys=keys)

    def _loop_frame(self, generators: list[ast.comprehension], frame: Frame) -> Frame:
        inner = frame.inner({}) if frame.cls is None else Frame(dict(frame.names), frame.outer)
        for one in generators:
            elements = self.iterated(self.value(one.iter, inner), is_async=bool(one.is_async))
            self.bind(one.target, elements, inner)
            for test in one.ifs:
                self.value(test, inner)
        return inner

    def iterated(self, value: Value, *, is_async: bool) -> Value:
        """Return what a loop over *value* sees, asking objects of ours to iterate."""
        asked = self.ask_if_defined(value, "__aiter__" if is_async else "__iter__")
        return union([containers.iterated(value), containers.iterated(asked)])

    def ask_if_defined(self, value: Value, method: str) -> Value:
        """Call *method*, which a piece of syntax stands for, on the objects in *value* whose class defines it."""
        owners = [kind for kind in value if isinstance(kind, Instance) and kind.cls.find_method(method)]
        return union(self.objects.ask(owner, method, Arguments([], {})) for owner in owners)

    def _lambda(self, node: ast.Lambda, frame: Frame) -> Value:
        arguments = node.args
        names = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        extra = [one.arg for one in (arguments.vararg, arguments.kwarg) if one]
        return maker(self.value(node.body, frame.inner(dict.fromkeys([*names, *extra], UNKNOWN))))

    def _subscript(self, node: ast.Subscript, frame: Frame) -> Value:
        value = self.value(node.value, frame)
        if any(isinstance(kind, ClassValue) for kind in value):
            return frozenset(kind for kind in value if isinstance(kind, ClassValue))  # a generic class of ours
        self.value(node.slice, frame)
        if any(name.startswith(("typing", "collections", "builtins.")) for name in outside_names(value)):
            return frozenset({TypeForm(self.declared(node, frame))})
        index = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(node.slice, ast.UnaryOp) and isinstance(node.slice.operand, ast.Constant):
            index = -1 if node.slice.operand.value == 1 else None
        asked = self.ask_if_defined(value, "__getitem__")
        return union([asked, containers.item(value, index, is_slice=isinstance(node.slice, ast.Slice))])

    # Calls

    def _call(self, node: ast.Call, frame: Frame) -> Value:
        if (special := self._call_by_name(node, frame)) is not None:
            return special
        if not isinstance(node.func, ast.Attribute):
            return self._finish(node, self.value(node.func, frame), frame)
        owner = self.value(node.func.value, frame)
        callee = self.objects.read(owner, node.func.attr, is_called=True)
        if not callee or _is_any_callable(callee):
            self._note_unknown(node, node.func, owner, frame)
        result = self._finish(node, callee, frame)
        if node.func.attr in containers.FILLING and any(isinstance(kind, Many) for kind in owner):
            self._fill(node.func.value, node.func.attr, self._arguments(node, frame).positional, frame)
        return result

    def _finish(self, node: ast.Call, callee: Value, frame: Frame) -> Value:
        arguments = self._arguments(node, frame)
        names = {name.rpartition(".")[2] for name in outside_names(callee)}
        if names & _TYPE_VARIABLES:
            return TYPE_VARIABLE
        if frame.cls is not None:  # what a field declares is what its factory makes, or its default
            for factory in (arguments.keywords[name] for name in _FACTORIES if name in arguments.keywords):
                return self.objects.call(factory, Arguments([], {}))
            if "default" in arguments.keywords:
                return arguments.keywords["default"]
        return self.objects.call(callee, arguments)

    def _arguments(self, node: ast.Call, frame: Frame) -> Arguments:
        positional: list[Value] = []
        is_counted = True
        for one in node.args:
            value = self.value(one, frame)
            is_counted = is_counted and not isinstance(one, ast.Starred)
            if is_counted:
                positional.append(value)
        keywords = {one.arg or "**": self.value(one.value, frame) for one in node.keywords}
        keywords.pop("**", None)
        return Arguments(positional, keywords)

    def _call_by_name(self, node: ast.Call, frame: Frame) -> Value | None:
        """Evaluate the calls that are more than a call; return None for others."""
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name not in ("super", "cast", "getattr", "setattr"):
            return None
        names = {one.rpartition(".")[2] for one in outside_names(self._named(node.func, frame))}
        if "super" in names:
            return self._super()
        match node.args:
            case [annotation, inner] if "cast" in names:
                value = self.value(inner, frame)
                return self.declared(annotation, frame) or value
            case [owner, ast.Constant(value=str(attribute)), *default] if "getattr" in names:
                found = self.objects.read(self.value(owner, frame), attribute, is_called=True)
                return union([found, *(self.value(one, frame) for one in default)])
            case [owner, ast.Constant(value=str(attribute)), inner] if "setattr" in names:
                self.store(self.value(owner, frame), attribute, self.value(inner, frame))
                return NONE
            case _:
                return None

    def _super(self) -> Value:
        owner, receiver = self.owner, self.unit.receiver
        return UNKNOWN if owner is None or receiver is None else frozenset({Super(owner, receiver)})

    def _note_unknown(self, node: ast.Call, function: ast.Attribute, owner: Value, frame: Frame) -> None:
        """Count a call through an attribute of the unit's own object whose class is not known."""
        if not owner and isinstance(function.value, ast.Attribute):
            function = function.value
            owner = self.value(function.value, frame)
        for kind in owner:
            if isinstance(kind, Instance) and kind.origin is Origin.SELF and not function.attr.startswith("__"):
                self.record.unknown.add((kind.cls, function.attr, node.lineno, node.col_offset))

    def _yield(self, node: ast.Yield | ast.YieldFrom, frame: Frame) -> Value:
        value = self.value(node.value, frame)
        frame.yielded.append(containers.iterated(value) if isinstance(node, ast.YieldFrom) else value)
        return UNKNOWN

    _EVALUATE: ClassVar[Mapping[type[ast.expr], Callable[..., Value]]] = {
        ast.Constant: _constant,
        ast.Name: _name,
        ast.Attribute: _attribute,
        ast.Await: _inner,
        ast.Starred: _inner,
        ast.NamedExpr: _walrus,
        ast.IfExp: _condition,
        ast.BoolOp: _either,
        ast.BinOp: _binary,
        ast.Compare: _compare,
        ast.List: _list,
        ast.Set: _list,
        ast.Tuple: _tuple,
        ast.Dict: _dict,
        ast.ListComp: _comprehension,
        ast.SetComp: _comprehension,
        ast.GeneratorExp: _comprehension,
        ast.DictComp: _dict_comprehension,
        ast.Lambda: _lambda,
        ast.Subscript: _subscript,
        ast.Call: _call,
        ast.Yield: _yield,
        ast.YieldFrom: _yield,
    }
