"""Registration: components, what they hand one another, and how that becomes a bound system and a graph.

The public names are imported when they are first asked for: the pytest plugin needs `observers` alone, in each session.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wiremap.registry.observers import subscribe
    from wiremap.registry.orchestrator import RegistryOrchestrator
    from wiremap.registry.recipes import compile_mode, compiling, recipe
    from wiremap.registry.requirements import Requirement, Requires

__all__ = ["RegistryOrchestrator", "Requirement", "Requires", "compile_mode", "compiling", "recipe", "subscribe"]

_HOMES = {
    "RegistryOrchestrator": "orchestrator",
    "Requirement": "requirements",
    "Requires": "requirements",
    "compile_mode": "recipes",
    "compiling": "recipes",
    "recipe": "recipes",
    "subscribe": "observers",
}

if not TYPE_CHECKING:  # a type checker would take any name for one of these

    def __getattr__(name: str) -> object:
        """Return a public name, and keep it."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])
        value = getattr(__import__(f"{__name__}.{_HOMES[name]}", fromlist=[name]), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
