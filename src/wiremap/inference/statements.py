"""Runs the statements of one unit over values, branch by branch, and records what they tell."""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, Final

from wiremap.inference import annotations, containers, narrowing
from wiremap.inference.definitions import Class, Function, FunctionNode, Module, decorator_names, statements
from wiremap.inference.expressions import Expressions, Frame
from wiremap.inference.facts import Attribute, Declaration, Facts, Global, Passed, Returned, Unit
from wiremap.inference.modules import Modules
from wiremap.inference.objects import given
from wiremap.inference.record import Record
from wiremap.inference.values import (
    NONE,
    OUTSIDE,
    TYPE_VARIABLE,
    UNKNOWN,
    ClassValue,
    FunctionValue,
    Instance,
    Maker,
    ModuleValue,
    Origin,
    Outside,
    TypeForm,
    Value,
    changed,
    instance,
    leaves,
    maker,
    many,
    ours,
    outside_names,
    union,
)

Definitions = Mapping[ast.stmt, Class | Function]

_RECORD_DECORATORS: Final = frozenset({"dataclass", "attr.s", "attrs", "define", "frozen", "mutable", "attr.dataclass"})
_RECORD_BASES: Final = frozenset({"BaseModel", "BaseSettings", "Struct", "NamedTuple"})


class Statements(Expressions):
    """Evaluates one unit."""

    def __init__(self, modules: Modules, facts: Facts, unit: Unit, record: Record, definitions: Definitions) -> None:
        """Look classes and functions up in *definitions*, by their statement."""
        super().__init__(modules, facts, unit, record)
        self._definitions = definitions

    def run_unit(self) -> None:
        """Evaluate the whole unit."""
        if self.unit.function is None:
            frame = Frame()
            self._run(self.module.tree.body, frame)
            for name, value in frame.names.items():
                self.record.add(Global(self.module, name), value)
        else:
            self._run_function(self.unit.function)

    # Functions

    def _run_function(self, function: Function) -> None:
        frame = Frame(self._type_parameters(function.node))
        if function.role not in ("function", "staticmethod"):
            self._bind_receiver(function, frame)
        for argument, default in _parameters(function):
            frame.names[argument.arg] = self._parameter(function, argument, default, frame)
        _bind_collectors(function.node, frame, lambda one: self.declared(one, frame))
        self._run(function.node.body, frame)
        self.record.add(Returned(function), self._returned(function, frame))

    def _bind_receiver(self, function: Function, frame: Frame) -> None:
        receiver = self.unit.receiver or function.owner
        arguments = function.node.args.posonlyargs + function.node.args.args
        if receiver is not None and arguments:
            is_class = function.role == "classmethod"
            own = ClassValue(receiver, is_own=True) if is_class else Instance(receiver, Origin.SELF)
            frame.names[arguments[0].arg] = frozenset({own})

    def _parameter(self, function: Function, argument: ast.arg, default: ast.expr | None, frame: Frame) -> Value:
        declared = self.declared(argument.annotation, frame)
        if default is not None and argument.annotation is None:
            declared = given(self.value(default, frame))
        return _concrete(declared, self.facts.read(Passed(function, argument.arg), self.unit))

    def _type_parameters(self, node: ast.AST) -> dict[str, Value]:
        return {one.name: TYPE_VARIABLE for one in getattr(node, "type_params", ())}

    def _returned(self, function: Function, frame: Frame) -> Value:
        declared = self.declared(function.node.returns, frame)
        if frame.yielded:
            return declared or many(union(frame.yielded))
        values = [value for value in frame.returned if value != NONE]
        if function.node.returns is None:
            return union(values)
        is_known = bool(values) and all(ours(value) for value in values)
        return union(values) if is_known and _fits(union(values), declared) else declared

    def _define_nested(self, node: FunctionNode, frame: Frame) -> None:
        """Evaluate a function in a function where it stands: it may be called any time after."""
        inner = frame.inner(self._type_parameters(node))
        arguments = node.args
        for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            inner.names[one.arg] = self.declared(one.annotation, frame)
        _bind_collectors(node, inner, lambda one: self.declared(one, frame))
        self._run(node.body, inner)
        declared = self.declared(node.returns, frame)
        returned = union(inner.returned)
        frame.names[node.name] = maker(declared if inner.yielded or not ours(returned) else returned)

    # Blocks

    def _run(self, body: Iterable[ast.stmt], frame: Frame) -> bool:
        """Run *body*; return whether its end is reached."""
        for node in body:
            run = self._RUN.get(type(node))
            if run is None:
                self.values_in(node, frame)
            elif run(self, node, frame) is False:
                return False
        return True

    def _branch(self, frame: Frame, *branches: tuple[Mapping[str, Value], Sequence[ast.stmt]]) -> bool:
        """Run each of *branches*, with what is known in it, from here, and go on with what any of them left."""
        before, ends = frame.names, []
        for known, body in branches:
            frame.names = {**before, **known}
            if self._run(body, frame):
                ends.append(frame.names)
        frame.names = _merged(ends) if ends else before
        return bool(ends)

    def _if(self, node: ast.If, frame: Frame) -> bool:
        self.value(node.test, frame)

        def evaluate(one: ast.expr) -> Value:
            return self.value(one, frame)

        true, false = narrowing.if_true(node.test, evaluate), narrowing.if_false(node.test, evaluate)
        return self._branch(frame, (true, node.body), (false, node.orelse))

    def _for(self, node: ast.For | ast.AsyncFor, frame: Frame) -> None:
        elements = self.iterated(self.value(node.iter, frame), is_async=isinstance(node, ast.AsyncFor))

        def one_round() -> None:
            self.bind(node.target, elements, frame)
            self._run(node.body, frame)

        self._loop(one_round, frame)
        self._run(node.orelse, frame)

    def _while(self, node: ast.While, frame: Frame) -> None:
        def one_round() -> None:
            self.value(node.test, frame)
            frame.names |= narrowing.if_true(node.test, lambda one: self.value(one, frame))
            self._run(node.body, frame)

        self._loop(one_round, frame)
        self._run(node.orelse, frame)

    def _loop(self, one_round: Callable[[], None], frame: Frame) -> None:
        """Run a loop until the next round would find no more than the last one did, or twice."""
        outer_left = frame.left
        for _ in range(2):
            before = frame.names
            frame.names, frame.left = dict(before), []
            one_round()
            frame.names = _merged([before, frame.names, *frame.left])
            if frame.names == before:
                break
        frame.left = outer_left

    def _try(self, node: ast.Try, frame: Frame) -> bool:
        before = dict(frame.names)
        ends = [frame.names] if self._run([*node.body, *node.orelse], frame) else []
        halfway = _merged([before, frame.names])
        for handler in node.handlers:
            frame.names = dict(halfway)
            if handler.type is not None:
                self.value(handler.type, frame)
            if handler.name:
                frame.names[handler.name] = OUTSIDE
            if self._run(handler.body, frame):
                ends.append(frame.names)
        frame.names = _merged(ends) if ends else halfway
        return self._run(node.finalbody, frame) and bool(ends)

    def _with(self, node: ast.With | ast.AsyncWith, frame: Frame) -> bool:
        enter = "__aenter__" if isinstance(node, ast.AsyncWith) else "__enter__"
        for one in node.items:
            manager = self.value(one.context_expr, frame)
            entered = union([containers.iterated(manager), self.ask_if_defined(manager, enter)])
            if one.optional_vars is not None:
                self.bind(one.optional_vars, entered, frame)
        return self._run(node.body, frame)

    def _match(self, node: ast.Match, frame: Frame) -> bool:
        subject = self.value(node.subject, frame)
        branches = []
        for case in node.cases:
            known = self._matched(case.pattern, subject, frame)
            if isinstance(node.subject, ast.Name) and isinstance(case.pattern, ast.MatchClass):
                known[node.subject.id] = self._instances_of(case.pattern.cls, frame)
            tests: list[ast.stmt] = [ast.Expr(case.guard)] if case.guard else []
            branches.append((known, [*tests, *case.body]))
        is_complete = any(isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None for case in node.cases)
        return self._branch(frame, *branches, *([] if is_complete else [({}, [])]))

    def _matched(self, pattern: ast.pattern, subject: Value, frame: Frame) -> dict[str, Value]:
        known: dict[str, Value] = {
            one.name: UNKNOWN for one in ast.walk(pattern) if isinstance(one, ast.MatchAs | ast.MatchStar) and one.name
        }
        if isinstance(pattern, ast.MatchAs) and pattern.name:
            inner = pattern.pattern
            if isinstance(inner, ast.MatchClass):
                known[pattern.name] = self._instances_of(inner.cls, frame)
            elif inner is None:
                known[pattern.name] = subject
        return known

    def _instances_of(self, cls: ast.expr, frame: Frame) -> Value:
        found = (instance(kind.cls, Origin.DECLARED) for kind in self.value(cls, frame) if isinstance(kind, ClassValue))
        return union(found)

    # Single statements

    def _assign(self, node: ast.Assign, frame: Frame) -> None:
        value = self.value(node.value, frame)
        for target in node.targets:
            self.bind(target, value, frame)

    def _assign_annotated(self, node: ast.AnnAssign, frame: Frame) -> None:
        declared = self.declared(node.annotation, frame)
        if "typing.TypeAlias" in outside_names(declared) and node.value is not None:
            self.bind(node.target, frozenset({TypeForm(self.declared(node.value, frame))}), frame)
            return
        value = UNKNOWN if node.value is None else self.value(node.value, frame)
        if frame.cls is not None and isinstance(node.target, ast.Name):
            self._declare_field(frame.cls, node.target.id, declared, value, frame)
        elif isinstance(node.target, ast.Attribute):
            if node.value is not None:
                self._store_declared(node.target, declared, value, frame)
            for owner in self.value(node.target.value, frame):
                if isinstance(owner, Instance):
                    self.record.add(Declaration(owner.cls, node.target.attr), _loose(declared, owner.cls))
        elif node.value is not None or isinstance(node.target, ast.Name):
            self.bind(node.target, value if ours(value) else declared, frame)

    def _declare_field(self, cls: Class, name: str, declared: Value, value: Value, frame: Frame) -> None:
        """Note an annotated attribute in a class body: what is given for it, if its ``__init__`` takes it."""
        frame.names[name] = value
        self.record.add(Declaration(cls, name), _loose(declared, cls))
        if name in cls.fields:
            passed = self.facts.read(Passed(cls, name), self.unit)
            concrete = _concrete(declared, passed)
            # A container that starts empty is filled while the program runs.
            is_given = bool(ours(passed)) or not _is_empty_container(value)
            self.record.add(Attribute(cls, name), self.kept(concrete, cls, is_own=True) if is_given else OUTSIDE)
        if ours(value):
            self.store(frozenset({ClassValue(cls)}), name, value)

    def _store_declared(self, target: ast.Attribute, declared: Value, value: Value, frame: Frame) -> None:
        """Store what is known best; a container that starts empty is filled while the program runs."""
        is_later = value == NONE or _is_empty_container(value)
        content = value if ours(value) else OUTSIDE if is_later else declared
        self.store(self.value(target.value, frame), target.attr, content)

    def _assign_augmented(self, node: ast.AugAssign, frame: Frame) -> None:
        value = self.value(node.value, frame)
        if isinstance(node.target, ast.Name):
            before = self.lookup(node.target.id, frame)
            self.bind(node.target, before if ours(before) or not ours(value) else value, frame)
        elif isinstance(node.target, ast.Attribute):
            owner = self.value(node.target.value, frame)
            self.objects.read(owner, node.target.attr, is_called=False)
            if ours(value):
                self.bind(node.target, value, frame)
        else:
            self.bind(node.target, value, frame)

    def _assert(self, node: ast.Assert, frame: Frame) -> None:
        self.value(node.test, frame)
        frame.names = frame.names | narrowing.if_true(node.test, lambda one: self.value(one, frame))

    def _return(self, node: ast.Return, frame: Frame) -> bool:
        frame.returned.append(self.value(node.value, frame))
        return False

    def _raise(self, node: ast.Raise, frame: Frame) -> bool:
        self.values_in(node, frame)
        return False

    def _leave(self, _: ast.Break | ast.Continue, frame: Frame) -> bool:
        frame.left.append(frame.names)
        return False

    def _share(self, node: ast.Global | ast.Nonlocal, frame: Frame) -> None:
        if isinstance(node, ast.Global):
            frame.shared.update(node.names)

    def _delete(self, node: ast.Delete, frame: Frame) -> None:
        for target in node.targets:
            if isinstance(target, ast.Attribute | ast.Subscript):
                self.value(target.value, frame)

    # What binds names: definitions, imports

    def _define_function(self, node: FunctionNode, frame: Frame) -> None:
        for one in node.decorator_list:
            self.value(one, frame)
        function = self._definitions.get(node)
        if isinstance(function, Function):
            frame.names[node.name] = frozenset({FunctionValue(function)})
        elif frame.outer is not None or self.unit.function is not None:
            self._define_nested(node, frame)

    def _define_class(self, node: ast.ClassDef, frame: Frame) -> None:
        cls = self._definitions.get(node)
        if not isinstance(cls, Class):
            frame.names[node.name] = UNKNOWN
            return
        bases = [self.value(one.value if isinstance(one, ast.Subscript) else one, frame) for one in node.bases]
        metaclass = [self.value(one.value, frame) for one in node.keywords if one.arg == "metaclass"]
        found = [one for base in bases for one in _classes_in(base) if one is not cls]
        cls.inherit(dict.fromkeys(found), sorted(_outside_bases(bases, metaclass)))
        decorators = [self.value(one.func if isinstance(one, ast.Call) else one, frame) for one in node.decorator_list]
        cls.is_record = _is_record(cls, decorators)
        cls.is_frozen = cls.is_record and _is_frozen(node)
        self.bind(ast.Name(node.name), frozenset({ClassValue(cls)}), frame)
        outer = frame if frame.cls is None else frame.outer
        self._run(node.body, Frame(self._type_parameters(node), outer, cls))

    def _import(self, node: ast.Import, frame: Frame) -> None:
        for alias in node.names:
            whole, first = alias.name, alias.name.partition(".")[0]
            self._bind_name(alias.asname or first, self._imported(whole if alias.asname else first), frame)

    def _imported(self, name: str) -> Value:
        module = self.modules.find(name, self.module)
        return frozenset({Outside(name) if module is None else ModuleValue(module)})

    def _import_from(self, node: ast.ImportFrom, frame: Frame) -> None:
        name = node.module or ""
        if node.level:
            module = self.modules.find_relative(node.level, name, self.module)
        else:
            module = self.modules.find(name, self.module)
        for alias in node.names:
            if alias.name == "*":
                self._import_all(module, frame)
            elif module is None:
                self._bind_name(alias.asname or alias.name, frozenset({Outside(f"{name}.{alias.name}")}), frame)
            else:
                self._bind_name(alias.asname or alias.name, self.objects.member(module, alias.name), frame)

    def _import_all(self, module: Module | None, frame: Frame) -> None:
        if module is not None:
            for name in self._public_names(module, seen=set()):
                frame.names[name] = self.objects.member(module, name)

    def _public_names(self, module: Module, seen: set[Module]) -> set[str]:
        seen.add(module)
        names: set[str] = set()
        for node in statements(module.tree.body):
            names |= _names_bound(node)
            if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
                source = self._source_of(node, module)
                if source is not None and source not in seen:
                    names |= self._public_names(source, seen)
        return {name for name in names if not name.startswith("_")}

    def _source_of(self, node: ast.ImportFrom, importer: Module) -> Module | None:
        if node.level:
            return self.modules.find_relative(node.level, node.module or "", importer)
        return self.modules.find(node.module or "", importer)

    def _alias(self, node: ast.stmt, frame: Frame) -> None:
        """Define `type Name = …`, which is syntax since Python 3.12."""
        name, value = getattr(node, "name", None), getattr(node, "value", None)
        if isinstance(name, ast.Name) and isinstance(value, ast.expr):
            frame.names[name.id] = frozenset({TypeForm(self.declared(value, frame))})

    _RUN: ClassVar[Mapping[type[ast.stmt], Callable[..., bool | None]]] = {
        ast.If: _if,
        ast.For: _for,
        ast.AsyncFor: _for,
        ast.While: _while,
        ast.Try: _try,
        ast.TryStar: _try,
        ast.With: _with,
        ast.AsyncWith: _with,
        ast.Match: _match,
        ast.Assign: _assign,
        ast.AnnAssign: _assign_annotated,
        ast.AugAssign: _assign_augmented,
        ast.Assert: _assert,
        ast.Return: _return,
        ast.Raise: _raise,
        ast.Break: _leave,
        ast.Continue: _leave,
        ast.Global: _share,
        ast.Nonlocal: _share,
        ast.Delete: _delete,
        ast.FunctionDef: _define_function,
        ast.AsyncFunctionDef: _define_function,
        ast.ClassDef: _define_class,
        ast.Import: _import,
        ast.ImportFrom: _import_from,
        **({ast.TypeAlias: _alias} if hasattr(ast, "TypeAlias") else {}),
    }


def _parameters(function: Function) -> list[tuple[ast.arg, ast.expr | None]]:
    """Return the parameters of *function*, each with its default."""
    arguments = function.node.args
    positional = function.parameters
    defaults = [*([None] * (len(positional) - len(arguments.defaults))), *arguments.defaults]
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return [*zip(positional, defaults[-len(positional) :] if positional else [], strict=True), *named]


def _bind_collectors(node: FunctionNode, frame: Frame, declared: Callable[[ast.expr | None], Value]) -> None:
    if node.args.vararg:
        frame.names[node.args.vararg.arg] = many(declared(node.args.vararg.annotation))
    if node.args.kwarg:
        frame.names[node.args.kwarg.arg] = many(declared(node.args.kwarg.annotation), keys=OUTSIDE)


def _concrete(declared: Value, passed: Value) -> Value:
    """Return what a parameter stands for: what is passed if that is of one class and fits, else what is declared.

    Of two classes, which one a certain object got is not known; and what goes into a generic container comes
    out at other places. Then only the declaration holds.
    """
    classes = ours(passed)
    if len(classes) != 1 or not TYPE_VARIABLE.isdisjoint(leaves(declared)):
        return _kept_where(declared, passed)
    return passed if annotations.is_bare(declared) or _fits(passed, declared) else declared


def _kept_where(declared: Value, passed: Value) -> Value:
    """Return what is *declared*, with the holders of those objects among what is *passed* that may be meant.

    Where nothing is declared and all objects are kept ones, each may be meant.
    """
    kept = [one for one in passed if isinstance(one, Instance) and one.holder is not None]
    if annotations.is_bare(declared) and passed - NONE == frozenset(kept):
        return passed
    held = frozenset(
        Instance(kind.cls, kind.origin, one.holder)
        for kind in declared
        if isinstance(kind, Instance)
        for one in kept
        if one.cls.inherits(kind.cls)
    )
    return declared | held


def _fits(value: Value, declared: Value) -> bool:
    """Tell whether *value* is a more exact form of what is *declared*."""
    if any(isinstance(kind, Maker) for kind in declared):
        return not any(isinstance(kind, Instance) for kind in value)
    wanted = {cls for cls in ours(declared) if isinstance(cls, Class)}
    found = {cls for cls in ours(value) if isinstance(cls, Class)}
    if not wanted:
        names = {kind.name for kind in leaves(declared) if isinstance(kind, Outside)}
        return annotations.is_bare(declared) or all(not names.isdisjoint(one.outside_bases) for one in found)
    is_protocol = any("Protocol" in name for cls in wanted for name in cls.outside)
    return is_protocol or all(any(one.inherits(cls) for cls in wanted) for one in found)


def _loose(value: Value, holder: Class) -> Value:
    return changed(value, lambda one: Instance(one.cls, Origin.LOOSE, holder))


def _is_empty_container(value: Value) -> bool:
    return bool(value) and not ours(value) and value != NONE and any(not isinstance(kind, Outside) for kind in value)


def _merged(ends: list[dict[str, Value]]) -> dict[str, Value]:
    merged = ends[0]
    for end in ends[1:]:
        merged = dict(merged)
        for name, value in end.items():
            known = merged.get(name, value)
            merged[name] = value if known is value else union([known, value])
    return merged


def _classes_in(value: Value) -> list[Class]:
    """Return the classes in *value*, in an order that does not depend on where they lie in memory."""
    classes = [kind.cls for kind in value if isinstance(kind, ClassValue)]
    return sorted(classes, key=lambda cls: (cls.module.name, cls.module.root, cls.node.lineno))


def _outside_bases(bases: list[Value], metaclasses: list[Value]) -> set[str]:
    names = {name for base in bases for name in outside_names(base)}
    if any(not base for base in bases):
        names.add("?")
    if any("abc.ABCMeta" in outside_names(one) for one in metaclasses):
        names.add("abc.ABC")
    return names - {"builtins.object"}


def _is_record(cls: Class, decorators: list[Value]) -> bool:
    names = {name for one in decorators for name in outside_names(one)}
    short = {name.rpartition(".")[2] for name in names}
    by_decorator = bool((names | short) & _RECORD_DECORATORS)
    return by_decorator or any(name.rpartition(".")[2] in _RECORD_BASES for name in cls.outside_bases)


def _is_frozen(node: ast.ClassDef) -> bool:
    return any(
        "frozen" in decorator_names(node)
        or (isinstance(one, ast.Call) and any(key.arg == "frozen" and _is_true(key.value) for key in one.keywords))
        for one in node.decorator_list
    )


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _names_bound(node: ast.stmt) -> set[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {node.name}
        case ast.Import() | ast.ImportFrom():
            return {alias.asname or alias.name.partition(".")[0] for alias in node.names if alias.name != "*"}
        case ast.Assign() | ast.AnnAssign():
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            return {target.id for target in targets if isinstance(target, ast.Name)}
        case _:
            return set()
