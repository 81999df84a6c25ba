"""What running a module's top level does: which names it binds, and what else.

A statement is **plain** if all that it can do is to bind its names: it calls nothing that could do more, and
can't fail where it stands. Its names are then units of their own: who reads none of them is not concerned by
it. Every other statement is an **effect**, and the effects of a module, in their order, concern everybody who
imports it. The rule is the narrow one: what is not known to be plain is an effect.

The members of a plain class are told apart likewise, as `Class.member`, unless something may look at the
class as a whole when it is made, a decorator or a metaclass.
"""

import ast
import builtins
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from wiremap.source.lasting_state import Function


@dataclass(frozen=True, slots=True)
class Name:
    """What one name is bound to.

    Attributes:
        fingerprint: Digest of the statements that bind it, without the bodies of functions.
        reads: Identifiers that these statements read.
        imported: The module and the name in it for each import among them; the name is empty for a module.
        line: Where it is first bound, 1-based.
    """

    fingerprint: str
    reads: frozenset[str]
    imported: tuple[tuple[str, str], ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class ModuleNames:
    """The top level of one module.

    Attributes:
        effects: Digest of the effects in their order, the modules that it imports included.
        effect_reads: Identifiers that the effects read.
        names: The names that plain statements bind; members as `Class.member`.
        stars: Modules of which it imports everything.
        answers: Whether it has a `__getattr__`, which answers for names that are not bound.
    """

    effects: str = ""
    effect_reads: frozenset[str] = frozenset()
    names: Mapping[str, Name] = field(default_factory=dict)
    stars: frozenset[str] = frozenset()
    answers: bool = False


def module_names(tree: ast.Module) -> ModuleNames:
    """Return what the top level of *tree* does; the bodies of its functions must have been cut out of it."""
    reader = _ModuleReader()
    reader.read(tree.body)
    return reader.result()


def identifiers(tree: ast.AST) -> frozenset[str]:
    """Return every identifier by which *tree* may reach something: names, attributes, imports, parts of strings."""
    return frozenset(_identifiers(tree))


# What is known not to do more than it says

_PLAIN_DECORATORS: Final = frozenset(
    {
        "property", "staticmethod", "classmethod",
        "abc.abstractmethod", "contextlib.contextmanager", "contextlib.asynccontextmanager",
        "functools.cache", "functools.lru_cache", "functools.cached_property",
        "typing.final", "typing.no_type_check", "typing.overload", "typing.override",
    }
)  # fmt: skip
_WHOLE_CLASS_DECORATORS: Final = frozenset({"dataclasses.dataclass", "enum.unique", "typing.runtime_checkable"})
_PLAIN_BASES: Final = frozenset({"object", "typing.Generic", "unittest.TestCase"}) | {
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
}
_WHOLE_CLASS_BASES: Final = frozenset(
    {
        "abc.ABC", "enum.Enum", "enum.Flag", "enum.IntEnum", "enum.IntFlag", "enum.StrEnum",
        "typing.NamedTuple", "typing.Protocol", "typing.TypedDict",
    }
)  # fmt: skip
_PLAIN_CALLS: Final = frozenset(
    {"enum.auto", "logging.getLogger", "object", "typing.NewType", "typing.ParamSpec", "typing.TypeVar"}
)
_GENERICS: Final = frozenset({"dict", "frozenset", "list", "set", "tuple", "type"})
_TYPING: Final = ("typing.", "collections.abc.")

# Names that pytest, unittest or Python itself look up in a module or a class, whoever else reads them.
_LOOKED_UP: Final = re.compile(
    r"pytest_\w*|pytestmark|(a?setup|teardown|tear_down|setUp|tearDown|asyncSetUp|asyncTearDown|addCleanup)\w*"
    r"|load_tests|collect_ignore\w*|__(?!doc__|all__|version__|author__|slots__)\w+__"
)
_ANNOTATED: Final = "__annotations__"
_ARITHMETIC: Final = (ast.Add, ast.Sub, ast.Mult)


@dataclass(slots=True)
class _Scope:
    """What is surely bound at this point, and where imported names come from.

    Attributes:
        bound: Names that a plain statement has bound.
        uncertain: Names that an effect may have bound, to whatever.
        origins: For those that were imported from the standard library: the dotted name there.
        classes: For plain classes: whether classes that derive from them must be seen as a whole.
        outer: The scope around a class.
    """

    bound: set[str] = field(default_factory=set)
    uncertain: set[str] = field(default_factory=set)
    origins: dict[str, str] = field(default_factory=dict)
    classes: dict[str, bool] = field(default_factory=dict)
    outer: "_Scope | None" = None

    def knows(self, name: str) -> bool:
        """Tell whether reading *name* here surely gives a value."""
        if name in self.bound:
            return True
        if name in self.uncertain:
            return False
        return self.outer.knows(name) if self.outer else hasattr(builtins, name)

    def origin(self, name: str) -> str:
        """Return the dotted name in the standard library that *name* stands for, or nothing where that is not known."""
        if name in self.bound or name in self.uncertain:
            return self.origins.get(name, "")
        if self.outer is not None:
            return self.outer.origin(name)
        return name if hasattr(builtins, name) else ""

    def bind(self, name: str, origin: str = "") -> None:
        """Note that a plain statement bound *name*, to the thing of that dotted name if one is given."""
        self.lose(name)
        self.uncertain.discard(name)
        self.bound.add(name)
        if origin:
            self.origins[name] = origin

    def lose(self, name: str) -> None:
        """Note that *name* may be bound to anything now, or to nothing."""
        self.bound.discard(name)
        self.uncertain.add(name)
        self.origins.pop(name, None)
        self.classes.pop(name, None)


class _ModuleReader:
    """Reads the statements of a module in their order."""

    def __init__(self) -> None:
        self._scope = _Scope()
        self._effects: list[str] = []
        self._effect_reads: set[str] = set()
        self._parts: dict[str, list[str]] = {}
        self._reads: dict[str, set[str]] = {}
        self._imported: dict[str, list[tuple[str, str]]] = {}
        self._lines: dict[str, int] = {}
        self._stars: set[str] = set()
        self._modules: set[str] = set()
        self._lazy_annotations = False

    def result(self) -> ModuleNames:
        names = {
            name: Name(
                _digest("\n".join(parts)),
                frozenset(self._reads[name]),
                tuple(self._imported.get(name, ())),
                self._lines[name],
            )
            for name, parts in self._parts.items()
        }
        return ModuleNames(
            effects=_digest("\n".join(self._effects)),
            effect_reads=frozenset(self._effect_reads),
            names=names,
            stars=frozenset(self._stars),
            answers="__getattr__" in names or "__getattr__" in self._effect_reads,
        )

    def read(self, body: list[ast.stmt]) -> None:
        for number, statement in enumerate(body):
            if number == 0 and _is_docstring(statement):
                self._bind("__doc__", statement, ast.dump(statement))
            else:
                self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Pass() | ast.Expr(ast.Constant()):
                return
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case ast.If() if self._is_type_checking(node.test):
                self.read(node.orelse)
            case ast.FunctionDef() | ast.AsyncFunctionDef() if self._is_plain_function(node, self._scope):
                self._bind(node.name, node, ast.dump(node))
            case ast.ClassDef() if (members := self._members_of_plain_class(node)) is not None:
                self._class(node, members)
            case ast.AnnAssign(target=ast.Name(), value=None) if self._is_plain_annotation(
                node.annotation, self._scope, node
            ):
                self._note(_ANNOTATED, node, ast.dump(node), identifiers(node))
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() if names := self._plainly_assigned(node, self._scope):
                for name in names:
                    self._bind(name, node, ast.dump(node))
            case _:
                self._effect(node)

    def _effect(self, node: ast.stmt) -> None:
        self._effects.append(ast.dump(node))
        self._effect_reads |= identifiers(node)
        for name in _names_bound(node):
            self._scope.lose(name)
        for name in _surely_bound(node):
            self._scope.bind(name)

    def _bind(self, name: str, node: ast.stmt, text: str, reads: Iterable[str] | None = None) -> None:
        if _LOOKED_UP.fullmatch(name):
            self._effect(node)
            return
        self._note(name, node, text, identifiers(node) if reads is None else reads)
        self._scope.bind(name)

    def _note(self, name: str, node: ast.stmt, text: str, reads: Iterable[str]) -> None:
        self._parts.setdefault(name, []).append(text)
        self._reads.setdefault(name, set()).update(reads)
        self._lines.setdefault(name, node.lineno)

    # Imports

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                self._import_name(node, name, alias.name, "", alias.name if alias.asname else name)
            return
        module = "." * node.level + (node.module or "")
        if module == "__future__":
            self._effect(node)
            self._lazy_annotations |= any(alias.name == "annotations" for alias in node.names)
            return
        for alias in node.names:
            if alias.name == "*":
                self._stars.add(module)
                self._effect(node)
            else:
                self._import_name(node, alias.asname or alias.name, module, alias.name, f"{module}.{alias.name}")

    def _import_name(self, node: ast.stmt, name: str, module: str, imported: str, origin: str) -> None:
        is_standard = module.partition(".")[0] in sys.stdlib_module_names
        if not is_standard and module not in self._modules:
            self._modules.add(module)
            self._effects.append(f"import {module}")
        parts = {name, imported, *module.split(".")} - {""}
        self._bind(name, node, f"{module}:{imported} as {name}", parts)
        if name in self._scope.bound:
            self._imported.setdefault(name, []).append((module, imported))
            if is_standard:
                self._scope.bind(name, origin)

    def _is_type_checking(self, test: ast.expr) -> bool:
        return self._origin(test, self._scope) == "typing.TYPE_CHECKING"

    # Functions

    def _is_plain_function(self, node: Function, scope: _Scope) -> bool:
        arguments = node.args
        defaults = [*arguments.defaults, *(one for one in arguments.kw_defaults if one is not None)]
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        annotations = [one.annotation for one in every if one is not None] + [node.returns]
        return (
            all(self._is_plain_decorator(one, scope, _PLAIN_DECORATORS) for one in node.decorator_list)
            and all(self._is_plain(one, scope) for one in defaults)
            and all(one is None or self._is_plain_annotation(one, scope, node) for one in annotations)
        )

    def _is_plain_decorator(self, node: ast.expr, scope: _Scope, known: frozenset[str]) -> bool:
        called = node.func if isinstance(node, ast.Call) else node
        if isinstance(node, ast.Call):
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            if not all(self._is_plain(one, scope) for one in arguments):
                return False
        dotted = ast.unparse(called)
        if dotted.startswith("pytest.mark.") and ("pytest", "") in self._imported.get("pytest", ()):
            return True  # a mark is noted on the function; who it marks is known by its own unit
        if isinstance(called, ast.Attribute) and called.attr in ("setter", "getter", "deleter"):
            return isinstance(called.value, ast.Name) and called.value.id in scope.bound
        return self._origin(called, scope) in known

    def _is_plain_annotation(self, node: ast.expr, scope: _Scope, owner: ast.AST) -> bool:
        if self._lazy_annotations or (getattr(owner, "type_params", None) and sys.version_info >= (3, 14)):
            return True
        match node:
            case ast.Constant():
                return node.value is None or isinstance(node.value, str)
            case ast.Name():
                return scope.knows(node.id)
            case ast.Attribute():
                return self._origin(node, scope).startswith(_TYPING)
            case ast.Tuple():
                return all(self._is_plain_annotation(one, scope, owner) for one in node.elts)
            case ast.Subscript():
                generic = self._origin(node.value, scope)
                parts = node.slice.elts if isinstance(node.slice, ast.Tuple | ast.List) else [node.slice]
                flat = [one for part in parts for one in (part.elts if isinstance(part, ast.List) else [part])]
                return (generic in _GENERICS or generic.startswith(_TYPING)) and all(
                    (isinstance(one, ast.Constant) and one.value is ...) or self._is_plain_annotation(one, scope, owner)
                    for one in flat
                )
            case ast.BinOp(op=ast.BitOr()):
                sides = (node.left, node.right)
                return all(self._is_plain_annotation(one, scope, owner) for one in sides) and not any(
                    isinstance(one, ast.Constant) and isinstance(one.value, str) for one in sides
                )
            case _:
                return False

    # Classes

    def _members_of_plain_class(self, node: ast.ClassDef) -> "_Members | None":
        """Return the members of a class that does nothing else when it is made, or None if it may."""
        is_whole = False
        for decorator in node.decorator_list:
            if self._is_plain_decorator(decorator, self._scope, _WHOLE_CLASS_DECORATORS):
                is_whole = True
            elif not self._is_plain_decorator(decorator, self._scope, frozenset({"typing.final"})):
                return None
        for base in node.bases:
            kind = self._kind_of_base(base)
            if kind is None:
                return None
            is_whole |= kind
        if node.keywords or getattr(node, "type_params", None):
            return None
        scope = _Scope(outer=self._scope)
        members = _Members(is_whole=is_whole)
        for number, statement in enumerate(node.body):
            name = "__doc__" if number == 0 and _is_docstring(statement) else ""
            names = [name] if name else self._member_names(statement, scope)
            if names is None:
                return None
            for name in names:
                members.statements.setdefault(name, []).append(statement)
                if name != _ANNOTATED:
                    scope.bind(name)
        return members

    def _kind_of_base(self, base: ast.expr) -> bool | None:
        """Return whether a class with that base must be seen as a whole, or None where that is not known."""
        if isinstance(base, ast.Subscript):
            if not self._is_plain_annotation(base.slice, self._scope, base):
                return None
            base = base.value
        if isinstance(base, ast.Name) and base.id in self._scope.bound and base.id in self._scope.classes:
            return self._scope.classes[base.id]
        origin = self._origin(base, self._scope)
        if origin in _PLAIN_BASES:
            return False
        return True if origin in _WHOLE_CLASS_BASES else None

    def _member_names(self, node: ast.stmt, scope: _Scope) -> list[str] | None:
        match node:
            case ast.Pass() | ast.Expr(ast.Constant()):
                return []
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return [node.name] if self._is_plain_function(node, scope) else None
            case ast.AnnAssign(target=ast.Name(), value=None):
                return [_ANNOTATED] if self._is_plain_annotation(node.annotation, scope, node) else None
            case ast.Assign() | ast.AnnAssign():
                return self._plainly_assigned(node, scope) or None
            case _:
                return None

    def _class(self, node: ast.ClassDef, members: "_Members") -> None:
        if _LOOKED_UP.fullmatch(node.name):
            self._effect(node)
            return
        hooks = {"__init_subclass__", "__set_name__", "__class_getitem__", "__mro_entries__"}
        if members.is_whole:
            self._bind(node.name, node, ast.dump(node))
            # A class that derives from it is made by the same hooks.
            is_made_by_abc = not hooks.intersection(members.statements)
            if is_made_by_abc:
                self._scope.classes[node.name] = True
            return
        header = [ast.dump(part) for part in (*node.decorator_list, *node.bases)]
        implicit = [one for name, same in members.statements.items() if _is_implicit(name) for one in same]
        text = "\n".join(["class", *header, *(ast.dump(one) for one in implicit)])
        reads = {name for part in (*node.decorator_list, *node.bases, *implicit) for name in identifiers(part)}
        self._bind(node.name, node, text, reads)
        for name, statements in members.statements.items():
            if not _is_implicit(name):
                for one in statements:
                    self._note(f"{node.name}.{name}", one, ast.dump(one), identifiers(one))
        if not hooks.intersection(members.statements):
            self._scope.classes[node.name] = False

    # Expressions

    def _plainly_assigned(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, scope: _Scope) -> list[str]:
        """Return the names that the statement binds, or nothing if it may do more."""
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if len(names) != len(targets) or (node.value is not None and not self._is_plain(node.value, scope)):
            return []
        if isinstance(node, ast.AugAssign):
            return []  # it calls the operator of whatever the name is bound to
        if isinstance(node, ast.AnnAssign):
            if not self._is_plain_annotation(node.annotation, scope, node):
                return []
            return names if node.value is not None else []
        return names

    def _is_plain(self, node: ast.expr, scope: _Scope) -> bool:
        """Tell whether evaluating the expression surely does no more than to give a value."""
        match node:
            case ast.Constant():
                return True
            case ast.Name():
                return scope.knows(node.id)
            case ast.Tuple() | ast.List():
                return all(self._is_plain(one, scope) for one in node.elts)
            case ast.Set():
                return all(isinstance(one, ast.Constant) for one in node.elts)
            case ast.Dict():
                return all(isinstance(key, ast.Constant) for key in node.keys) and all(
                    self._is_plain(value, scope) for value in node.values
                )
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                return _is_number(node.operand)
            case ast.BinOp():
                return _is_number(node)
            case ast.Lambda():
                arguments = node.args
                return all(self._is_plain(one, scope) for one in (*arguments.defaults, *arguments.kw_defaults) if one)
            case ast.Call():
                return self._is_plain_call(node, scope)
            case _:
                return False

    def _is_plain_call(self, node: ast.Call, scope: _Scope) -> bool:
        origin = self._origin(node.func, scope)
        if origin in _PLAIN_CALLS:
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            return all(keyword.arg for keyword in node.keywords) and all(
                self._is_plain(one, scope) for one in arguments
            )
        if node.keywords:
            return False
        if origin == "re.compile":
            return len(node.args) == 1 and _is_pattern(node.args[0])
        if origin in ("dict", "frozenset", "list", "set", "tuple"):
            return not node.args or (len(node.args) == 1 and self._is_plain_display(node.args[0], origin))
        return False

    def _is_plain_display(self, node: ast.expr, origin: str) -> bool:
        if isinstance(node, ast.Dict):
            return origin == "dict" and all(isinstance(one, ast.Constant) for one in (*node.keys, *node.values))
        return (
            origin != "dict"
            and isinstance(node, ast.Tuple | ast.List | ast.Set)
            and all(isinstance(one, ast.Constant) for one in node.elts)
        )

    def _origin(self, node: ast.expr, scope: _Scope) -> str:
        """Return the dotted name in the standard library that *node* stands for, or nothing."""
        if isinstance(node, ast.Name):
            return scope.origin(node.id)
        if isinstance(node, ast.Attribute) and (base := self._origin(node.value, scope)):
            return f"{base}.{node.attr}"
        return ""


@dataclass(slots=True)
class _Members:
    """The members of a class, each with the statements that bind it."""

    is_whole: bool
    statements: dict[str, list[ast.stmt]] = field(default_factory=dict)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_implicit(name: str) -> bool:
    """Tell whether something else than an attribute of that name may look the member up."""
    return name.startswith("__") or bool(_LOOKED_UP.fullmatch(name))


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.Constant():
            return type(node.value) in (int, float)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            return _is_number(node.operand)
        case ast.BinOp():
            return isinstance(node.op, _ARITHMETIC) and _is_number(node.left) and _is_number(node.right)
        case _:
            return False


def _is_pattern(node: ast.expr) -> bool:
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)):
        return False
    try:
        re.compile(node.value)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _names_bound(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
            yield inner.id
        elif isinstance(inner, Function | ast.ClassDef):
            yield inner.name
        elif isinstance(inner, ast.alias):
            yield inner.asname or inner.name.partition(".")[0]


def _surely_bound(node: ast.AST) -> set[str]:
    """Return names that the statement has bound whichever way it went, if it ended without an exception."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {node.name}
        case ast.Import() | ast.ImportFrom():
            return {alias.asname or alias.name.partition(".")[0] for alias in node.names} - {"*"}
        case ast.Assign(targets=targets):
            return {target.id for target in targets if isinstance(target, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return {name}
        case ast.If():
            return _bound_in_all([node.body, node.orelse])
        case ast.Try() if not node.finalbody:
            return _bound_in_all([[*node.body, *node.orelse], *(handler.body for handler in node.handlers)])
        case ast.With():
            return set()  # it may swallow an exception
        case _:
            return set()


def _bound_in_all(blocks: list[list[ast.stmt]]) -> set[str]:
    bound = [{name for statement in block for name in _surely_bound(statement)} for block in blocks]
    return set.intersection(*bound)


_WORD: Final = re.compile(r"[^\W\d]\w*")
_LONGEST_TEXT: Final = 1000


def _identifiers(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield from node.name.split(".")
            if node.asname:
                yield node.asname
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from node.module.split(".")
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.MatchClass):
            yield from node.kwd_attrs
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _WORD.findall(node.value)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
