"""What the plugin costs a pytest run that uses none of its options: seconds with it, and with `-p no:wiremap`.

    python bench/idle_plugin.py

Whole processes on one trivial test, in turns; medians, and the median of the differences of neighbours. Run it in an
environment where wiremap is installed.
"""

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

_WAYS = ((), ("-p", "no:wiremap"))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_one.py").write_text("def test_nothing():\n    pass\n", encoding="utf-8")
        for way in _WAYS:
            _seconds(folder, way)  # byte code is written
        pairs = [_pair(folder, backwards=bool(number % 2)) for number in range(rounds)]
    print(f"Python {platform.python_version()}, pytest {pytest.__version__}, {rounds} interleaved rounds")
    for place, name in enumerate(("CPU", "wall")):
        with_it, without = ([one[way][place] for one in pairs] for way in range(len(_WAYS)))
        ratio = statistics.median(a / b for a, b in zip(with_it, without, strict=True))
        more = statistics.median(a - b for a, b in zip(with_it, without, strict=True))
        spread = statistics.quantiles(without, n=4)
        print(
            f"{name:4}  with the plugin {statistics.median(with_it):.3f} s, without {statistics.median(without):.3f} s "
            f"(half of them {spread[0]:.3f} to {spread[2]:.3f}): x {ratio:.3f}, {1000 * more:+.1f} ms"
        )


def _pair(folder: str, *, backwards: bool) -> list[tuple[float, float]]:
    if backwards:
        return [_seconds(folder, way) for way in reversed(_WAYS)][::-1]
    return [_seconds(folder, way) for way in _WAYS]


def _seconds(folder: str, way: tuple[str, ...]) -> tuple[float, float]:
    """Return CPU and wall seconds of one process."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *way]
    started = time.monotonic()
    child = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {child.returncode}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - started


if __name__ == "__main__":
    main()
