"""`generate`: completes prompts, all at once, and prints the texts in the order of the prompts."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wiremap_llm.cli.opening import add_model_flags, open_engine
from wiremap_llm.cli.output import say, write
from wiremap_llm.cli.sampling import DEFAULTS, add_sampling_flags, sampling_params
from wiremap_llm.engine_interface import Engine
from wiremap_llm.errors import InputError, NoTokenizerError
from wiremap_llm.outputs import StepOutput


def configure(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser("generate", help="print the completion of each prompt")
    parser.add_argument("prompts", nargs="*", metavar="PROMPT", help="(default: one prompt, standard input)")
    parser.add_argument(
        "--file", action="append", metavar="FILE", help="a prompt: the text of FILE; - is standard input"
    )
    parser.add_argument("--lines", metavar="FILE", help="many prompts: each line of FILE; - is standard input")
    parser.add_argument("--raw", action="store_true", help="continue the text: no chat template")
    parser.add_argument("--json", action="store_true", help="print one JSON object per completion, one a line")
    add_model_flags(parser)
    add_sampling_flags(parser, DEFAULTS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the completions; return 1 if one of them failed while it ran."""
    prompts = _prompts(options)
    params = sampling_params(options, DEFAULTS)
    engine = open_engine(options)
    ids = [engine.add_request(_encoded(engine, prompt, raw=options.raw), params) for prompt in prompts]
    printer = _JsonPrinter(ids) if options.json else _TextPrinter()
    is_failed = False
    for output in _in_order(engine, ids, num_samples=params.n):
        printer.show(output)
        if output.error is not None:
            say(str(output.error))
            is_failed = True
    return int(is_failed)


def _prompts(options: argparse.Namespace) -> list[str]:
    prompts = [*options.prompts, *(_text_of(file).removesuffix("\n") for file in options.file or ())]
    if options.lines is not None:
        prompts += [line for line in _text_of(options.lines).splitlines() if line.strip()]
    if prompts or options.lines is not None or options.file:
        return prompts
    if sys.stdin.isatty():
        raise InputError("There is no prompt: give some as arguments, in --file or --lines, or on standard input")
    return [_text_of("-").removesuffix("\n")]


def _text_of(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is no text in UTF-8") from error


def _encoded(engine: Engine, prompt: str, *, raw: bool) -> list[int]:
    if engine.tokenizer is None:
        raise NoTokenizerError("tokenizer")
    if raw:
        return engine.tokenizer.encode(prompt)
    return engine.tokenizer.encode_chat([{"role": "user", "content": prompt}])


def _in_order(engine: Engine, ids: Sequence[int], num_samples: int) -> Iterator[StepOutput]:
    """Yield what the engine gives: pieces of the first sample as they come, of others when it is their turn."""
    waiting: dict[tuple[int, int], list[StepOutput]] = {
        (request_id, sample): [] for request_id in ids for sample in range(num_samples)
    }
    while waiting:
        for output in engine.step():
            waiting[output.request_id, output.sample].append(output)
        while waiting:
            key, outputs = next(iter(waiting.items()))
            yield from outputs
            if not outputs or outputs[-1].finish_reason is None:
                outputs.clear()
                break
            del waiting[key]


class _TextPrinter:
    """Prints texts as they grow, each ended by a newline."""

    def show(self, output: StepOutput) -> None:
        write(output.text + ("" if output.finish_reason is None else "\n"))


@dataclass
class _JsonPrinter:
    """Prints one object per completion when it is whole."""

    ids: Sequence[int]
    text: str = ""
    token_ids: list[int] = field(default_factory=list)
    logprobs: list[dict[str, Any]] = field(default_factory=list)

    def show(self, output: StepOutput) -> None:
        self.text += output.text
        self.token_ids += output.token_ids
        self.logprobs += [each._asdict() for each in output.logprobs or ()]
        if output.finish_reason is None:
            return
        completion: dict[str, Any] = {
            "prompt": self.ids.index(output.request_id),
            "sample": output.sample,
            "text": self.text,
            "token_ids": self.token_ids,
            "finish_reason": output.finish_reason,
            "num_prompt_tokens": output.num_prompt_tokens,
            "num_cached_tokens": output.num_cached_tokens,
        }
        if self.logprobs:
            completion["logprobs"] = self.logprobs
        if output.error is not None:
            completion["error"] = str(output.error)
        write(json.dumps(completion, ensure_ascii=False) + "\n")
        self.text, self.token_ids, self.logprobs = "", [], []
