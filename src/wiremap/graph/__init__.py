"""The vocabulary of wiring as immutable data: components, bindings, containment, and the graph of them."""

from wiremap.graph.elements import Binding, CellKind, Component, Containment
from wiremap.graph.model import Graph, Star

__all__ = ["Binding", "CellKind", "Component", "Containment", "Graph", "Star"]
