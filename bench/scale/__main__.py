"""What it costs to choose the tests in a large project: CPU and wall time of whole processes, beside plain pytest.

    python -m bench.scale                                  3,000 Python files, 5,000 tests
    python -m bench.scale --tests 500 --files 300          a smaller one

The project is generated and recorded once, in --work, which takes minutes; delete that to begin anew. Then all ways of
asking take turns; medians are shown. The yardstick is pytest that starts, imports the conftest files and finds no
tests. `wiremap affected` starts an interpreter that starts pytest. After an edit it is asked twice: the first time
reads what was edited, the second finds that remembered.
"""

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.scale.edits import EDITS
from bench.scale.project import Size, generate

_PYTEST = ("pytest", "-q", "-p", "no:cacheprovider")
_NO_TESTS = 5


@dataclass(frozen=True)
class Asked:
    """How one process ended: CPU and wall seconds, the largest resident size in MB, and what it printed."""

    cpu: float
    wall: float
    resident: float
    stdout: str


def main() -> None:
    """Generate, record, ask, and print."""
    options = _options()
    project = options.work.resolve() / f"{options.tests}-tests-{options.files}-files"
    if not (project / ".wiremap").exists():
        test_files = max(1, options.tests * 8 // 100)
        generate(project, Size(options.tests, options.files - test_files, test_files))
        _ask(project, *_PYTEST)  # byte code is written
        _ask(project, *_PYTEST, "--wiremap-record")
    ways = {
        "pytest starts, imports conftest files": (*_PYTEST, "--collect-only", "--ignore-glob=*/test_*.py"),
        "pytest collects all": (*_PYTEST, "--collect-only"),
        "pytest runs all": _PYTEST,
        "pytest --wiremap, nothing changed": (*_PYTEST, "--wiremap"),
        "wiremap affected, nothing changed": ("wiremap", "affected", "--json", "--", *_PYTEST[1:]),
    }
    files = sum(1 for _ in project.rglob("*.py"))
    _ask(project, *ways["wiremap affected, nothing changed"])  # what this machine's files are is remembered
    print(
        f"Python {platform.python_version()}, pytest {pytest.__version__}, {platform.system()} {platform.machine()}, "
    )
    print(f"{os.cpu_count()} cores; {files} Python files; {options.rounds} interleaved rounds, medians\n")
    rounds = [{name: _ask(project, *way) for name, way in ways.items()} for _ in range(options.rounds)]
    print("| | CPU s | wall s | CPU beyond the start of pytest | MB resident | tests to run |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    base = statistics.median(asked[next(iter(ways))].cpu for asked in rounds)
    for name in ways:
        _tell(name, [asked[name] for asked in rounds], base)
    for edit in EDITS:
        first, again = [], []
        for _ in range(options.rounds):
            with edit.made(project):
                first.append(_ask(project, *ways["wiremap affected, nothing changed"]))
                time.sleep(2.1)  # a file that young may change again unseen, and is not remembered
                _ask(project, *ways["wiremap affected, nothing changed"])
                again.append(_ask(project, *ways["wiremap affected, nothing changed"]))
        _tell(f"wiremap affected, {edit.name}", first, base)
        _tell(f"wiremap affected, {edit.name}, again", again, base)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.scale", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tests", type=int, default=5_000)
    parser.add_argument("--files", type=int, default=3_000, help="Python files, but for those of conftest")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", type=Path, default=Path(__file__).parents[2] / "build" / "scale")
    return parser.parse_args()


def _tell(name: str, asked: list[Asked], base: float) -> None:
    cpu, wall = (statistics.median(values) for values in ([one.cpu for one in asked], [one.wall for one in asked]))
    resident = max(one.resident for one in asked)
    num_run = _num_run(asked[-1].stdout)
    print(f"| {name} | {cpu:.2f} | {wall:.2f} | {cpu - base:+.2f} | {resident:.0f} | {num_run} |", flush=True)


def _num_run(stdout: str) -> str:
    if stdout.startswith("{"):
        return str(len(json.loads(stdout)["run"]))
    counted = re.search(r"(\d+) (?:passed|tests collected)|(\d+) of \d+ tests selected", stdout)
    return next(filter(None, counted.groups()), "0") if counted else "0"


def _ask(project: Path, *command: str) -> Asked:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    started = time.monotonic()
    child = subprocess.Popen(
        [sys.executable, "-m", *command], cwd=project, env=environment, text=True, stdout=subprocess.PIPE
    )
    stdout = child.stdout.read() if child.stdout is not None else ""
    _, status, usage = os.wait4(child.pid, 0)  # with the processes that it started itself
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - started
    if child.returncode not in (0, _NO_TESTS):
        sys.exit(f"{' '.join(command)} ended with {child.returncode}:\n{stdout[-2000:]}")
    return Asked(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, stdout)


if __name__ == "__main__":
    main()
