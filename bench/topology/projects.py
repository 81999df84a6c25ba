"""The projects: two examples of this repository, and its engine with the engine's tests."""

import shutil
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
_SLOW = (
    "tests/wiremap_llm/test_smollm2.py",  # a model of half a gigabyte
    "tests/wiremap_llm/recipes/test_cutoff.py",  # records a project itself
    "tests/wiremap_llm/test_main.py",  # starts programs
    "tests/wiremap_llm/test_large_moe.py",  # does not use the engine
    "tests/wiremap_llm/large_moe.py",
)


@dataclass(frozen=True)
class Project:
    """One project.

    Attributes:
        name: What it is called in the results.
        parts: Folders and files of the repository, and where each stands in the project.
        package: Where the edits are made.
        path: What is put on the path of imports.
        preload: Modules that cost much to import and that no edit touches.
    """

    name: str
    parts: tuple[tuple[str, str], ...]
    package: str
    path: tuple[str, ...] = ()
    preload: tuple[str, ...] = ()

    def lay_out(self, repository: Path, folder: Path) -> None:
        """Copy the project of *repository*, which may be of another commit, to *folder*."""
        nothing = shutil.ignore_patterns("__pycache__", ".wiremap", ".pytest_cache", "*.egg-info")
        for source, target in self.parts:
            if (repository / source).is_dir():
                shutil.copytree(repository / source, folder / target, ignore=nothing, dirs_exist_ok=True)
            elif (repository / source).exists():
                (folder / target).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(repository / source, folder / target)
        for name in _SLOW:
            (folder / name).unlink(missing_ok=True)


ENGINE = Project(
    "engine",
    (
        ("llm/src/wiremap_llm", "wiremap_llm"),
        ("tests/__init__.py", "tests/__init__.py"),
        ("tests/wiremap_llm", "tests/wiremap_llm"),
    ),
    "wiremap_llm",
    (".",),
    (
        "torch",
        "transformers",
        "transformers.models.llama",
        "transformers.models.qwen3",
        "tokenizers",
        "safetensors.torch",
    ),
)
PROJECTS = (
    Project("pipeline", (("examples/pipeline", "."),), "pipeline", (".",)),
    Project("service", (("examples/service", "."),), "service", (".",)),
    ENGINE,
)
