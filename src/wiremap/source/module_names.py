"""What running a module's top level does: which names it binds, and what else.

A statement is **plain** if all that it can do is to bind its names: it calls nothing that could do more, and
can't fail where it stands. Its names are then units of their own: who reads none of them is not concerned by
it. Every other statement is an **effect**, and the effects of a module, in their order, concern everybody who
imports it. The rule is the narrow one: what is not known to be plain is an effect.

The members of a plain class are told apart likewise, as `Class.member`, unless something looks at the class as
a whole when it is made, a decorator or a metaclass.
"""

import ast
import hashlib
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from wiremap.source.annotations import Annotations, find
from wiremap.source.identifiers import Keeping, handed, held, identifiers, identifiers_below
from wiremap.source.plain_classes import ANNOTATIONS, PlainClass, is_docstring, plain_class
from wiremap.source.plain_code import sort_of, sort_of_function, table_rests_on
from wiremap.source.scope import Bound, Kind, Scope, Sort, standard
from wiremap.source.tree import dump, walk


@dataclass(frozen=True, slots=True)
class Name:
    """What one name is bound to.

    Attributes:
        fingerprint: Digest of the statements that bind it, without the bodies of functions.
        places: For each of these, how many effects come before it.
        reads: Identifiers that these statements read; what they bind is none of them.
        rests_on: Parts of annotations, whose names must stay types if the statements are not to fail.
        imported: The module and the name in it for each import among them; the name is empty for a module.
        kind: How the class is made, if it is bound to one and to nothing else.
        bases: What decides that, as written, if the class derives from some that are not known in the module.
        header: What of a class decides whether others can derive from it.
        line: Where it is first bound, 1-based.
    """

    fingerprint: str
    places: tuple[int, ...] = ()
    reads: frozenset[str] = frozenset()
    rests_on: frozenset[str] = frozenset()
    imported: tuple[tuple[str, str], ...] = ()
    kind: Kind = ""
    bases: tuple[str, ...] = ()
    header: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class ModuleNames:
    """The top level of one module.

    Attributes:
        fingerprint: Digest of all of it.
        effects: Digest of the effects in their order, the modules that it imports included.
        effect_reads: Identifiers that the effects read.
        effect_hands: Those of them that are more than called or asked for an attribute: whoever gets a class so may
            look at all of its members.
        held: For names that effects bind to lists, dictionaries and the like, the names that stand in these.
        unsure: Names that an effect may bind or unbind.
        names: The names that plain statements bind; members as `Class.member`.
        stars: Modules of which it imports everything.
        aliases: The dotted name behind each name that it imports.
    """

    fingerprint: str = ""
    effects: str = ""
    effect_reads: frozenset[str] = frozenset()
    effect_hands: frozenset[str] = frozenset()
    held: Mapping[str, frozenset[str]] = field(default_factory=dict)
    unsure: frozenset[str] = frozenset()
    names: Mapping[str, Name] = field(default_factory=dict)
    stars: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)


def module_names(tree: ast.Module) -> ModuleNames:
    """Return what the top level of *tree* does; of its functions' bodies nothing but docstrings must be left in it."""
    reader = _ModuleReader()
    reader.read(tree.body)
    return reader.result(digest(dump(tree)), imported_names(tree))


def imported_names(tree: ast.AST) -> dict[str, str]:
    """Return, for each name that an import statement below *tree* binds, the dotted name of what it is."""
    found: dict[str, str] = {}
    for node in walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                found[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            separator = "" if base.endswith(".") else "."
            found |= {alias.asname or alias.name: f"{base}{separator}{alias.name}" for alias in node.names}
    return found


# Names that pytest, unittest or Python itself look up in a module or a class, whoever else reads them.
_LOOKED_UP: Final = re.compile(
    r"pytest_\w*|pytestmark|collect_ignore\w*|load_tests"
    r"|(a?setup|teardown|tear_down|setUp|tearDown|asyncSetUp|asyncTearDown|addCleanup)\w*"
    r"|__(?!doc__|all__|version__|author__)\w+__"
)
# These keep what they are given. Of a class they ask its name, to make an id of it.
_KEEPING: Final[Mapping[str, Keeping]] = {
    "pytest.fixture": "decorator", "pytest.mark.parametrize": "decorator", "pytest.param": "argument",
}  # fmt: skip
# What may bind names that stand nowhere.
_CLOUDS: Final = frozenset({"__dict__", "eval", "exec", "globals", "locals", "vars"})


@dataclass(slots=True)
class _Notes:
    """What was noted of one name so far."""

    parts: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)
    rests_on: set[str] = field(default_factory=set)
    imported: list[tuple[str, str]] = field(default_factory=list)
    classes: list[tuple[Kind, tuple[str, ...], str]] = field(default_factory=list)
    line: int = 0

    def frozen(self) -> Name:
        return Name(
            digest("\n".join(self.parts)),
            tuple(self.places),
            frozenset(self.reads),
            frozenset(self.rests_on),
            tuple(self.imported),
            *(self.classes[0] if len(self.classes) == len(self.parts) == 1 else ("", (), "")),
            self.line,
        )


class _ModuleReader:
    """Reads the statements of a module in their order."""

    def __init__(self) -> None:
        self._scope = Scope()
        self._annotations = Annotations(self._scope)
        self._effects: list[str] = []
        self._effect_reads: set[str] = set()
        self._effect_hands: set[str] = set()
        self._held: dict[str, frozenset[str]] = {}
        self._unsure: set[str] = set()
        self._names: dict[str, _Notes] = {}
        self._stars: set[str] = set()
        self._modules: set[str] = set()
        self._has_pytest = False

    def result(self, fingerprint: str, aliases: Mapping[str, str]) -> ModuleNames:
        return ModuleNames(
            fingerprint=fingerprint,
            effects=digest("\n".join(self._effects)),
            effect_reads=frozenset(self._effect_reads),
            effect_hands=frozenset(self._effect_hands),
            held=self._held,
            unsure=frozenset(self._unsure),
            names={name: notes.frozen() for name, notes in self._names.items()},
            stars=frozenset(self._stars),
            aliases=aliases,
        )

    def read(self, body: list[ast.stmt]) -> None:
        for number, statement in enumerate(body):
            if number == 0 and is_docstring(statement):
                self._bind("__doc__", statement, "value")
            else:
                self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        self._annotations.rests_on = set()
        match node:
            case ast.Pass() | ast.Expr(ast.Constant()):
                return
            case ast.Import():
                self._import(node)
            case ast.ImportFrom():
                self._import_from(node)
            case ast.If() if self._is_type_checking(node.test):
                self.read(node.orelse)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._bind(node.name, node, sort_of_function(node, self._annotations, has_pytest=self._has_pytest))
            case ast.ClassDef():
                self._class(node)
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                self._annotated(name, value, node)
            case ast.Assign():
                self._assigned(node)
            case _:
                self._effect(node)

    def _assigned(self, node: ast.Assign) -> None:
        """Read `a = b = 1` or `a, b = 1, 2`."""
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                fits = len(targets) == len(values) and all(self._sort_of(value) is not None for value in values)
                sort: Sort | None = "" if fits else None
            case ast.Assign(targets=targets, value=value):
                sort = self._sort_of(value)
        names = [one.id for one in targets if isinstance(one, ast.Name)]
        is_plain = len(names) == len(targets) and not any(map(_LOOKED_UP.fullmatch, names))
        self._bind_all(names, node, sort if is_plain else None)

    def _sort_of(self, value: ast.expr) -> Sort | None:
        sort = sort_of(value, self._scope)
        if sort is None:
            at_once = Annotations(self._scope)
            if at_once.is_alias(value):
                self._annotations.rests_on |= at_once.rests_on
                return "class"
            rests_on = table_rests_on(value, self._scope)
            if rests_on is not None:
                self._annotations.rests_on |= rests_on
                return "value"
        return sort

    def _bind_all(self, names: list[str], node: ast.stmt, sort: Sort | None) -> None:
        if sort is None or ("__all__" in names and not _is_list_of_texts(node)):
            self._effect(node)
            return
        text = self._told(node, identifiers(node))
        for name in names:
            self._note(name, text, _reads(node), node.lineno)
            self._scope.bind(name, Bound(sort))

    def _bind(self, name: str, node: ast.stmt, sort: Sort | None) -> None:
        self._bind_all([name], node, None if _LOOKED_UP.fullmatch(name) else sort)

    def _annotated(self, name: str, value: ast.expr | None, node: ast.AnnAssign) -> None:
        sort: Sort | None = "value" if value is None else self._sort_of(value)
        if sort is None or _LOOKED_UP.fullmatch(name) or not self._annotations.are_plain([node.annotation]):
            self._effect(node)
            return
        text = f"{name}: {dump(node.annotation)}"
        self._note(ANNOTATIONS, text, identifiers(node.annotation) | {name}, node.lineno)
        if value is not None:
            self._bind_all([name], node, sort)

    def _note(self, name: str, text: str, reads: Iterable[str], line: int) -> _Notes:
        notes = self._names.setdefault(name, _Notes(line=line))
        notes.parts.append(text)
        notes.places.append(len(self._effects))
        notes.reads.update(reads)
        notes.rests_on |= self._annotations.rests_on
        return notes

    def _told(self, node: ast.AST, reads: Iterable[str], inside: Mapping[str, int] | None = None) -> str:
        """Return the text of a statement, and which of several bindings of a name it reads."""
        told = [dump(node)]
        for name in sorted(reads):
            if name in self._names:
                told.append(f"{name} {len(self._names[name].parts)}")
            if inside and name in inside:
                told.append(f".{name} {inside[name]}")
        return "\n".join(told)

    def _effect(self, node: ast.stmt) -> None:
        reads = identifiers(node)
        self._effects.append(dump(node))
        self._effect_reads |= reads
        if not self._is_table(node):
            keeps = self._keeps if self._is_as_imported(node) else _keeps_nothing
            self._effect_hands.update(handed(node, keeps))
        stars = set(_stars_in(node))
        if stars:
            self._stars |= stars
            self._unsure |= self._names.keys()  # each may be another's now
        if stars or not _CLOUDS.isdisjoint(reads):
            self._scope.is_clouded = True
        for name in reads & self._scope.bound.keys():
            self._scope.bind(name, replace(self._scope.bound[name], members={}))  # it may set or delete attributes
        for name in _names_bound(node):
            self._unsure.add(name)
            self._scope.lose(name)
        for name in _surely_bound(node) - _names_deleted(node):
            self._scope.bind(name, Bound())

    def _is_table(self, node: ast.stmt) -> bool:
        """Note what a name holds that is bound to brackets or braces of names; tell whether the effect is that.

        Making them asks for hashes at most: no member of a class is looked at until somebody does so by that name.
        """
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                annotations = []
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value, annotation=annotation):
                annotations = [annotation]
            case _:
                return False
        names = held(value) if isinstance(value, ast.Dict | ast.List | ast.Set | ast.Tuple) else None
        if names is None or _LOOKED_UP.fullmatch(name):
            return False
        self._effect_hands.update(name for one in annotations for name in handed(one))
        self._held[name] = self._held.get(name, frozenset()).union(names)
        return True

    def _keeps(self, function: ast.expr) -> Keeping:
        text = ast.unparse(function)
        if text in _KEEPING:
            return _KEEPING[text] if self._has_pytest and "pytest" in self._scope.bound else ""
        bound = find(function, self._scope)
        return "argument" if bound is not None and bound.origin == "functools.partial" else ""

    def _is_as_imported(self, node: ast.stmt) -> bool:
        """Tell whether nothing in the statement itself can give other meanings to imported names."""
        return not self._scope.is_clouded and {"functools", "partial", "pytest"}.isdisjoint(_names_bound(node))

    # Imports

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            first = alias.name.partition(".")[0]
            origin = alias.name if alias.asname else first
            self._import_name(node, alias.asname or first, alias.name, "", origin)

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        if module == "__future__":
            self._effect(node)
            self._annotations.are_lazy |= any(alias.name == "annotations" for alias in node.names)
            return
        for alias in node.names:
            if alias.name == "*":
                self._effect(node)
            else:
                self._import_name(node, alias.asname or alias.name, module, alias.name, f"{module}.{alias.name}")

    def _import_name(
        self, node: ast.Import | ast.ImportFrom, name: str, module: str, imported: str, origin: str
    ) -> None:
        is_standard = module.partition(".")[0] in sys.stdlib_module_names
        if not is_standard and module not in self._modules:
            self._modules.add(module)
            self._effects.append(f"import {module}")
        if _LOOKED_UP.fullmatch(name) or name == "__all__":
            self._effect(node)
            return
        reads = {name, imported, *module.split(".")} - {""}
        self._note(name, f"{module}:{imported} as {name}", reads, node.lineno)
        self._names[name].imported.append((module, imported))
        self._scope.bind(name, (standard(origin) if is_standard else None) or Bound())
        self._has_pytest |= (name, module) == ("pytest", "pytest")

    def _is_type_checking(self, test: ast.expr) -> bool:
        bound = find(test, self._scope)
        return bound is not None and bound.origin == "typing.TYPE_CHECKING"

    # Classes

    def _class(self, node: ast.ClassDef) -> None:
        found = None
        if not _LOOKED_UP.fullmatch(node.name):
            are_lazy = self._annotations.are_lazy
            found = plain_class(node, self._scope, are_lazy=are_lazy, has_pytest=self._has_pytest)
        if found is None:
            self._effect(node)
            return
        self._annotations.rests_on = found.rests_on
        notes = self._whole(node) if found.is_whole else self._members(node, found)
        slots = [dump(one) for one in found.members.get("__slots__", ())]
        notes.classes.append((found.kind, found.bases, "\n".join([*map(ast.unparse, node.bases), *slots])))
        self._scope.bind(node.name, Bound("class", kind=found.kind, members=found.attributes))

    def _whole(self, node: ast.ClassDef) -> _Notes:
        reads = identifiers(node)
        return self._note(node.name, self._told(node, reads), reads, node.lineno)

    def _members(self, node: ast.ClassDef, found: PlainClass) -> _Notes:
        header = [*node.decorator_list, *node.bases]
        told = ["class", *(self._told(one, identifiers(one)) for one in header)]
        reads = {name for one in header for name in identifiers(one)}
        explicit: list[tuple[str, ast.stmt, str]] = []
        count = Counter[str]()
        for name, statement in _in_order(found.members, node.body):
            part: ast.AST = statement
            if name == ANNOTATIONS and isinstance(statement, ast.AnnAssign):
                told.append(dump(statement.target))
                part = statement.annotation
            text = self._told(part, identifiers(part), count)
            count[name] += 1
            if _is_implicit(name):
                told.append(text)
                reads |= _reads(part)
            else:
                explicit.append((name, statement, text))
        for name, statement, text in explicit:
            self._note(f"{node.name}.{name}", text, _reads(statement), statement.lineno)
        return self._note(node.name, "\n".join(told), reads, node.lineno)


def _in_order(members: Mapping[str, list[ast.stmt]], body: list[ast.stmt]) -> list[tuple[str, ast.stmt]]:
    place = {id(statement): number for number, statement in enumerate(body)}
    every = [(name, statement) for name, statements in members.items() for statement in statements]
    return sorted(every, key=lambda one: place[id(one[1])])


def _is_implicit(name: str) -> bool:
    """Tell whether something else than an attribute of that name may look the member up."""
    return name.startswith("__") or bool(_LOOKED_UP.fullmatch(name))


def _reads(node: ast.AST) -> frozenset[str]:
    """Return the identifiers that a plain statement reads: the name that it binds is none of them.

    A method `dumps` is what it is whatever another `dumps` is; a class that inherits reads its base instead.
    """
    match node:
        case ast.Assign(value=value):
            return identifiers(value)
        case ast.AnnAssign(annotation=annotation, value=ast.expr() as value):
            return identifiers(annotation) | identifiers(value)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return identifiers_below(node)
        case _:
            return identifiers(node)


def _names_bound(node: ast.AST) -> Iterator[str]:
    for inner in walk(node):
        match inner:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name
            case _:
                pass


def _keeps_nothing(_function: ast.expr) -> Keeping:
    return ""


def _stars_in(node: ast.AST) -> Iterator[str]:
    """Yield the modules of which everything is imported below *node*."""
    for inner in walk(node):
        if isinstance(inner, ast.ImportFrom) and any(alias.name == "*" for alias in inner.names):
            yield "." * inner.level + (inner.module or "")


def _is_list_of_texts(node: ast.AST) -> bool:
    value = getattr(node, "value", None)
    parts = value.elts if isinstance(value, ast.List | ast.Tuple) else [None]
    return all(isinstance(part, ast.Constant) for part in parts)


def _names_deleted(node: ast.AST) -> set[str]:
    return {one.id for one in walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Del)}


def _surely_bound(node: ast.AST) -> set[str]:  # noqa: PLR0911 - a table in the form of code
    """Return names that the statement has bound whichever way it went, if it ended without an exception."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return {alias.asname or alias.name.partition(".")[0] for alias in aliases} - {"*"}
        case ast.Assign(targets=targets):
            return {name for target in targets for name in _names_of_target(target)}
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()) | ast.AugAssign(target=ast.Name(id=name)):
            return {name}
        case ast.If(body=body, orelse=orelse):
            return _bound_in_all([body, orelse])
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=[]):
            return _bound_in_all([[*body, *orelse], *(handler.body for handler in handlers)])
        case _:
            return set()


def _names_of_target(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Name(id=name):
            yield name
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _names_of_target(part)
        case ast.Starred(value=value):
            yield from _names_of_target(value)
        case _:
            pass


def _bound_in_all(blocks: list[list[ast.stmt]]) -> set[str]:
    bound = [{name for statement in block for name in _surely_bound(statement)} for block in blocks]
    return set.intersection(*bound)


def digest(text: str) -> str:
    """Return the fingerprint of a text; lone surrogates are legal in a Python string and refused by UTF-8."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
