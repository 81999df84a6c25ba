"""Wiremap: make the wiring of a Python system explicit, and use it to choose tests.

The public names are imported when they are first asked for: a recorded child process loads its recorder from this
package when it starts, and must not wait for all the rest.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
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

_HOMES = {
    "errors": ("WiremapError", "WiringError", "WiringWarning"),
    "graph": ("Binding", "Component", "Containment", "Graph", "GraphDiff", "Pattern", "Star"),
}

if not TYPE_CHECKING:  # a type checker would take any name for one of these

    def __getattr__(name: str) -> object:
        """Return a public name, and keep it."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])
        home = next((home for home, names in _HOMES.items() if name in names), "registry")
        value = getattr(__import__(f"{__name__}.{home}", fromlist=[name]), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
