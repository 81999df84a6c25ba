"""Registration: components, what they hand one another, and how that becomes a bound system and a graph."""

from wiremap.registry.observers import subscribe
from wiremap.registry.orchestrator import RegistryOrchestrator
from wiremap.registry.recipe import compile_mode, compiling, recipe
from wiremap.registry.requirements import Requirement, Requires

__all__ = ["RegistryOrchestrator", "Requirement", "Requires", "compile_mode", "compiling", "recipe", "subscribe"]
