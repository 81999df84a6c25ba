"""The vocabulary of wiring as immutable data: components, bindings, containment, and the graph of them."""

from wiremap.graph.differences import Change, GraphDiff
from wiremap.graph.elements import CALL, Binding, CellKind, Component, Containment
from wiremap.graph.model import Graph
from wiremap.graph.patterns import Pattern, PatternEdge, PatternNode
from wiremap.graph.shapes import Shape
from wiremap.graph.stars import Star

__all__ = [
    "CALL",
    "Binding",
    "CellKind",
    "Change",
    "Component",
    "Containment",
    "Graph",
    "GraphDiff",
    "Pattern",
    "PatternEdge",
    "PatternNode",
    "Shape",
    "Star",
]
