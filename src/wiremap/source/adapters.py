"""How a project keeps a registry of its own, as it describes that: plain data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Adapter:
    """One registry. Names are taken by their last parts: `register` fits `BACKENDS.register` too.

    Attributes:
        registry: What the registry is called: the component that is handed what is registered.
        decorators: Decorators that register a class or function, under the name that they are given or its own.
        calls: Functions that are given a name and a class, a function, or the path of one.
        enums: Classes whose members are paths of classes.
        entry_points: Groups of entry points in `pyproject.toml`.
        defaults: What chooses an entry: environment variables with a default where they are read, names, and
            `Class.field` or `function.parameter`, each with a pattern of paths and `::` in front where need be.
    """

    registry: str
    decorators: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    enums: tuple[str, ...] = ()
    entry_points: tuple[str, ...] = ()
    defaults: tuple[str, ...] = ()

    @property
    def described(self) -> dict[str, tuple[str, ...]]:
        """Each word that must be found somewhere, by the key that it stands at in the settings."""
        return {
            "decorators": self.decorators,
            "calls": self.calls,
            "enums": self.enums,
            "entry-points": self.entry_points,
            "defaults": self.defaults,
        }
