"""`graph`: shows how a recipe wires the engine. The pictures are wiremap's own."""

import argparse
import tempfile
from pathlib import Path

from wiremap import Graph, compile_mode, subscribe
from wiremap.cli.main import main as wiremap
from wiremap_llm.cli.opening import add_recipe_flag, combine_of, model_path


def configure(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "graph", help="show how the recipe wires the engine", epilog="Further options are those of `wiremap graph`."
    )
    parser.add_argument("--model", help="wire it for this checkpoint; its weights are not read")
    add_recipe_flag(parser)
    parser.set_defaults(run=run, takes_more=True)


def run(options: argparse.Namespace) -> int:
    """Hand over to `wiremap graph`."""
    combine = combine_of(options.recipe)
    if options.model is None:
        return wiremap(["graph", options.recipe, *options.more])
    from wiremap_llm.checkpoint.opening import open_checkpoint  # noqa: PLC0415 - it loads torch, `--help` need not

    config = open_checkpoint(model_path(options.model)).model_config()
    graphs: list[Graph] = []
    stop = subscribe(graphs.append)
    try:
        with compile_mode():
            combine(hf_config=config)
    finally:
        stop()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "graph.json"
        file.write_text(graphs[-1].to_json(), encoding="utf-8")
        return wiremap(["graph", str(file), *options.more])
