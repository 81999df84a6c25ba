"""Wiremap: make the wiring of a Python system explicit, and use it to choose tests."""

from wiremap.errors import WiremapError, WiringError, WiringWarning
from wiremap.graph import Binding, Component, Containment, Graph, GraphDiff, Pattern, Star
from wiremap.registry import RegistryOrchestrator, Requirement, Requires, compile_mode, compiling, recipe, subscribe

__all__ = [
    "Binding",
    "Component",
    "Containment",
    "Graph",
    "GraphDiff",
    "Pattern",
    "RegistryOrchestrator",
    "Requirement",
    "Requires",
    "Star",
    "WiremapError",
    "WiringError",
    "WiringWarning",
    "compile_mode",
    "compiling",
    "recipe",
    "subscribe",
]
__version__ = "0.1.0"
