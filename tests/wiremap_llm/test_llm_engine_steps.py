"""Requests come and go at any moment, and outputs come as they are made."""

from typing import Any

import pytest

from tests.wiremap_llm.fakes import HashingRunner
from tests.wiremap_llm.hashing_engine import hashing_engine
from wiremap_llm.batch import Batch
from wiremap_llm.errors import InvalidPromptError, InvalidSamplingParamsError, NoTokenizerError
from wiremap_llm.llm_engine import LLMEngine
from wiremap_llm.outputs import Outcome, StepOutput
from wiremap_llm.request import SamplingParams

FIVE = SamplingParams(temperature=0.0, max_tokens=5)


class Spelling(HashingRunner):
    """Generates a given text, token by token, whatever the prompt."""

    tokens: tuple[int, ...] = ()

    def run(self, batch: Batch) -> list[Outcome]:
        outcomes = super().run(batch)
        return [
            outcome if outcome is None else outcome._replace(token_id=self.tokens[chunk.request.num_completion_tokens])  # type: ignore[union-attr] # nothing fails
            for chunk, outcome in zip(batch.chunks, outcomes, strict=True)
        ]


def spelling(text: str, **resources: Any) -> LLMEngine:
    engine = hashing_engine(Spelling, **resources)
    assert engine.tokenizer is not None
    engine.model_runner.tokens = tuple(engine.tokenizer.encode(text))  # type: ignore[attr-defined] # it is Spelling
    return engine


def spelled(engine: LLMEngine, **params: Any) -> list[StepOutput]:
    number = len(engine.model_runner.tokens)  # type: ignore[attr-defined] # it is Spelling
    return list(engine.stream([1, 2], SamplingParams(**{"temperature": 0.0, "max_tokens": number, **params})))


def all_steps(engine: LLMEngine) -> list[StepOutput]:
    outputs = []
    while not engine.is_finished():
        outputs += engine.step()
    return outputs + engine.step()


def assert_nothing_is_left(engine: LLMEngine) -> None:
    assert engine.is_finished()
    assert engine.block_mngr.num_free == engine.block_mngr.num_blocks
    assert (engine._live, engine._mailboxes) == ({}, {})


def test_each_step_tells_what_each_sample_got() -> None:
    engine = hashing_engine()
    first, second = engine.add_request([1, 2, 3], FIVE), engine.add_request([4], FIVE)

    steps = [engine.step() for _ in range(5)]

    assert [[output.request_id for output in outputs] for outputs in steps] == [[second, first]] + [[first, second]] * 4
    assert all(len(output.token_ids) == 1 for outputs in steps for output in outputs)
    assert [output.finish_reason for output in steps[-1]] == ["length", "length"]
    assert engine.step() == []


def test_generate_and_stream_get_what_is_theirs_while_others_run() -> None:
    alone = [hashing_engine().generate([prompt], FIVE)[0] for prompt in ([1, 2, 3], [4], [5, 6])]
    engine = hashing_engine()
    own = engine.add_request([1, 2, 3], FIVE)
    stream = engine.stream([4], FIVE)

    streamed = [next(stream)]
    (generated,) = engine.generate([[5, 6]], FIVE)
    streamed += stream

    stepped = engine.step()
    assert {output.request_id for output in stepped} == {own}
    for outputs, expected in ((stepped, alone[0]), (streamed, alone[1])):
        assert [token for output in outputs for token in output.token_ids] == expected["token_ids"]
        assert "".join(output.text for output in outputs) == expected["text"]
    assert generated == alone[2]
    assert_nothing_is_left(engine)


def test_an_aborted_request_ends_with_one_more_output() -> None:
    engine = hashing_engine()
    unwanted, other = engine.add_request([1, 2], FIVE), engine.add_request([3], FIVE)
    engine.step()

    engine.abort(unwanted)
    outputs = all_steps(engine)

    assert [(o.token_ids, o.finish_reason) for o in outputs if o.request_id == unwanted] == [((), "abort")]
    assert sum(len(o.token_ids) for o in outputs if o.request_id == other) == 4
    assert_nothing_is_left(engine)


def test_every_sample_of_an_aborted_request_ends() -> None:
    engine = hashing_engine(max_num_seqs=2)  # the third sample waits
    unwanted = engine.add_request([1, 2], SamplingParams(n=3))
    engine.step()

    engine.abort(unwanted)

    assert sorted((o.sample, o.finish_reason) for o in engine.step()) == [(i, "abort") for i in range(3)]
    assert_nothing_is_left(engine)


def test_aborting_twice_or_too_late_or_something_unknown_changes_nothing() -> None:
    engine = hashing_engine()
    request_id = engine.add_request([1, 2], FIVE)
    finished = engine.add_request([3], SamplingParams(max_tokens=1))
    engine.step()

    for each in (request_id, request_id, finished, 99):
        engine.abort(each)

    assert [o.request_id for o in engine.step()] == [request_id]
    assert_nothing_is_left(engine)


@pytest.mark.parametrize("when", range(5))
def test_a_request_can_be_aborted_while_its_step_is_computed(when: int) -> None:
    engine = hashing_engine()
    unwanted, other = engine.add_request([1, 2], FIVE), engine.add_request([3], FIVE)
    run, steps = engine.run, iter(range(5))

    def aborting(batch: Batch) -> Any:
        outcomes = run(batch)
        if next(steps) == when:
            engine.abort(unwanted)
        return outcomes

    engine.run = aborting
    outputs = all_steps(engine)

    of_unwanted = [o for o in outputs if o.request_id == unwanted]
    assert [len(o.token_ids) for o in of_unwanted] == [1] * when + [0]
    assert of_unwanted[-1].finish_reason == "abort"
    assert sum(len(o.token_ids) for o in outputs if o.request_id == other) == 5
    assert_nothing_is_left(engine)


def test_closing_a_stream_aborts_its_request() -> None:
    engine = hashing_engine()
    begun, untouched = engine.stream([1], FIVE), engine.stream([2], FIVE)
    next(begun)

    for stream in (begun, untouched):
        stream.close()

    assert_nothing_is_left(engine)


def test_a_stream_refuses_its_prompt_at_once() -> None:
    with pytest.raises(InvalidPromptError):
        hashing_engine().stream([], FIVE)


@pytest.mark.parametrize(
    ("prompt", "params", "message"),
    [
        ([True], FIVE, "holds True, not a token id"),
        (["a"], FIVE, "holds 'a', not a token id"),
        ([1], {"max_tokens": 3}, "they are {'max_tokens': 3}, not SamplingParams"),
        ([1], None, "they are None, not SamplingParams"),
    ],
)
def test_what_is_no_prompt_or_no_parameters_is_refused(prompt: Any, params: Any, message: str) -> None:
    engine = hashing_engine()

    with pytest.raises((InvalidPromptError, InvalidSamplingParamsError), match=message):
        engine.add_request(prompt, params)

    assert_nothing_is_left(engine)


def test_stop_strings_need_a_tokenizer() -> None:
    engine = hashing_engine()
    engine.tokenizer = None

    with pytest.raises(NoTokenizerError, match="tokenizer to find stop strings with"):
        engine.add_request([1], SamplingParams(stop="x"))


def test_text_comes_with_its_tokens() -> None:
    outputs = spelled(spelling("hello you"))

    assert [output.text for output in outputs] == ["hello", " ", "y", "o", "u"]


def test_text_that_may_begin_a_stop_string_is_held_back() -> None:
    outputs = spelled(spelling("to the tea"), stop=["the", "te"], min_tokens=2)

    assert [output.text for output in outputs] == ["", "to", " ", "", ""]
    assert outputs[-1].finish_reason == "stop"


def test_text_that_was_held_back_comes_with_the_end() -> None:
    outputs = spelled(spelling("hello the"), stop="then")

    assert "".join(output.text for output in outputs) == "hello the"
    assert (outputs[-2].text, outputs[-1].text, outputs[-1].finish_reason) == ("", "the", "length")


def test_a_stop_string_counts_only_from_the_least_number_of_tokens_on() -> None:
    engine = spelling("a,a,a,a")

    assert ["".join(o.text for o in spelled(engine, stop=",", min_tokens=n)) for n in (0, 2, 3, 5)] == [
        "a",
        "a",
        "a,a",
        "a,a,a",
    ]


def test_a_stop_string_that_the_last_token_completes_is_the_reason() -> None:
    outputs = spelled(spelling("ab."), stop=".")

    assert (outputs[-1].finish_reason, "".join(o.text for o in outputs)) == ("stop", "ab")
