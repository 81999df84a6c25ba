"""Small code bases as text, and what is inferred from them in a form that tests can read."""

import textwrap
from collections.abc import Mapping

from wiremap.graph import Graph
from wiremap.inference import Inference, infer_graph

ROOT = "/home/someone/project"


def infer(files: Mapping[str, str] | str) -> Inference:
    """Infer from files by their path below the folder, or from one module."""
    texts = {"app.py": files} if isinstance(files, str) else files
    return infer_graph({f"{ROOT}/{path}": textwrap.dedent(text).encode() for path, text in texts.items()})


def graph_of(files: Mapping[str, str] | str) -> Graph:
    return infer(files).graph


def cells(graph: Graph) -> set[str]:
    """Return each binding as `Provider.cell > Consumer`, with `()` after a method."""
    return {
        f"{one.provider}.{one.cell}{'()' if one.kind == 'method' else ''} > {one.consumer}" for one in graph.bindings
    }


def holds(graph: Graph) -> set[str]:
    """Return each containment as `Holder holds Held`."""
    return {f"{pair.parent} holds {pair.child}" for pair in graph.containment}
