"""Every request ends, budgets hold, nothing starves, and preemption changes no token."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wiremap_llm.fakes import (
    Loop,
    assert_blocks_are_accounted_for,
    engine_config,
    request,
)
from wiremap_llm.batch import Batch
from wiremap_llm.errors import PromptTooLongError, RequestTooLargeError
from wiremap_llm.request import Request, Status

REQUESTS = st.lists(st.tuples(st.integers(1, 20), st.integers(1, 12)), min_size=1, max_size=8)


def requests_of(sizes: list[tuple[int, int]]) -> list[Request]:
    """Return requests with prompts that differ, of (prompt length, max_tokens) each."""
    return [
        request([(i * 31 + n) % 128 for n in range(length)], i, max_tokens=most)
        for i, (length, most) in enumerate(sizes)
    ]


def completions(sizes: list[tuple[int, int]], **resources: Any) -> list[list[int]]:
    loop, requests = Loop(engine_config(**resources)), requests_of(sizes)
    loop.scheduler.add(requests)
    for _ in loop.steps():
        pass
    return [each.completion for each in requests]


@given(REQUESTS, st.integers(8, 14), st.integers(4, 20), st.integers(1, 4))
def test_every_request_ends_within_its_budgets_and_blocks_come_back(
    sizes: list[tuple[int, int]], num_blocks: int, budget: int, seats: int
) -> None:
    config = engine_config(num_kvcache_blocks=num_blocks, max_num_batched_tokens=budget, max_num_seqs=seats)
    loop, requests = Loop(config), requests_of(sizes)
    loop.scheduler.add(requests)

    for batch in loop.steps():
        assert 0 < batch.num_tokens <= budget
        assert 0 < len(batch.chunks) <= seats
        assert sum(each.status is Status.RUNNING for each in requests) <= seats
        assert_blocks_are_accounted_for(loop.blocks, requests)

    assert [each.num_completion_tokens for each in requests] == [most for _, most in sizes]
    assert all(each.status is Status.FINISHED for each in requests)
    assert loop.blocks.num_free == num_blocks


@given(REQUESTS, st.integers(8, 14), st.integers(4, 20), st.integers(1, 4))
def test_neither_preemption_nor_chunks_nor_company_changes_a_token(
    sizes: list[tuple[int, int]], num_blocks: int, budget: int, seats: int
) -> None:
    alone = [completions(sizes[: i + 1], max_num_seqs=1)[i] for i in range(len(sizes))]

    crowded = completions(sizes, num_kvcache_blocks=num_blocks, max_num_batched_tokens=budget, max_num_seqs=seats)

    assert crowded == alone


@given(REQUESTS, st.integers(8, 14), st.integers(4, 20))
def test_a_token_is_fed_at_its_own_position_right_after_what_is_cached(
    sizes: list[tuple[int, int]], num_blocks: int, budget: int
) -> None:
    config = engine_config(num_kvcache_blocks=num_blocks, max_num_batched_tokens=budget, max_num_seqs=4)
    loop = Loop(config)
    loop.scheduler.add(requests_of(sizes))

    while not loop.scheduler.is_finished():
        batch = loop.scheduler.schedule()
        for chunk in batch.chunks:
            assert chunk.start == min(chunk.request.num_cached, chunk.request.num_tokens - 1)
            assert chunk.end <= chunk.request.num_tokens
            assert batch.is_prefill or chunk.end == chunk.start + 1
        loop.scheduler.postprocess(batch, loop.runner.run(batch))


def test_the_earliest_request_is_never_preempted() -> None:
    loop = Loop(engine_config(num_kvcache_blocks=6))
    requests = requests_of([(8, 16), (8, 16), (8, 16)])
    loop.scheduler.add(requests)

    while not loop.scheduler.is_finished():
        earliest = next(each for each in requests if each.status is not Status.FINISHED)
        was_running = earliest.status is Status.RUNNING
        loop.step()
        assert not was_running or earliest.status is not Status.WAITING


def test_a_preempted_request_keeps_its_tokens_and_goes_before_later_ones() -> None:
    loop = Loop(engine_config(num_kvcache_blocks=4))
    first, second, third = requests_of([(4, 8), (4, 8), (4, 8)])
    loop.scheduler.add([first, second, third])
    seen: dict[int, int] = {}

    for _ in loop.steps():
        for each in (first, second, third):
            assert each.num_completion_tokens >= seen.get(each.id, 0)
            seen[each.id] = each.num_completion_tokens
        assert second.status is not Status.WAITING or third.status is Status.WAITING


def test_decodes_go_on_while_new_prompts_keep_arriving() -> None:
    loop = Loop(engine_config(max_num_seqs=64, num_kvcache_blocks=1000))
    early = request(4, max_tokens=20)
    loop.scheduler.add([early])

    for step in range(50):
        loop.scheduler.add([request(4, step + 1, max_tokens=100)])
        loop.step()

    assert early.status is Status.FINISHED


def test_a_long_prompt_delays_no_decode() -> None:
    loop = Loop(engine_config(max_num_batched_tokens=16, num_kvcache_blocks=1000))
    early = request(4, max_tokens=100)
    loop.scheduler.add([early])
    loop.step()
    loop.scheduler.add([request([7] * 640, 1)])

    assert [shape(loop.step())[1] for _ in range(3)] == [(1, 0, 15), (1, 15, 30), (1, 30, 45)]
    assert early.num_completion_tokens == 4


def test_a_prompt_longer_than_the_budget_is_fed_in_chunks() -> None:
    loop = Loop(engine_config(max_num_batched_tokens=16))
    loop.scheduler.add([request(40, max_tokens=1)])

    assert [batch.num_tokens for batch in loop.steps()] == [16, 16, 8]


def test_prompts_share_a_step_as_far_as_the_budget_goes() -> None:
    loop = Loop(engine_config(max_num_batched_tokens=16))
    loop.scheduler.add(requests_of([(6, 1), (6, 1), (6, 1)]))

    assert shape(loop.step()) == [(0, 0, 6), (1, 0, 6), (2, 0, 4)]
    assert shape(loop.step()) == [(2, 4, 6)]


def test_a_decode_that_preempts_itself_leaves_the_step_to_prefill() -> None:
    """An earlier request in the middle of its prompt may hold all other blocks."""
    loop = Loop(engine_config(num_kvcache_blocks=9, max_num_batched_tokens=16))
    long, short = request(32, max_tokens=2), request(4, 1, max_tokens=8)
    loop.scheduler.add([long, short])

    for batch in loop.steps():
        assert batch.chunks


@pytest.mark.parametrize(("num_prompt_tokens", "max_tokens"), [(8, 1), (1, 8), (8, 2), (1, 9)])
def test_a_request_that_fills_the_pool_to_the_last_slot_is_served_or_refused(
    num_prompt_tokens: int, max_tokens: int
) -> None:
    """Two blocks of four slots: the last generated token needs no slot, all others do."""
    loop, served = (
        Loop(engine_config(num_kvcache_blocks=2)),
        request(num_prompt_tokens, max_tokens=max_tokens),
    )

    if num_prompt_tokens + max_tokens - 1 > 8:
        with pytest.raises(RequestTooLargeError, match="may need 3 KV blocks and the pool has 2"):
            loop.scheduler.add([served])
    else:
        loop.scheduler.add([served])
        assert len(list(loop.steps())) == max_tokens


def test_a_prompt_without_room_for_a_token_is_refused_and_its_companions_are_not_queued() -> None:
    loop = Loop(engine_config(max_model_len=10))

    with pytest.raises(PromptTooLongError, match="The prompt has 10 tokens, and at most 9 fit"):
        loop.scheduler.add([request(9), request(10, 1)])

    assert loop.scheduler.is_finished()


def test_a_request_ends_at_the_longest_model_length() -> None:
    loop, growing = Loop(engine_config(max_model_len=10)), request(7, max_tokens=50)
    loop.scheduler.add([growing])

    assert len(list(loop.steps())) == 3
    assert growing.num_tokens == 10


@pytest.mark.parametrize(("ignore_eos", "expected"), [(False, 1), (True, 5)])
def test_an_end_of_sequence_token_ends_a_request_unless_ignored(*, ignore_eos: bool, expected: int) -> None:
    loop = Loop(engine_config())
    ending = request(4, max_tokens=5, ignore_eos=ignore_eos, eos_token_ids=range(128))
    loop.scheduler.add([ending])

    assert len(list(loop.steps())) == expected


def shape(batch: Batch) -> list[tuple[int, int, int]]:
    return [(chunk.request.id, chunk.start, chunk.end) for chunk in batch.chunks]
