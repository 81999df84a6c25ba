"""The whole engine: greedy tokens equal transformers' token by token, however they are computed."""

from dataclasses import replace
from typing import Any

import pytest

from tests.wiremap_llm.checkpoints import NUM_NEW_TOKENS, PROMPTS, ReferenceModel
from wiremap_llm.errors import (
    InvalidPromptError,
    NoModelError,
    NoTokenizerError,
    PromptsRefusedError,
    PromptTooLongError,
    RequestTooLargeError,
    SamplingParamsCountError,
    UnknownKeywordError,
)
from wiremap_llm.llm_engine import LLMEngine
from wiremap_llm.recipes.dense import combine
from wiremap_llm.request import SamplingParams

GREEDY = SamplingParams(temperature=0.0, max_tokens=NUM_NEW_TOKENS, ignore_eos=True)
SMALL_BLOCKS: dict[str, Any] = {"kvcache_block_size": 4, "num_kvcache_blocks": 64}
KINDS = ("qwen3-tied", "qwen3-untied", "llama")


def engine_for(folder: Any, **resources: Any) -> LLMEngine:
    engine, _ = combine(model=folder, **{**SMALL_BLOCKS, **resources})
    return engine


def tokens(engine: LLMEngine, params: SamplingParams = GREEDY) -> list[list[int]]:
    return [completion["token_ids"] for completion in engine.generate(PROMPTS, params)]


@pytest.mark.parametrize("kind", KINDS)
def test_one_batch_of_different_lengths_gives_the_tokens_of_transformers(
    kind: str, references: dict[str, ReferenceModel], greedy_tokens: dict[str, list[list[int]]]
) -> None:
    assert tokens(engine_for(references[kind].folder)) == greedy_tokens[kind]


@pytest.mark.parametrize("block_size", [1, 3, 16])
def test_the_block_size_does_not_change_a_token(
    block_size: int, qwen3_folder: str, greedy_tokens: dict[str, list[list[int]]]
) -> None:
    engine = engine_for(qwen3_folder, kvcache_block_size=block_size, num_kvcache_blocks=200)

    assert tokens(engine) == greedy_tokens["qwen3-tied"]


@pytest.mark.parametrize("budget", [5, 7, 16])
def test_prompts_fed_in_chunks_give_the_same_tokens(
    budget: int, qwen3_folder: str, greedy_tokens: dict[str, list[list[int]]]
) -> None:
    engine = engine_for(qwen3_folder, max_num_batched_tokens=budget, max_num_seqs=5)

    assert tokens(engine) == greedy_tokens["qwen3-tied"]


def test_a_prompt_fed_token_by_token_gives_the_same_tokens(
    qwen3_folder: str, greedy_tokens: dict[str, list[list[int]]]
) -> None:
    engine = engine_for(qwen3_folder, max_num_batched_tokens=1, max_num_seqs=1)

    assert tokens(engine) == greedy_tokens["qwen3-tied"]


@pytest.mark.parametrize("kind", KINDS)
def test_preempted_requests_give_the_same_tokens(
    kind: str, references: dict[str, ReferenceModel], greedy_tokens: dict[str, list[list[int]]]
) -> None:
    engine = engine_for(references[kind].folder, num_kvcache_blocks=12)
    lost = count_calls(engine.scheduler, "_preempt")

    assert tokens(engine) == greedy_tokens[kind]
    assert len(lost) >= 2


def test_requests_that_join_a_running_batch_get_their_own_tokens(
    qwen3_folder: str, greedy_tokens: dict[str, list[list[int]]]
) -> None:
    engine = engine_for(qwen3_folder, max_num_seqs=2)

    assert tokens(engine) == greedy_tokens["qwen3-tied"]


def test_two_engines_in_one_process_do_not_disturb_each_other(
    references: dict[str, ReferenceModel], greedy_tokens: dict[str, list[list[int]]]
) -> None:
    first, second = (engine_for(references[kind].folder) for kind in ("qwen3-tied", "llama"))
    for engine in (first, second):
        assert [engine.add_request(prompt, GREEDY) for prompt in PROMPTS] == list(range(len(PROMPTS)))

    found: dict[str, list[list[int]]] = {kind: [[] for _ in PROMPTS] for kind in ("qwen3-tied", "llama")}
    while not (first.is_finished() and second.is_finished()):
        for kind, engine in zip(found, (first, second), strict=True):
            for output in engine.step():
                found[kind][output.request_id] += output.token_ids

    assert found == {kind: greedy_tokens[kind] for kind in found}


def test_no_slot_is_read_before_it_is_written(qwen3_folder: str, greedy_tokens: dict[str, list[list[int]]]) -> None:
    engine = engine_for(qwen3_folder, num_kvcache_blocks=12)
    engine.model_runner.kv_cache.fill_(float("nan"))

    assert tokens(engine) == greedy_tokens["qwen3-tied"]


def test_an_engine_can_be_used_again_and_takes_all_blocks_back(
    qwen3_folder: str, greedy_tokens: dict[str, list[list[int]]]
) -> None:
    engine = engine_for(qwen3_folder)

    assert tokens(engine) == tokens(engine) == greedy_tokens["qwen3-tied"]
    assert engine.block_mngr.num_free == engine.config.num_kvcache_blocks


def test_generation_ends_at_an_end_of_sequence_token(
    qwen3_folder: str, greedy_tokens: dict[str, list[list[int]]]
) -> None:
    expected = greedy_tokens["qwen3-tied"][3]
    eos = expected[4]
    shape = engine_for(qwen3_folder).config.hf_config
    engine = engine_for(qwen3_folder, hf_config=replace(shape, eos_token_ids=(eos,)))

    ending = SamplingParams(temperature=0.0, max_tokens=NUM_NEW_TOKENS)
    (stopped,) = engine.generate([PROMPTS[3]], ending)
    (ignoring,) = engine.generate([PROMPTS[3]], GREEDY)

    assert stopped["token_ids"] == expected[: expected.index(eos) + 1]
    assert ignoring["token_ids"] == expected


def test_generation_ends_at_the_longest_model_length(
    qwen3_folder: str, greedy_tokens: dict[str, list[list[int]]]
) -> None:
    engine = engine_for(qwen3_folder, max_model_len=24)

    expected = [tokens[: 24 - len(prompt)] for prompt, tokens in zip(PROMPTS, greedy_tokens["qwen3-tied"], strict=True)]

    assert tokens(engine) == expected


@pytest.mark.parametrize("caching", [True, False])
@pytest.mark.parametrize(
    "resources", [{}, {"max_num_batched_tokens": 5, "max_num_seqs": 5}, {"num_kvcache_blocks": 12}]
)
def test_prompts_that_come_again_get_the_same_tokens_in_any_order(
    resources: dict[str, Any], *, caching: bool, qwen3_folder: str, greedy_tokens: dict[str, list[list[int]]]
) -> None:
    expected = list(zip(PROMPTS, greedy_tokens["qwen3-tied"], strict=True))
    engine = engine_for(qwen3_folder, prefix_caching=caching, **resources)

    for order in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 2, 0, 4, 1, 4, 3]):
        completions = engine.generate([expected[i][0] for i in order], GREEDY)

        assert [each["token_ids"] for each in completions] == [expected[i][1] for i in order]


def test_a_prompt_that_was_computed_before_is_fed_its_last_token_only(qwen3_folder: str) -> None:
    engine = engine_for(qwen3_folder)
    prompt = list(range(16))  # whole blocks
    first = list(engine.stream(prompt, GREEDY))
    fed = count_calls(engine, "run")

    again = list(engine.stream(prompt, GREEDY))

    assert [batch.num_tokens for (batch,) in fed] == [1] * NUM_NEW_TOKENS
    assert (first[0].num_cached_tokens, again[0].num_cached_tokens) == (0, 15)
    assert [output.token_ids for output in again] == [output.token_ids for output in first]


def test_equal_prompts_that_come_together_are_computed_once(qwen3_folder: str) -> None:
    engine = engine_for(qwen3_folder)
    fed = count_calls(engine, "run")

    engine.generate([list(range(17))] * 8, SamplingParams(temperature=0.0, max_tokens=1))

    assert [batch.num_tokens for (batch,) in fed] == [17, 7]


def test_samples_of_one_prompt_share_it_and_differ(qwen3_folder: str) -> None:
    engine = engine_for(qwen3_folder)
    fed = count_calls(engine, "run")
    params = SamplingParams(n=3, seed=5, max_tokens=NUM_NEW_TOKENS, ignore_eos=True)

    (completion,) = engine.generate([list(range(17))], params)
    samples = [sample["token_ids"] for sample in completion["samples"]]
    (alone,) = engine.generate([list(range(17))], replace(params, n=1))

    assert [batch.num_tokens for (batch,) in fed[:2]] == [17, 3]
    assert completion["token_ids"] == samples[0] == alone["token_ids"]
    assert len({tuple(sample) for sample in samples}) == 3
    assert "samples" not in alone


def test_logprobs_are_those_of_transformers(references: dict[str, ReferenceModel]) -> None:
    reference = references["qwen3-tied"]
    params = SamplingParams(temperature=0.7, top_k=5, seed=1, max_tokens=6, logprobs=3, ignore_eos=True)

    (completion,) = engine_for(reference.folder).generate([PROMPTS[3]], params)

    tokens = completion["token_ids"]
    expected = reference.logits([*PROMPTS[3], *tokens]).log_softmax(-1)[len(PROMPTS[3]) - 1 : -1]
    assert [each.token_id for each in completion["logprobs"]] == tokens
    for each, row in zip(completion["logprobs"], expected, strict=True):
        best = row.topk(3)
        assert each.logprob == pytest.approx(float(row[each.token_id]), abs=1e-3)
        assert [token for token, _ in each.best] == best.indices.tolist()
        assert [logprob for _, logprob in each.best] == pytest.approx(best.values.tolist(), abs=1e-3)


def test_no_stop_token_comes_before_the_least_number_of_tokens(
    qwen3_folder: str, greedy_tokens: dict[str, list[list[int]]]
) -> None:
    stop = greedy_tokens["qwen3-tied"][3][0]
    engine = engine_for(qwen3_folder)

    def ended(min_tokens: int) -> list[int]:
        params = SamplingParams(temperature=0.0, stop_token_ids=[stop], min_tokens=min_tokens)
        return engine.generate([PROMPTS[3]], params)[0]["token_ids"]

    assert ended(0) == ended(1) == [stop]
    assert stop not in ended(5)[:4]
    assert len(ended(5)) >= 5


def test_each_prompt_can_have_its_own_parameters(qwen3_folder: str) -> None:
    params = [SamplingParams(temperature=0.0, max_tokens=n, ignore_eos=True) for n in range(1, 6)]

    lengths = [len(each["token_ids"]) for each in engine_for(qwen3_folder).generate(PROMPTS, params)]

    assert lengths == [1, 2, 3, 4, 5]


def test_a_seed_repeats_sampled_tokens_whoever_shares_the_batch(qwen3_folder: str) -> None:
    sampled = SamplingParams(temperature=1.0, max_tokens=NUM_NEW_TOKENS, ignore_eos=True, seed=3)
    engine = engine_for(qwen3_folder)

    together = tokens(engine, sampled)
    alone = engine.generate([PROMPTS[2]], sampled)[0]["token_ids"]
    preempted = tokens(engine_for(qwen3_folder, num_kvcache_blocks=12), sampled)

    assert together[2] == alone
    assert together == preempted


def test_requests_without_a_seed_differ_and_repeat_with_the_engines_seed(qwen3_folder: str) -> None:
    sampled = SamplingParams(temperature=1.0, max_tokens=NUM_NEW_TOKENS, ignore_eos=True)

    def twice(seed: int) -> list[list[int]]:
        engine = engine_for(qwen3_folder, seed=seed)
        return [each["token_ids"] for each in engine.generate([PROMPTS[3]] * 2, sampled)]

    assert twice(5) == twice(5) != twice(6)
    assert twice(5)[0] != twice(5)[1]


def test_bfloat16_runs(qwen3_folder: str) -> None:
    assert [len(each) for each in tokens(engine_for(qwen3_folder, dtype="bfloat16"))] == [16] * 5


@pytest.mark.parametrize(
    ("prompts", "error", "message"),
    [
        ([[1], []], InvalidPromptError, "Prompt 1: The prompt is empty"),
        ([[1], [2, 128]], InvalidPromptError, "Prompt 1: The prompt holds 128, not a token id below 128"),
        ([[-1]], InvalidPromptError, "Prompt 0: The prompt holds -1"),
        (["text"], NoTokenizerError, "has no tokenizer: give prompts as lists of token ids"),
        ([[1], [1] * 128], PromptTooLongError, "128 tokens, and at most 127 fit"),
        ([[1], [1] * 40], RequestTooLargeError, "may need 14 KV blocks and the pool has 12"),
    ],
)
def test_a_prompt_that_cannot_be_served_is_refused_and_nothing_is_queued(
    prompts: Any, error: type[Exception], message: str, qwen3_folder: str
) -> None:
    engine = engine_for(qwen3_folder, num_kvcache_blocks=12, max_model_len=128)

    with pytest.raises(PromptsRefusedError, match=message) as refused:
        engine.generate(prompts, GREEDY)

    assert {type(each) for each in refused.value.errors.values()} == {error}
    assert engine.is_finished()


def test_a_bare_text_is_no_list_of_prompts(qwen3_folder: str) -> None:
    with pytest.raises(InvalidPromptError, match="bare text: give a list"):
        engine_for(qwen3_folder).generate("bare", GREEDY)


def test_as_many_parameters_as_prompts_are_needed(qwen3_folder: str) -> None:
    with pytest.raises(SamplingParamsCountError, match="2 SamplingParams were given for 1 prompts"):
        engine_for(qwen3_folder).generate([[1]], [GREEDY, GREEDY])


def test_no_prompts_give_no_completions(qwen3_folder: str) -> None:
    assert engine_for(qwen3_folder).generate([], GREEDY) == []


def test_an_unknown_keyword_is_refused_with_a_near_name() -> None:
    with pytest.raises(UnknownKeywordError, match=r"'max_model_length'.*Did you mean 'max_model_len'"):
        LLMEngine(max_model_length=3)


def test_an_engine_without_a_model_says_what_to_pass() -> None:
    with pytest.raises(NoModelError, match=r"pass model= a folder in the Hugging Face layout, or a \.gguf file"):
        LLMEngine()


def count_calls(owner: Any, method: str) -> list[Any]:
    """Replace a method by one that also notes its calls; return the notes."""
    calls: list[Any] = []
    original = getattr(owner, method)

    def noting(*arguments: Any) -> Any:
        calls.append(arguments)
        return original(*arguments)

    setattr(owner, method, noting)
    return calls
