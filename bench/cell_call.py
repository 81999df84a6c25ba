"""What a cell costs: a call through a method cell, and a read of a state cell, against direct access.

Run it as ``python bench/cell_call.py``. Every ratio is the median over rounds in which both sides were
timed one after the other, so load on the machine hits both. The direct side is what one would write
without Wiremap: ``self.provider.method(x)`` and ``self.provider.value``.
"""

import argparse
import platform
import statistics
import sys
import timeit
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

# The script also runs where nothing is installed.
from wiremap import RegistryOrchestrator

CALLS = 20_000


class Provider:
    """Hands over an empty method and a value."""

    def __init__(self) -> None:
        self.value = 1

    def method(self, x: int) -> int:
        """Return *x*."""
        return x


class Direct:
    """Reaches the provider as one would without Wiremap."""

    def __init__(self, provider: Any) -> None:
        self.provider = provider

    def call(self) -> None:
        """Call the method many times."""
        for _ in range(CALLS):
            self.provider.method(1)

    def read(self) -> None:
        """Read the value many times."""
        for _ in range(CALLS):
            self.provider.value  # noqa: B018 -- the read is what is timed


class ThroughCells:
    """Reaches the provider through its own cells ``method`` and ``value``."""

    method: Any
    value: Any

    def call(self) -> None:
        """Call the method many times."""
        for _ in range(CALLS):
            self.method(1)

    def read(self) -> None:
        """Read the value many times."""
        for _ in range(CALLS):
            self.value  # noqa: B018 -- the read is what is timed


def plain_sides() -> tuple[Any, Any]:
    """Return the two sides as plain objects; only the second knows Wiremap."""
    return Direct(Provider()), _wired(Provider(), ThroughCells())


def module_sides() -> tuple[Any, Any] | None:
    """Return the two sides as torch modules, or None without torch."""
    try:
        from torch import nn  # noqa: PLC0415 -- optional
    except ImportError:
        return None

    class ModuleProvider(Provider, nn.Module):
        def __init__(self) -> None:
            nn.Module.__init__(self)
            Provider.__init__(self)

    class ModuleDirect(Direct, nn.Module):
        def __init__(self, provider: Any) -> None:
            nn.Module.__init__(self)
            # Not as a child of the module: reading those costs a call of __getattr__.
            object.__setattr__(self, "provider", provider)

    class ModuleThroughCells(ThroughCells, nn.Module):
        pass

    return ModuleDirect(ModuleProvider()), _wired(ModuleProvider(), ModuleThroughCells())


def _wired(provider: Any, consumer: Any) -> Any:
    orch = RegistryOrchestrator()
    orch.register(provider, "method", consumer)
    orch.register(provider, "value", consumer)
    orch.finalize()
    return consumer


def report(title: str, direct: Any, cells: Any, rounds: int) -> None:
    """Time both sides, interleaved, and print their medians and the median ratio."""
    for what in ("call", "read"):
        one, other = getattr(direct, what), getattr(cells, what)
        for warm_up in (one, other):
            warm_up()  # let the interpreter specialise the loop
        pairs = [(timeit.timeit(one, number=1), timeit.timeit(other, number=1)) for _ in range(rounds)]
        direct_ns, cell_ns = (statistics.median(side) / CALLS * 1e9 for side in zip(*pairs, strict=True))
        ratio = statistics.median(through_cell / straight for straight, through_cell in pairs)
        label = "method cell, call" if what == "call" else "state cell, read"
        print(f"{title:<8} {label:<18} {cell_ns:5.0f} ns, direct {direct_ns:5.0f} ns: x{ratio:.2f}")


def main() -> None:
    """Print the costs for this interpreter."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=31, help="timed pairs per line (default: 31)")
    rounds = parser.parse_args().rounds
    print(f"Python {platform.python_version()}, {rounds} interleaved rounds of {CALLS} accesses, medians")
    report("plain", *plain_sides(), rounds)
    if (modules := module_sides()) is not None:
        report("module", *modules, rounds)


if __name__ == "__main__":
    main()
