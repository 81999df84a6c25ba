"""The cost of recording: CPU time of `pytest --wiremap-record` as a ratio to plain pytest on the same tests.

Whole processes, start-up included, interleaved in one run; each ratio is of two neighbours in time, and the
median is shown with the extremes. The recorder starts each time with the map that the round before left, as
in daily use; the first recording, which also parses every source, is shown apart.

    python bench/tracing.py                     a generated suite: 400 tests, each calling 60 small functions
    python bench/tracing.py --project FOLDER    a project of yours, with its own tests
"""

import argparse
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

NUM_TESTS = 400
NUM_FUNCTIONS = 60


def main() -> None:
    """Measure and print."""
    options = _options()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "project")
        if options.project is None:
            _generate(folder)
        else:
            shutil.copytree(options.project, folder, ignore=shutil.ignore_patterns(".wiremap", ".venv*", ".git"))
        _measure(folder, options.rounds, options.pytest_arguments)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--project", type=Path, help="folder of a project; its src/ is put on the path")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("pytest_arguments", nargs="*")
    return parser.parse_args()


def _measure(folder: Path, rounds: int, arguments: list[str]) -> None:
    plain = ["-q", "-p", "no:cacheprovider", *arguments]
    _cpu_seconds(folder, plain)  # byte code is written
    first = _cpu_seconds(folder, ["--wiremap-record", *plain])
    pairs = []
    for number in range(rounds):
        runs = [plain, ["--wiremap-record", *plain]]
        if number % 2:
            runs.reverse()
        seconds = [_cpu_seconds(folder, run) for run in runs]
        pairs.append(tuple(reversed(seconds)) if number % 2 else tuple(seconds))
    nothing_to_run = _cpu_seconds(folder, ["--wiremap", *plain])
    ratios = sorted(recorded / unrecorded for unrecorded, recorded in pairs)
    base = statistics.median(unrecorded for unrecorded, _ in pairs)
    print(f"Python {platform.python_version()}, pytest {pytest.__version__}, {rounds} interleaved rounds, CPU time")
    print(f"plain pytest                     {base:6.2f} s")
    print(f"recording                        x {statistics.median(ratios):.2f}  ({ratios[0]:.2f} to {ratios[-1]:.2f})")
    print(f"first recording, sources parsed  x {first / base:.2f}  (once)")
    print(f"nothing changed, nothing runs    x {nothing_to_run / base:.2f}  (once)")


def _cpu_seconds(folder: Path, arguments: list[str]) -> float:
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as where the tests are run day by day
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments], cwd=folder, env=environment, capture_output=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"The tests fail, so there is nothing to measure:\n{done.stdout.decode()[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _generate(folder: Path) -> None:
    (folder / "src").mkdir(parents=True)
    functions = [f"def f{number}(x):\n    return x + {number}\n" for number in range(NUM_FUNCTIONS)]
    (folder / "src" / "many.py").write_text("\n\n".join(functions), encoding="utf-8")
    calls = "\n".join(f"        total = many.f{number}(total)" for number in range(NUM_FUNCTIONS))
    test = (
        "import many\nimport pytest\n\n\n"
        f"@pytest.mark.parametrize('start', range({NUM_TESTS}))\n"
        f"def test_sum(start):\n    total = start\n    for _ in range(20):\n{calls}\n    assert total > start\n"
    )
    (folder / "test_many.py").write_text(test, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
