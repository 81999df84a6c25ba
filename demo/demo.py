"""The whole thread in one go: an engine generates, its wiring is drawn, its tests are recorded and selected.

Writes only below `demo-out/`. Started by `make demo`.
"""

import os
import shutil
import sys
import tarfile
from pathlib import Path

from steps import Edit, Step, say_step, show, start_repository

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "demo-out"
PYTHON = sys.executable
PROMPT = "What is the capital of France? Answer in one sentence."
TESTS = "tests/wiremap_llm"
PYPI_PROJECT = "click==8.5.1"

# Edits that change no result, so that the tests which they reach pass.
EDIT_OF_ENGINE = Edit(
    "llm/src/wiremap_llm/scheduler.py",
    old="        self.deallocate(request)\n        request.status = Status.WAITING\n",
    new="        request.status = Status.WAITING\n        self.deallocate(request)\n",
)
EDIT_OF_PYPI_PROJECT = Edit(
    "src/click/_termui_impl.py",
    old="        self.pos += n_steps\n",
    new="        self.pos = self.pos + n_steps\n",
)


def main() -> None:
    """Run all steps in order; the first command that fails ends the demo."""
    os.chdir(ROOT)
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    engine_generates()
    graphs_are_drawn()
    engine_tests_are_selected()
    foreign_project_is_selected()
    print(f"\nAll of it is in {OUT.name}/. Next: read README.md, or try `wiremap run` in a project of yours.")


def engine_generates() -> None:
    """Show text from the real small model."""
    say_step("The engine answers: a real 135M-parameter model, paged KV cache, continuous batching, on CPU.")
    show([PYTHON, "-m", "wiremap_llm", "generate", "--model", "smollm2", "--max-tokens", "40", PROMPT])


def graphs_are_drawn() -> None:
    """Show the recipe's graphs as text, and write them as Mermaid."""
    recipe = "wiremap_llm.recipes.dense"
    say_step("The recipe compiles to a graph without weights: the outer graph, and the local one in ModelRunner.")
    show([PYTHON, "-m", "wiremap", "graph", recipe])
    say_step("The same graph as Mermaid: blue labelled edges are cells, grey ones containment.")
    show([PYTHON, "-m", "wiremap", "graph", recipe, "--format", "mermaid", "-o", f"{OUT.name}/dense.mmd"])


def engine_tests_are_selected() -> None:
    """Record the engine's tests in a scratch copy, edit a function there, and run what it reaches."""
    copy = OUT / "engine"
    # Left out is what needs more of the repository than is copied, and what takes longest: servers and commands.
    needs_more = ("test_cutoff.py", "test_pages.py", "server", "cli")
    shutil.copytree(ROOT / "llm", copy / "llm", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    shutil.copytree(ROOT / TESTS, copy / TESTS, ignore=shutil.ignore_patterns("__pycache__", *needs_more))
    for file in ("pyproject.toml", "tests/__init__.py", "tests/conftest.py"):
        shutil.copy(ROOT / file, copy / file)
    start_repository(copy)
    step = Step(copy, path=[copy / "llm/src"])

    say_step("The engine's own tests run once, in a scratch copy, and what each of them rests on is recorded.")
    step.pytest("--wiremap", TESTS, "-q")
    say_step("Nothing changed: every test is proved unaffected.")
    step.wiremap("affected", TESTS)
    say_step("One function of the scheduler is edited: preemption marks a request as waiting first.")
    step.edit(EDIT_OF_ENGINE)
    say_step("`wiremap affected` names the component, the tests and the reasons.")
    step.wiremap("affected", TESTS)
    say_step("`wiremap explain` shows the chain from the test to the change.")
    step.wiremap("explain", step.first_affected(TESTS))
    say_step("Those tests run, and no others.")
    step.pytest("--wiremap", TESTS, "-q")


def foreign_project_is_selected() -> None:
    """Do the same with a project that knows nothing of wiremap."""
    say_step(f"The same on a project that registers nothing: {PYPI_PROJECT} from PyPI, with its own tests.")
    download = [PYTHON, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    show([*download, "--no-binary", ":all:", "--dest", OUT.name, PYPI_PROJECT])
    (archive,) = OUT.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(OUT, filter="data")
    folder = OUT / archive.name.removesuffix(".tar.gz")
    start_repository(folder)
    step = Step(folder, path=[folder / "src"])
    step.pytest("--wiremap", "-q")
    say_step("One function is edited: how a progress bar counts its steps.")
    step.edit(EDIT_OF_PYPI_PROJECT)
    step.wiremap("affected")
    say_step("The affected tests run.")
    step.pytest("--wiremap", "-q")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    main()
