"""What the page can show of graphs, as plain data: a tree of all that opens and closes, and the edges.

Leaves of the tree are components. What has something inside is one of:

- a **part**: one of several graphs in one page;
- a **package**: components that were written below one module path, where there are too many for one screen;
- a **repeat**: components that differ in an index only, drawn once until somebody opens it;
- a component with a local graph, which lies inside it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from wiremap.graph import Component, Graph
from wiremap.render.change_union import HELD, MINUS, PLUS, mark_of, sign_of
from wiremap.render.diagram import title_of
from wiremap.render.folding import fold_repetition
from wiremap.render.lettering import legible
from wiremap.wording import counted

SCENE_SCHEMA: Final = "wiremap.scene/1"
MOST_AT_ONCE: Final = 40  # more boxes than that nobody reads

TestsOf = Callable[[Component], Iterable[str]]
_Tree = dict[str, Any]
_ROOT: Final = -1
_MARKS: Final = {PLUS: "added", MINUS: "removed", "": ""}


def scene_of(graphs: Mapping[str, Graph], tests_of: TestsOf | None = None, title: str = "") -> dict[str, Any]:
    """Return the scene of *graphs*: JSON types only, in an order that depends on the graphs alone.

    Args:
        graphs: What to show, by name. Marks of ``change_union`` are told as what they mean.
        tests_of: The tests known to execute code of a component; None where nothing is known about tests, which is
            not the same as a component without any.
        title: What to write over it; by default how much wiring there is.
    """
    scene = _Scene()
    for name, graph in graphs.items():
        parent = _ROOT if len(graphs) == 1 else scene.add(_ROOT, "part", name, legible(name))
        scene.add_graph(graph, parent, "" if len(graphs) == 1 else f"{name}: ", owner=None)
    return {
        "schema": SCENE_SCHEMA,
        "title": legible(title) or _title(graphs),
        "nodes": scene.nodes,
        "cells": scene.cells,
        "containment": scene.containment,
        **_tests(scene.components, tests_of),
    }


def _title(graphs: Mapping[str, Graph]) -> str:
    return title_of(*graphs.values()) if len(graphs) == 1 else f"Wiring of {counted(len(graphs), 'recipe')}"


def _tests(components: Mapping[int, Component], tests_of: TestsOf | None) -> dict[str, Any]:
    if tests_of is None:
        return {}
    found = {at: set(tests_of(component)) for at, component in components.items()}
    names = sorted(set().union(*found.values()))
    number = {name: at for at, name in enumerate(names)}
    reached = {str(at): sorted(map(number.__getitem__, tests)) for at, tests in found.items() if tests}
    return {"tests": list(map(legible, names)), "reached": reached}


class _Scene:
    """A scene in the making. Nodes are named by their place in ``nodes``, which keeps the edges short."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.cells: list[list[Any]] = []
        self.containment: list[list[Any]] = []
        self.components: dict[int, Component] = {}
        self._keys: set[str] = set()

    def add(self, parent: int, kind: str, key: str, title: str, **more: Any) -> int:
        """Add a node and return its place; what it has nothing of is left out."""
        while key in self._keys:
            key += "'"
        self._keys.add(key)
        told = {name: value for name, value in more.items() if value}
        self.nodes.append({"key": key, "parent": parent, "kind": kind, "title": title} | told)
        return len(self.nodes) - 1

    def add_graph(self, graph: Graph, parent: int, prefix: str, owner: str | None) -> None:
        """Add everything in *graph* below *parent*, which is its *owner* if it is a local graph."""
        fold = fold_repetition(graph, kept=() if owner is None else (owner,))
        folded = {component.id: component for component in fold.graph.components}
        here = {} if owner is None else {owner: parent}
        shown = [folded[name] for name in fold.graph.topological_order() if name != owner]
        for below, component in self._packaged(shown, parent, prefix):
            members = fold.members.get(component.id)
            if members is None:
                here[component.id] = self._add_component(graph.component(component.id), graph, below, prefix)
                continue
            title, type_ = legible(component.id), legible(component.type)
            repeat = self.add(below, "repeat", prefix + component.id, title, type=type_, mark=mark_of(component))
            for member in members:
                here[member] = self._add_component(graph.component(member), graph, repeat, prefix)
        self._add_edges(graph, here)

    def _add_component(self, component: Component, graph: Graph, parent: int, prefix: str) -> int:
        title, type_, mark = legible(component.id), legible(component.type), mark_of(component)
        place = self.add(
            parent,
            "component",
            prefix + component.id,
            title,
            type="" if type_ == title else type_,
            mark=mark,
            source=legible(f"{component.source_path}:{component.source_line}") if component.source_path else "",
            tags=[] if mark else list(map(legible, component.tags)),
            extension="" if component.extension == "core" else legible(component.extension),
            requires=list(map(legible, component.requires)),
            parameters=list(map(legible, component.parameter_values)),
        )
        self.components[place] = component
        if component.id in graph.nested:
            self.add_graph(graph.nested[component.id], place, f"{prefix}{component.id}/", component.id)
        return place

    def _add_edges(self, graph: Graph, here: Mapping[str, int]) -> None:
        handed: dict[tuple[int, int], list[list[str]]] = defaultdict(list)
        for edge in graph.bindings:
            sign, ends = sign_of(edge.cell), (here[edge.provider], here[edge.consumer])
            name = edge.name.removeprefix(sign)
            if sign and name == HELD:
                self.containment.append([*ends, _MARKS[sign]])
            else:
                handed[ends].append([legible(name), edge.kind, *filter(None, [_MARKS[sign]])])
        self.cells += ([*ends, cells] for ends, cells in handed.items())
        self.containment += ([here[p.child], here[p.parent]] for p in graph.containment if p.child != p.parent)

    # Packages

    def _packaged(self, components: Sequence[Component], parent: int, prefix: str) -> Iterator[tuple[int, Component]]:
        """Yield *components*, each with the node it lies below; packages are added where there are too many."""
        if len(components) <= MOST_AT_ONCE:
            yield from ((parent, component) for component in components)
            return
        tree: _Tree = {}
        for component in components:
            branch = tree
            for part in (*component.module.split("."), *component.id.split(".")[:-1]):
                branch = branch.setdefault(part, {})
            branch.setdefault("", []).append(component)
        # A package that holds everything would be a frame around the picture.
        path, tree = _straight_down("", tree)
        yield from self._below(tree, parent, prefix, path)

    def _below(self, tree: _Tree, parent: int, prefix: str, path: str) -> Iterator[tuple[int, Component]]:
        for part, branch in tree.items():
            if not part:
                yield from ((parent, component) for component in branch)
                continue
            inner, inside = _straight_down(f"{path}.{part}".lstrip("."), branch)
            if list(inside) == [""] and len(inside[""]) == 1:
                yield parent, inside[""][0]  # a package of one: that stands for it
                continue
            title = inner.removeprefix(f"{path}.")
            node = self.add(parent, "package", f"{prefix}{inner}.*", legible(title), path=legible(inner))
            yield from self._below(inside, node, prefix, inner)


def _straight_down(path: str, tree: _Tree) -> tuple[str, _Tree]:
    """Return the first package at or below *path* that holds more than one package, and what is in it."""
    while len(tree) == 1 and "" not in tree:
        ((part, tree),) = tree.items()
        path = f"{path}.{part}".lstrip(".")
    return path, tree
