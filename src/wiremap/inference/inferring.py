"""The graph of a code base that registers nothing, from the text of its files."""

import ast
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wiremap.graph import Graph
from wiremap.inference.assembly import assemble, can_be_component, registries_alone
from wiremap.inference.definitions import FunctionNode, all_statements
from wiremap.inference.modules import Modules
from wiremap.inference.registries import EntryPoints, Registry, find_registries
from wiremap.inference.solving import Solver
from wiremap.inference.values import ClassValue, leaves
from wiremap.source.adapters import Adapter


@dataclass(frozen=True, slots=True)
class Inference:
    """A graph, and what stayed out of sight.

    Attributes:
        graph: Components are classes, bindings what one uses of another.
        faults: Why a file could not be read as Python, by its path.
        unknown_calls: How many calls go through an attribute whose class is not known, by `Class.attribute`.
        registrations: Decorators that enter something in a registry, as they are written.
        loaders: Functions called that load what a string names.
        handed_on: Classes that are passed as values, where nobody is seen to make an object of them.
        passing: Classes of objects that others keep and call, but that come and go in calls, so no components.
        num_classes: How many classes there are, components or not.
        registries: Those that the code base describes.
    """

    graph: Graph
    faults: Mapping[str, str]
    unknown_calls: Mapping[str, int]
    registrations: tuple[str, ...]
    loaders: tuple[str, ...]
    handed_on: tuple[str, ...]
    passing: tuple[str, ...]
    num_classes: int
    registries: tuple[Registry, ...] = ()


def infer_graph(
    files: Mapping[str, bytes], adapters: Sequence[Adapter] = (), entry_points: EntryPoints | None = None
) -> Inference:
    """Return the wiring that *files* tell of, by their absolute paths with forward slashes.

    Nothing is imported or run. Bytes are read as Python reads them, with their encoding cookie.

    Args:
        files: The source.
        adapters: How the code base keeps registries of its own.
        entry_points: The entry points that it declares.
    """
    trees, faults = _trees(files)
    solver = Solver(Modules(trees))
    solver.solve()
    registries = find_registries(solver.modules, solver.targets, adapters, entry_points or {})
    for unit in solver.too_deep:
        faults[f"{unit.module.root}/{unit.module.path}"] = "it nests too deeply"
    graph, passing = assemble(solver, registries)
    return Inference(
        graph=graph,
        faults=faults,
        unknown_calls=_unknown_calls(solver),
        registrations=tuple(sorted({one for tree in trees.values() for one in _registrations(tree)})),
        loaders=tuple(sorted({one for record in solver.records.values() for one in record.loaders})),
        handed_on=_handed_on(solver),
        passing=passing,
        num_classes=len(solver.classes),
        registries=tuple(registries),
    )


def infer_registries(files: Mapping[str, bytes], adapters: Sequence[Adapter], entry_points: EntryPoints) -> Graph:
    """Return only the registries and what is registered there, which takes much less."""
    solver = Solver(Modules(_trees(files)[0]))
    return registries_alone(find_registries(solver.modules, solver.targets, adapters, entry_points))


def _trees(files: Mapping[str, bytes]) -> tuple[dict[str, ast.Module], dict[str, str]]:
    """Return syntax trees, and why some files have none."""
    trees: dict[str, ast.Module] = {}
    faults: dict[str, str] = {}
    for path, text in sorted(files.items()):
        try:
            trees[path] = _parsed(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            faults[path] = _in_one_line(error)
    return trees, faults


def _in_one_line(error: BaseException) -> str:
    text = f"{error.msg} (line {error.lineno})" if isinstance(error, SyntaxError) and error.lineno else str(error)
    return " ".join(text.split()) or type(error).__name__


def _parsed(text: bytes) -> ast.Module:
    with warnings.catch_warnings():
        # An invalid escape in somebody's string is a warning, and a fault where warnings are errors.
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _unknown_calls(solver: Solver) -> Mapping[str, int]:
    calls = {one for record in solver.records.values() for one in record.unknown}
    return dict(sorted(Counter(f"{cls.name}.{name}" for cls, name, _, _ in calls).items()))


def _handed_on(solver: Solver) -> tuple[str, ...]:
    made = {cls for record in solver.records.values() for cls in record.made}
    passed = {
        kind.cls
        for value in solver.facts.passed()
        for kind in leaves(value)
        if isinstance(kind, ClassValue) and not kind.is_own
    }
    return tuple(sorted(cls.name for cls in passed - made if cls.methods and can_be_component(cls)))


def _registrations(tree: ast.Module) -> Iterable[str]:
    """Yield decorators like `@BACKENDS.register("paged")`: what they enter is looked up at run time."""
    for node in all_statements(tree.body):
        if isinstance(node, ast.ClassDef | FunctionNode):
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and _registers(decorator, node):
                    yield ast.unparse(decorator.func)


def _registers(decorator: ast.Call, node: ast.stmt) -> bool:
    """Tell whether *decorator* enters a class, or a function under a name, in something called a register."""
    target = decorator.func
    name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
    has_name = any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in decorator.args)
    return name.startswith("register") and (has_name or isinstance(node, ast.ClassDef))
