"""What compiling costs: wirings of growing size, and the recipe of a large model.

    python bench/compile_graph.py              wirings of 1,000, 10,000 and 100,000 components
    python bench/compile_graph.py --model      a 48-layer, 128-expert model in compile mode; needs torch

Each size has five bindings per component and runs in a process of its own. A ratio is to the row above, so
where the size grows tenfold, 10 is linear. Times are CPU seconds of one run, memory is the peak of the process
over what it held before the wiring.

The last two columns are a yardstick, measured in turn with the wirings: a loop that only makes one small frozen
dataclass for each component and binding, and one that only looks each up in a dictionary, far from the one before.
Both are linear, so what they grow by above tenfold is the memory's; a linear step that does both lies between them.
"""

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

# The script also runs where nothing is installed, and the model is one of the tests.
from wiremap import RegistryOrchestrator
from wiremap.registry.collector import paused_collector
from wiremap.use_cases.graph_source import compile_source

SIZES = (1_000, 10_000, 100_000)
BINDINGS_PER_COMPONENT = 5
STEPS = ("register", "compile", "finalize")
STRIDE = 7_919
"""How far each look-up of the yardstick is from the one before; a prime, so that all are reached."""
STAGES: list[type["Provider"]] = []
"""Classes whose instances hand cells from one stage to the next, and from the last to the first again."""


@dataclass(frozen=True, slots=True)
class Small:
    """What the yardstick makes."""

    first: int
    second: int


class Provider:
    """Has a method and, as its parameter, a number; and may read any cell."""

    def __init__(self, number: int) -> None:
        self.number = number

    def method(self) -> int:
        """Return the number."""
        return self.number

    def read(self, cell: str) -> object:
        """Return what this was handed under that name."""
        return getattr(self, cell)


for stage in range(4):
    cells = {f"cell_{stage}_{cell}": Provider.method for cell in range(BINDINGS_PER_COMPONENT)}
    STAGES.append(type(f"Stage{stage}", (Provider,), cells))


def main() -> None:
    """Print one of the tables; or, in a process of its own, measure one thing and print it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", action="store_true", help="compile the large model instead")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measured(*options.measure.split())))
    elif options.model:
        print_model()
    else:
        print_table()


def measured(what: str, size: str = "") -> dict[str, Any]:
    """Return the row of *what* in one of the tables."""
    if what == "model":
        return measure_model()
    return measure(int(size)) if what == "wiring" else measure_yardstick(int(size))


def in_own_process(what: str) -> dict[str, float]:
    """Return what this script measures of *what* in a fresh process."""
    done = subprocess.run([sys.executable, __file__, "--measure", what], stdout=subprocess.PIPE, check=True)
    row: dict[str, float] = json.loads(done.stdout)
    return row


def print_table() -> None:
    """Print the costs of each size."""
    print(f"Python {platform.python_version()}, {BINDINGS_PER_COMPONENT} bindings per component, CPU seconds")
    print(f"{'components':>10}" + "".join(f"{step:>17}" for step in (*STEPS, "peak MiB", "make", "look up")))
    above: dict[str, float] = {}
    for size in SIZES:
        row = in_own_process(f"wiring {size}") | in_own_process(f"yardstick {size}")
        ratios = {name: f"x{row[name] / above[name]:.1f}" if above else "" for name in row}
        print(
            f"{size:>10,}" + "".join(f"{row[name]:>11.{1 if 'MiB' in name else 4}f} {ratios[name]:<5}" for name in row)
        )
        above = row


def print_model() -> None:
    """Print what it costs to compile the recipe of the large model."""
    row = in_own_process("model")
    print(f"Python {platform.python_version()}, torch {row.pop('torch')}, 48 layers of 128 experts on the meta device")
    print("; ".join(f"{name}: {value:,.1f}" for name, value in row.items()))


def measure(size: int) -> dict[str, float]:
    """Return the seconds of each step and the peak of memory for a wiring of *size* components."""
    before = _peak_mib()
    components = [STAGES[number % len(STAGES)](number) for number in range(size)]
    seconds = {}
    start = time.process_time()
    orch = _registered(components)
    seconds["register"] = time.process_time() - start
    for step in ("compile", "finalize"):
        start = time.process_time()
        getattr(orch, step)()
        seconds[step] = time.process_time() - start
    return {**seconds, "peak MiB": _peak_mib() - before}


def measure_yardstick(size: int) -> dict[str, float]:
    """Return the seconds of as many small objects and look-ups as that wiring has components and bindings."""
    number, key = size * (1 + BINDINGS_PER_COMPONENT), 0
    with paused_collector():
        start = time.process_time()
        made = {key: Small(key, key + 1) for key in range(number)}
        half = time.process_time()
        for _ in range(number):
            key = (key + STRIDE) % number
            made[key].first  # noqa: B018 -- reading is what is measured
    return {"make": half - start, "look up": time.process_time() - half}


def measure_model() -> dict[str, Any]:
    """Return what the recipe of the large model costs beyond importing torch."""
    start = time.perf_counter()
    import torch  # noqa: PLC0415 -- only here

    imported, before = time.perf_counter(), _peak_mib()
    graph = compile_source("tests.wiremap_llm.large_moe")
    bindings = sum(len(one.bindings) for one in (graph, *graph.nested.values()))
    return {
        "torch": torch.__version__,
        "seconds to import torch": imported - start,
        "seconds to compile": time.perf_counter() - imported,
        "MiB with torch": before,
        "peak MiB": _peak_mib(),
        "bindings": bindings,
    }


def _registered(components: list[Provider]) -> RegistryOrchestrator:
    orch = RegistryOrchestrator()
    for component in components:
        orch.add(component)
    for number, consumer in enumerate(components[len(STAGES) :], start=len(STAGES)):
        for cell in range(BINDINGS_PER_COMPONENT):
            # One of the earlier components of the stage before, spread over all of them.
            rank = number // len(STAGES) if number % len(STAGES) else number // len(STAGES) - 1
            provider = components[(number - 1) % len(STAGES) + len(STAGES) * (number * (cell + 7919) % (rank + 1))]
            orch.register(provider, f"cell_{(number - 1) % len(STAGES)}_{cell}", consumer)
    return orch


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
