"""Any traffic in any cache: texts as if each request were alone, no block lost, nobody left waiting."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wiremap_llm.fakes import VOCAB_SIZE, assert_blocks_are_accounted_for
from tests.wiremap_llm.hashing_engine import hashing_engine
from wiremap_llm.batch import Batch
from wiremap_llm.errors import NotFiniteError
from wiremap_llm.llm_engine import LLMEngine
from wiremap_llm.outputs import Outcome, StepOutput
from wiremap_llm.recipes.dense import combine
from wiremap_llm.request import Request, SamplingParams, Status

MOST_TOKENS = 20  # generated for one sample


@dataclass(frozen=True)
class Arrival:
    """A request comes: the first tokens of a text that many share, then some of its own."""

    num_shared: int
    own: tuple[int, ...]
    num_tokens: int
    n: int
    stop: str

    @property
    def prompt(self) -> tuple[int, ...]:
        return (*((7 * i) % VOCAB_SIZE for i in range(self.num_shared)), *self.own)


@dataclass(frozen=True)
class Abort:
    """A request is not wanted any more; its number counts from the latest."""

    index: int


@dataclass(frozen=True)
class Steps:
    """Time goes by."""

    number: int


@dataclass(frozen=True)
class Fault:
    """The next step raises when it has computed half of its chunks, or one of its chunks fails alone."""

    raises: bool


Event = Arrival | Abort | Steps | Fault
ARRIVALS = st.builds(
    Arrival,
    st.integers(0, 14),
    st.lists(st.integers(2, 4), min_size=1, max_size=9).map(tuple),
    st.sampled_from((1, 2, 5, MOST_TOKENS - 1, MOST_TOKENS)),
    st.sampled_from((1, 1, 2, 3)),
    st.sampled_from(("", "", "e", "he")),
)
EVENTS = st.lists(
    st.one_of(
        ARRIVALS,
        ARRIVALS,
        st.builds(Abort, st.integers(0, 5)),
        st.builds(Steps, st.integers(1, 9)),
        st.builds(Fault, st.booleans()),
    ),
    min_size=4,
    max_size=20,
)


@st.composite
def resources(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a configuration in which any one of the requests just fits."""
    block_size = draw(st.sampled_from((1, 2, 4, 16)))
    seats = draw(st.integers(1, 6))
    least = -(-(14 + 9 + MOST_TOKENS) // block_size)
    return {
        "kvcache_block_size": block_size,
        "num_kvcache_blocks": draw(st.integers(least, least + least // 3)),
        "max_num_seqs": seats,
        "max_num_batched_tokens": draw(st.integers(seats, 40)),
        "prefix_caching": draw(st.booleans()),
    }


@dataclass
class Sample:
    """What one sample of a request got so far."""

    token_ids: list[int] = field(default_factory=list)
    text: str = ""
    finish_reason: str | None = None

    def add(self, output: StepOutput) -> None:
        assert self.finish_reason is None, "nothing follows the end"
        self.token_ids += output.token_ids
        self.text += output.text
        self.finish_reason = output.finish_reason


class Traffic:
    """Lets events happen to an engine, and watches it."""

    def __init__(self, engine: LLMEngine, *, ignore_stops: bool = False) -> None:
        self.engine = engine
        self.ignore_stops = ignore_stops
        self.arrivals: list[Arrival] = []
        self.samples: dict[tuple[int, int], Sample] = {}
        self.requests: list[Request] = []
        # How many steps each sample may wait for its first token.
        self.patience: dict[Request, int] = {}

    def happen(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, Arrival):
                self.arrive(event)
            elif isinstance(event, Abort):
                self.engine.abort(len(self.arrivals) - 1 - event.index)
            elif isinstance(event, Fault):
                self.inject(event)
            else:
                for _ in range(event.number):
                    self.step()
        while not self.engine.is_finished():
            self.step()
        self.take_outputs(self.engine.step())  # aborts of the end

    def arrive(self, arrival: Arrival) -> None:
        request_id = self.engine.add_request(arrival.prompt, self.params(arrival))
        assert request_id == len(self.arrivals)
        self.arrivals.append(arrival)
        self.samples.update({(request_id, sample): Sample() for sample in range(arrival.n)})
        for request in self.engine._live[request_id]:
            self.requests.append(request)
            # In every step the earliest proceeds by a token or more.
            self.patience[request] = sum(
                each.num_prompt_tokens + each.params.max_tokens
                for each in self.requests
                if each.status is not Status.FINISHED
            )

    def inject(self, fault: Fault) -> None:
        """Let the next run fail."""
        runner = self.engine.model_runner
        run = runner.run

        def failing(batch: Batch) -> list[Outcome]:
            self.engine.run = run
            if fault.raises:
                run(Batch(batch.chunks[: len(batch.chunks) // 2]))
                raise RuntimeError("injected")
            outcomes = run(batch)
            return [NotFiniteError(), *outcomes[1:]]

        self.engine.run = failing

    def params(self, arrival: Arrival) -> SamplingParams:
        stop = () if self.ignore_stops or not arrival.stop else arrival.stop
        return SamplingParams(temperature=0.0, max_tokens=arrival.num_tokens, n=arrival.n, stop=stop, ignore_eos=True)

    def step(self) -> None:
        decoding = [r for r in self.requests if r.status is Status.RUNNING and r.num_pending == 1]
        before = {r: r.num_completion_tokens for r in decoding}
        earliest = next((r for r in self.requests if r.status is not Status.FINISHED), None)

        self.take_outputs(self.engine.step())

        for request in decoding:
            was_preempted = request.status is Status.WAITING
            has_failed = request.finish_reason == "error"
            assert was_preempted or has_failed or request.num_completion_tokens == before[request] + 1
            assert not was_preempted or request is not earliest
        for request in self.requests:
            if request.status is not Status.FINISHED and not request.num_completion_tokens:
                self.patience[request] -= 1
                assert self.patience[request] >= 0, "it waits longer than all before it can take"
        assert_blocks_are_accounted_for(self.engine.block_mngr, self.requests)

    def take_outputs(self, outputs: list[StepOutput]) -> None:
        for output in outputs:
            self.samples[output.request_id, output.sample].add(output)

    def assert_as_if_alone(self, alone: Callable[[Arrival, int], Sample]) -> None:
        for (request_id, number), sample in self.samples.items():
            expected = alone(self.arrivals[request_id], number)
            if sample.finish_reason in {"abort", "error"}:
                assert sample.token_ids == expected.token_ids[: len(sample.token_ids)]
                assert sample.text == self.text(sample.token_ids)
            else:
                assert sample == expected

    def text(self, token_ids: list[int]) -> str:
        return "" if self.engine.tokenizer is None else self.engine.tokenizer.decode(token_ids)

    def assert_nothing_is_left(self) -> None:
        blocks = self.engine.block_mngr
        assert blocks.num_free == blocks.num_blocks
        assert not blocks._in_progress
        assert not self.engine._live
        assert all(not request.block_table for request in self.requests)


@cache
def hashed_alone(arrival: Arrival, number: int) -> Sample:
    """Return what a sample gets in an engine of its own, which shares and cuts nothing."""
    traffic = Traffic(hashing_engine(max_num_seqs=1, prefix_caching=False))
    traffic.happen([arrival])
    return traffic.samples[0, number]


@given(EVENTS, resources())
@settings(max_examples=300)
def test_hashed_texts_are_as_if_each_request_were_alone(events: list[Event], config: dict[str, Any]) -> None:
    traffic = Traffic(hashing_engine(**config))

    traffic.happen(events)

    traffic.assert_nothing_is_left()
    traffic.assert_as_if_alone(hashed_alone)


def test_the_tokens_of_a_model_are_as_if_each_request_were_alone(qwen3_folder: str) -> None:
    alone, _ = combine(model=qwen3_folder, max_num_seqs=1, prefix_caching=False)

    @cache
    def computed_alone(prompt: tuple[int, ...]) -> list[int]:
        params = SamplingParams(temperature=0.0, max_tokens=MOST_TOKENS, ignore_eos=True)
        return alone.generate([prompt], params)[0]["token_ids"]

    def sample_alone(arrival: Arrival, _: int) -> Sample:
        return Sample(computed_alone(arrival.prompt)[: arrival.num_tokens], "", "length")

    @given(EVENTS, resources())
    @settings(max_examples=25)
    def check(events: list[Event], config: dict[str, Any]) -> None:
        engine, _ = combine(model=qwen3_folder, **config)
        engine.model_runner.kv_cache.fill_(float("nan"))  # whatever is read was written
        traffic = Traffic(engine, ignore_stops=True)

        traffic.happen(events)

        traffic.assert_nothing_is_left()
        traffic.assert_as_if_alone(sample_alone)

    check()
