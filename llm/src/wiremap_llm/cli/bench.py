"""`bench`: how fast this machine runs a model, in this minute. It compares with nothing else."""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from random import Random

from wiremap_llm.block_manager import blocks_needed
from wiremap_llm.cli.opening import add_model_flags, open_engine
from wiremap_llm.cli.output import say, write
from wiremap_llm.config import EngineConfig
from wiremap_llm.engine_interface import Engine
from wiremap_llm.errors import InputError
from wiremap_llm.request import SamplingParams

_DECODE_PROMPT = 16  # tokens: few, so that a step reads weights and little else
_NOTE = (
    "One run of random tokens on this machine, at this minute's load; each line is the better of {rounds} rounds. "
    "CPU seconds are those of all threads of the process. Compare engines only in one interleaved run."
)


@dataclass(frozen=True)
class Measurement:
    """Tokens computed, and the time that the process and the wall clock say it took."""

    name: str
    num_requests: int
    num_tokens: int
    wall_seconds: float
    cpu_seconds: float


def configure(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser("bench", help="measure prefill and decode on this machine")
    parser.add_argument("--prompt-tokens", type=int, default=512, metavar="INT", help="tokens to prefill (512)")
    parser.add_argument("--new-tokens", type=int, default=32, metavar="INT", help="tokens to decode per request (32)")
    parser.add_argument(
        "--requests", type=int, nargs="+", default=[1, 8, 32], metavar="INT", help="requests to decode at once (1 8 32)"
    )
    parser.add_argument("--rounds", type=int, default=2, metavar="INT", help="times each is measured (2)")
    parser.add_argument("--json", action="store_true", help="print one JSON object per measurement, one a line")
    add_model_flags(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print a table of what was measured."""
    _refuse_what_measures_nothing(options)
    _make_room(options)
    bench = Bench(open_engine(options))
    bench.prefill(options.prompt_tokens)  # a first run pays for what later ones find made
    found = [best_of(options.rounds, partial(bench.prefill, options.prompt_tokens))]
    found += [best_of(options.rounds, partial(bench.decode, n, options.new_tokens)) for n in options.requests]
    write(_as_json(found) if options.json else _as_table(found))
    say(_NOTE.format(rounds=options.rounds))
    return 0


def _refuse_what_measures_nothing(options: argparse.Namespace) -> None:
    numbers = {"--prompt-tokens": [options.prompt_tokens], "--new-tokens": [options.new_tokens]}
    numbers |= {"--requests": options.requests, "--rounds": [options.rounds]}
    bad = [f"{flag} {value}" for flag, values in numbers.items() for value in values if value < 1]
    if bad:
        raise InputError(f"{', '.join(bad)}: numbers from 1 up can be measured")


def _make_room(options: argparse.Namespace) -> None:
    """Let all requests run at once: an engine that has to wait or to compute again measures something else."""
    options.max_num_seqs = max([getattr(options, "max_num_seqs", 1), *options.requests])
    options.max_num_batched_tokens = max(
        getattr(options, "max_num_batched_tokens", EngineConfig.max_num_batched_tokens), options.max_num_seqs
    )
    block_size = getattr(options, "kvcache_block_size", EngineConfig.kvcache_block_size)
    most_tokens = max(
        options.prompt_tokens + 1, *(n * (_DECODE_PROMPT + options.new_tokens + block_size) for n in options.requests)
    )
    needed = blocks_needed(most_tokens, block_size)
    options.num_kvcache_blocks = max(getattr(options, "num_kvcache_blocks", EngineConfig.num_kvcache_blocks), needed)


def best_of(rounds: int, measure: Callable[[], Measurement]) -> Measurement:
    """Return the fastest: neighbours on a machine make others slower, never faster."""
    return min((measure() for _ in range(rounds)), key=lambda each: each.wall_seconds)


class Bench:
    """Measures one engine. No two of its prompts are equal, so that no cache of prefixes helps."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._random = Random(0)  # noqa: S311 - any tokens will do

    def prefill(self, num_tokens: int) -> Measurement:
        """Time one prompt up to its first token."""
        self._add(num_tokens, 1)
        _, wall, cpu = self._timed_to_the_end()
        return Measurement("prefill", 1, num_tokens, wall, cpu)

    def decode(self, num_requests: int, num_new_tokens: int) -> Measurement:
        """Time the tokens that come when every request has its first one, all requests at once."""
        for _ in range(num_requests):
            self._add(_DECODE_PROMPT, num_new_tokens + 1)
        started: set[int] = set()
        while len(started) < num_requests:
            started |= {output.request_id for output in self._engine.step()}
        num_tokens, wall, cpu = self._timed_to_the_end()
        return Measurement("decode", num_requests, num_tokens, wall, cpu)

    def _add(self, num_prompt_tokens: int, num_new_tokens: int) -> None:
        vocab_size = self._engine.config.hf_config.vocab_size
        prompt = [self._random.randrange(vocab_size) for _ in range(num_prompt_tokens)]
        self._engine.add_request(prompt, SamplingParams(temperature=0.0, max_tokens=num_new_tokens, ignore_eos=True))

    def _timed_to_the_end(self) -> tuple[int, float, float]:
        """Step until nothing is left; return the tokens generated, and wall and CPU seconds."""
        num_tokens = 0
        wall, cpu = time.perf_counter(), time.process_time()
        while not self._engine.is_finished():
            num_tokens += sum(len(output.token_ids) for output in self._engine.step())
        return num_tokens, time.perf_counter() - wall, time.process_time() - cpu


def _as_table(found: Sequence[Measurement]) -> str:
    head = f"{'':8} {'requests':>8} {'tokens':>7} {'wall s':>8} {'CPU s':>8} {'tokens/s':>9} {'tokens/CPU s':>13}\n"
    rows = [
        f"{m.name:8} {m.num_requests:8} {m.num_tokens:7} {m.wall_seconds:8.2f} {m.cpu_seconds:8.2f} "
        f"{m.num_tokens / m.wall_seconds:9.1f} {m.num_tokens / m.cpu_seconds:13.1f}\n"
        for m in found
    ]
    return head + "".join(rows)


def _as_json(found: Sequence[Measurement]) -> str:
    return "".join(json.dumps(asdict(each)) + "\n" for each in found)
