"""What recipes are called in two states of a project, between which they may be renamed, and where they are found."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from wiremap.graph import Component, Graph
from wiremap.source.modules import ModuleIndex


@dataclass(frozen=True, slots=True, order=True)
class RecipeNames:
    """One recipe, as it is called at both ends; None is where it is not there."""

    before: str | None
    now: str | None

    @property
    def latest(self) -> str:
        """What to call it."""
        return self.now or self.before or ""


def names_at_both_ends(
    recipes: Iterable[str], before: ModuleIndex, now: ModuleIndex, renamed: Mapping[str, str]
) -> list[RecipeNames]:
    """Return what each of *recipes* is called, sorted.

    Args:
        recipes: As they are named at either end.
        before: The modules at the base.
        now: The modules at the head.
        renamed: The old paths of renamed files, by their new paths.
    """
    found = set()
    for recipe in recipes:
        module, separator, function = recipe.partition(":")
        was_there, is_there = bool(before.candidates(module)), bool(now.candidates(module))
        if was_there == is_there:  # also where it is installed from elsewhere, and so at neither end
            found.add(RecipeNames(recipe, recipe))
        elif is_there:
            found.add(RecipeNames(_old_name(module, now, renamed, separator + function), recipe))
        else:
            found.add(RecipeNames(recipe, None))
    successors = {one.before for one in found if one.now is not None}
    return sorted(
        (one for one in found if one.now is not None or one.before not in successors), key=lambda one: one.latest
    )


def import_roots(recipes: Sequence[str], index: ModuleIndex) -> list[str]:
    """Return the folders, relative to the root, in which the modules of *recipes* lie."""
    roots = set()
    for recipe in recipes:
        module = recipe.partition(":")[0]
        if found := index.candidates(module):
            path = min(found, key=lambda one: (len(one), one))
            parts = path.removesuffix("/__init__.py").removesuffix(".py").split("/")
            roots.add("/".join(parts[: -len(module.split("."))]))
    return sorted(roots)


def with_modules_renamed(graph: Graph, renamed: Mapping[str, str]) -> Graph:
    """Return *graph*, which is of the state before, with its modules called as they are after files were *renamed*."""
    components = [replace(one, module=_module_now(one, renamed)) for one in graph.components]
    nested = {owner: with_modules_renamed(local, renamed) for owner, local in graph.nested.items()}
    return Graph(tuple(components), graph.bindings, graph.containment, nested)


def _old_name(module: str, now: ModuleIndex, renamed: Mapping[str, str], rest: str) -> str | None:
    """Return what the recipe in *module* was called, if one of its files was renamed below the same root."""
    for path in now.candidates(module):
        root = path.removesuffix(_path_of(module, path))
        old = renamed.get(path)
        if old is not None and old.startswith(root):
            return _module_of(old.removeprefix(root)) + rest
    return None


def _module_now(component: Component, renamed: Mapping[str, str]) -> str:
    below = component.source_path
    for new, old in renamed.items():
        root = old.removesuffix(below)
        if below and old.endswith(below) and root.endswith("/" if root else "") and new.startswith(root):
            return _module_of(new.removeprefix(root)) if _module_of(below) == component.module else component.module
    return component.module


def _path_of(module: str, path: str) -> str:
    stem = module.replace(".", "/")
    return f"{stem}/__init__.py" if path.endswith(f"{stem}/__init__.py") else f"{stem}.py"


def _module_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
