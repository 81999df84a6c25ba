"""Registries of a project's own, by its description of them: what is registered, and what is chosen by default."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from wiremap.inference.definitions import Class, Function, FunctionNode, Module, all_statements, statements
from wiremap.inference.modules import Modules
from wiremap.source.adapters import Adapter

Target = Class | Function
EntryPoints = Mapping[str, Mapping[str, str]]
"""What is registered for others, `package.module:name`, by group and name."""

_MOST_HOPS = 6
_READS_VARIABLE = ("get", "getenv")


@dataclass(slots=True)
class Registry:
    """One registry.

    Attributes:
        name: What it is called.
        keeper: The class that is called so, if there is one.
        entries: What is registered, with its name.
        defaults: What is chosen by default, as `name=value`.
        unmatched: Words of its description that fit nothing, as `key: word`.
        unresolved: What is registered and was not found, as it is written.
    """

    name: str
    keeper: Class | None = None
    entries: set[tuple[str, Target]] = field(default_factory=set)
    defaults: set[str] = field(default_factory=set)
    unmatched: list[str] = field(default_factory=list)
    unresolved: set[str] = field(default_factory=set)


def find_registries(
    modules: Modules, targets: Iterable[Target], adapters: Sequence[Adapter], entry_points: EntryPoints
) -> list[Registry]:
    """Return the registries that *adapters* describe.

    Args:
        modules: The code base.
        targets: All classes, and all functions but for nested ones.
        adapters: How things are registered.
        entry_points: Those of the project.
    """
    found = _Finder(modules, targets, entry_points)
    return [found.registry(adapter) for adapter in adapters]


class _Finder:
    def __init__(self, modules: Modules, targets: Iterable[Target], entry_points: EntryPoints) -> None:
        self._modules = modules
        self._entry_points = entry_points
        self._at_top: dict[tuple[Module, str], Target] = {}
        self._by_node: dict[ast.stmt, Target] = {}
        for one in targets:
            self._by_node[one.node] = one
            if isinstance(one, Class) or one.owner is None:
                self._at_top[one.module, one.name] = one

    def registry(self, adapter: Adapter) -> Registry:
        keepers = [one for one in self._at_top.values() if isinstance(one, Class) and one.name == adapter.registry]
        made = Registry(adapter.registry, keepers[0] if len(keepers) == 1 else None)
        matched: set[tuple[str, str]] = set()
        for module in self._modules.all:
            self._decorators(module, adapter, made, matched)
            self._calls(module, adapter, made, matched)
            self._enums(module, adapter, made, matched)
            for word in adapter.defaults:
                values = set(_defaults(module, word))
                made.defaults |= {f"{word.rpartition('::')[2]}={value}" for value in values}
                matched |= {("defaults", word)} if values else set()
        for group in adapter.entry_points:
            for name, path in self._entry_points.get(group, {}).items():
                matched.add(("entry-points", group))
                self._enter(made, name, path, self._at_path(path, None))
        made.unmatched = [
            f"{key}: {word}" for key, words in adapter.described.items() for word in words if (key, word) not in matched
        ]
        return made

    def _decorators(self, module: Module, adapter: Adapter, made: Registry, matched: set[tuple[str, str]]) -> None:
        for node in all_statements(module.tree.body):
            if not isinstance(node, ast.ClassDef | FunctionNode) or node not in self._by_node:
                continue
            target = self._by_node[node]
            for decorator in node.decorator_list:
                call = decorator if isinstance(decorator, ast.Call) else None
                word = _fitting(call.func if call else decorator, adapter.decorators)
                if word is not None:
                    matched.add(("decorators", word))
                    names = [name for one in _given(call) if (name := _entry_name(one)) is not None]
                    made.entries.add((names[0] if names else node.name, target))

    def _calls(self, module: Module, adapter: Adapter, made: Registry, matched: set[tuple[str, str]]) -> None:
        decorating = {
            one for node in ast.walk(module.tree) for one in getattr(node, "decorator_list", ()) if adapter.calls
        }
        for call in ast.walk(module.tree) if adapter.calls else ():
            if not isinstance(call, ast.Call) or call in decorating:
                continue
            word = _fitting(call.func, adapter.calls)
            if word is None:
                continue
            matched.add(("calls", word))
            resolved = [(one, target) for one in _given(call) if (target := self._meant(one, module)) is not None]
            names = [name for one in _given(call) if (name := _entry_name(one)) is not None]
            if resolved:
                chosen, target = resolved[0]
                others = [name for one in _given(call) if one is not chosen and (name := _entry_name(one)) is not None]
                made.entries.add((others[0] if others else target.name, target))
            elif names:
                made.unresolved.add(ast.unparse(call))

    def _enums(self, module: Module, adapter: Adapter, made: Registry, matched: set[tuple[str, str]]) -> None:
        for node in all_statements(module.tree.body):
            if not isinstance(node, ast.ClassDef) or node.name not in adapter.enums:
                continue
            matched.add(("enums", node.name))
            for name, value in _assignments(node.body):
                if isinstance(value, ast.Constant) and isinstance(value.value, str) and "." in value.value:
                    self._enter(made, name, value.value, self._at_path(value.value, module))

    @staticmethod
    def _enter(made: Registry, name: str, written: str, target: Target | None) -> None:
        if target is not None:
            made.entries.add((name, target))
        else:
            made.unresolved.add(f"{name} = {written}")

    def _meant(self, node: ast.expr, module: Module) -> Target | None:
        """Return the class or function that *node* names: by a name, an attribute of a module, or its path."""
        if isinstance(node, ast.Constant):
            return self._at_path(node.value, module) if isinstance(node.value, str) else None
        if isinstance(node, ast.Name | ast.Attribute):
            return self._named(ast.unparse(node), module)
        return None

    def _at_path(self, path: str, importer: Module | None) -> Target | None:
        """Return what `package.module.name` or `package.module:name` stands for; the longest module counts."""
        parts = path.replace(":", ".").split(".")
        for end in range(len(parts) - 1, 0, -1):
            module = self._module(".".join(parts[:end]), importer)
            if module is not None:
                return self._named(".".join(parts[end:]), module)
        return None

    def _module(self, name: str, importer: Module | None) -> Module | None:
        near = importer or next(iter(self._modules.all), None)
        found = self._modules.find(name, near) if near is not None else None
        if found is not None:
            return found
        # Folders that only texts name are not known for packages.
        ends = tuple(f"/{name.replace('.', '/')}{end}" for end in (".py", "/__init__.py"))
        same = [one for one in self._modules.all if one.path and f"{one.root}/{one.path}".endswith(ends)]
        return same[0] if len(same) == 1 else None

    def _named(self, dotted: str, module: Module, hops: int = _MOST_HOPS) -> Target | None:
        """Return what a name in *module* stands for, through imports."""
        if (module, dotted) in self._at_top or not hops:
            return self._at_top.get((module, dotted))
        first, _, rest = dotted.partition(".")
        for node in all_statements(module.tree.body):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) == first:
                        return self._imported(node, alias.name, rest, module, hops)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    bound = alias.asname or alias.name
                    if dotted.startswith(f"{bound}."):
                        found = self._modules.find(alias.name, module)
                        return self._named(dotted[len(bound) + 1 :], found, hops - 1) if found is not None else None
        return None

    def _imported(self, node: ast.ImportFrom, name: str, rest: str, module: Module, hops: int) -> Target | None:
        base = node.module or ""
        find = self._modules
        owner = find.find_relative(node.level, base, module) if node.level else find.find(base, module)
        if owner is None:
            return None
        if not rest:
            return self._named(name, owner, hops - 1)
        inner = find.find(f"{owner.name}.{name}", owner)
        return self._named(rest, inner, hops - 1) if inner is not None else None


def _fitting(node: ast.expr, words: Iterable[str]) -> str | None:
    """Return the one of *words* that is *node*, or its last parts."""
    if not isinstance(node, ast.Name | ast.Attribute):
        return None
    written = f".{ast.unparse(node)}"
    return next((word for word in words if written.endswith(f".{word}")), None)


def _given(call: ast.Call | None) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)] if call is not None else []


def _entry_name(node: ast.expr) -> str | None:
    """Return the name that something is registered under: a text, or the member of an enumeration."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    return node.attr if isinstance(node, ast.Attribute) else None


def _defaults(module: Module, word: str) -> Iterator[str]:
    """Yield the values that *word* has by default in *module*."""
    pattern, separator, name = word.rpartition("::")
    if separator and not fnmatchcase(f"{module.root}/{module.path}", f"*{pattern}"):
        return
    owner, _, last = name.rpartition(".")
    if not owner:
        yield from (_text(value) for found, value in _assignments(module.tree.body) if found == name)
        yield from (_text(value) for node in ast.walk(module.tree) if (value := _read_default(node, name)) is not None)
    for node in all_statements(module.tree.body) if owner else ():
        if isinstance(node, ast.ClassDef) and node.name == owner:
            yield from (_text(value) for found, value in _assignments(node.body) if found == last)
        elif isinstance(node, FunctionNode) and node.name == owner:
            yield from (_text(value) for found, value in _parameters(node) if found == last)


def _read_default(node: ast.AST, variable: str) -> ast.expr | None:
    """Return what a call that reads an environment variable gives where that is not set."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[ast.Constant(value=str(read)), value]):
            return value if name in _READS_VARIABLE and read == variable else None
        case _:
            return None


def _assignments(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for node in statements(body):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case _:
                pass


def _parameters(node: FunctionNode) -> Iterator[tuple[str, ast.expr]]:
    positional = node.args.posonlyargs + node.args.args
    defaults = node.args.defaults
    yield from (
        (one.arg, value) for one, value in zip(positional[len(positional) - len(defaults) :], defaults, strict=True)
    )
    pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    yield from ((one.arg, value) for one, value in pairs if value is not None)


def _text(value: ast.expr) -> str:
    is_text = isinstance(value, ast.Constant) and isinstance(value.value, str)
    return str(value.value) if is_text else ast.unparse(value)  # type: ignore[attr-defined]  # mypy loses what was asked
