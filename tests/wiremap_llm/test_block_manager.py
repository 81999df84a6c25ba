"""Every block is free or held by those who count, and what is shared is what was computed."""

from collections import Counter
from time import perf_counter
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.wiremap_llm.fakes import assert_blocks_are_accounted_for, request
from wiremap_llm.batch import Chunk
from wiremap_llm.block_manager import BlockManager, blocks_needed
from wiremap_llm.errors import OutOfBlocksError
from wiremap_llm.request import Request, Status

NUM_BLOCKS, BLOCK_SIZE = 7, 3
# Often equal up to some place.
TOKENS = st.lists(st.integers(0, 1), min_size=1, max_size=12) | st.integers(1, 4).map(lambda n: [0] * (n * BLOCK_SIZE))


class Accounting(RuleBasedStateMachine):
    """Requests come, are computed, grow and go in a pool that is always about to run out.

    The cache is a dictionary of slots, and a token's keys and values are the tokens up to it.
    """

    prefix_caching = True

    def __init__(self) -> None:
        super().__init__()
        self.blocks = BlockManager(NUM_BLOCKS, BLOCK_SIZE, prefix_caching=self.prefix_caching)
        self.held: list[Request] = []
        self.cache: dict[int, tuple[int, ...]] = {}

    @rule(tokens=TOKENS, asks=st.booleans())
    def arrive(self, tokens: list[int], *, asks: bool) -> None:
        new = request(tokens)
        if asks and not self.blocks.can_allocate(new):
            return
        free = self.blocks.num_free
        try:
            self.blocks.allocate(new)
        except OutOfBlocksError:
            assert not asks, "what can be allocated is allocated"
            assert (new.block_table, self.blocks.num_free) == ([], free)
            return
        new.status = Status.RUNNING
        self.held.append(new)

    @precondition(lambda self: self.held)
    @rule(index=st.integers(0, NUM_BLOCKS), num_tokens=st.integers(1, 12))
    def compute(self, index: int, num_tokens: int) -> None:
        fed = self.held[index % len(self.held)]
        start = fed.num_tokens - fed.num_pending
        chunk = Chunk(fed, start, min(start + num_tokens, fed.num_tokens))

        for end, slot in enumerate(chunk.slots(chunk.stored_from, chunk.end, BLOCK_SIZE), chunk.stored_from + 1):
            assert self.holders[slot // BLOCK_SIZE] == 1, "a block that is written has one holder"
            self.cache[slot] = tuple(fed.token_ids[:end])
        self.blocks.mark_cached(fed, chunk.end)

    @precondition(lambda self: self.held)
    @rule(index=st.integers(0, NUM_BLOCKS), token=st.integers(0, 1))
    def grow(self, index: int, token: int) -> None:
        growing = self.held[index % len(self.held)]
        growing.token_ids.append(token)
        before = list(growing.block_table)

        if self.blocks.can_append(growing):
            self.blocks.may_append(growing)
            assert growing.block_table[: len(before)] == before
        else:
            with pytest.raises(OutOfBlocksError):
                self.blocks.may_append(growing)
            growing.token_ids.pop()
            assert growing.block_table == before

    @precondition(lambda self: self.held)
    @rule(index=st.integers(0, NUM_BLOCKS))
    def leave(self, index: int) -> None:
        leaving = self.held.pop(index % len(self.held))

        self.blocks.deallocate(leaving)

        assert (leaving.block_table, leaving.num_cached) == ([], 0)

    @property
    def holders(self) -> Counter[int]:
        return Counter(block for each in self.held for block in each.block_table)

    @invariant()
    def every_block_is_free_or_counted(self) -> None:
        assert_blocks_are_accounted_for(self.blocks, self.held)

    @invariant()
    def tables_cover_exactly_their_tokens(self) -> None:
        for each in self.held:
            assert len(each.block_table) == blocks_needed(each.num_tokens, BLOCK_SIZE)

    @invariant()
    def a_table_leads_to_what_was_computed_for_these_tokens(self) -> None:
        for each in self.held:
            slots = Chunk(each, 0, 0).slots(0, each.num_cached, BLOCK_SIZE)
            assert [self.cache[slot] for slot in slots] == [
                tuple(each.token_ids[: position + 1]) for position in range(each.num_cached)
            ]

    @invariant()
    def a_block_in_several_tables_is_full_and_computed(self) -> None:
        holders = self.holders
        for each in self.held:
            for index, block in enumerate(each.block_table):
                assert holders[block] == 1 or each.num_cached >= (index + 1) * BLOCK_SIZE

    @invariant()
    def what_can_be_found_is_computed_and_follows_what_can_be_found(self) -> None:
        blocks = self.blocks
        assert {block: key for key, block in blocks._cached.items()} == blocks._keys
        for block, (parent, tokens) in blocks._keys.items():
            assert parent is None or parent in blocks._keys
            assert self.cache[block * BLOCK_SIZE + BLOCK_SIZE - 1][-BLOCK_SIZE:] == tokens
            if parent is not None:
                prefix = self.cache[parent * BLOCK_SIZE + BLOCK_SIZE - 1]
                assert self.cache[block * BLOCK_SIZE + BLOCK_SIZE - 1] == prefix + tokens

    @invariant()
    def only_requests_that_hold_blocks_are_waited_for(self) -> None:
        assert set(self.blocks._in_progress) <= set(self.held)

    def teardown(self) -> None:
        for each in self.held:
            self.blocks.deallocate(each)
        assert self.blocks.num_free == NUM_BLOCKS


class AccountingWithoutSharing(Accounting):
    """The same, and no block is found again."""

    prefix_caching = False

    @invariant()
    def nothing_is_shared(self) -> None:
        assert not self.blocks._cached
        assert all(count == 1 for count in self.holders.values())


TestAccounting: Any = Accounting.TestCase
TestAccountingWithoutSharing: Any = AccountingWithoutSharing.TestCase


def allocated(blocks: BlockManager, tokens: list[int] | int) -> Request:
    new = request(tokens)
    assert blocks.can_allocate(new)
    blocks.allocate(new)
    return new


def computed(blocks: BlockManager, tokens: list[int] | int) -> Request:
    new = allocated(blocks, tokens)
    blocks.mark_cached(new, new.num_tokens)
    return new


def test_a_full_pool_refuses_and_takes_nothing() -> None:
    blocks = BlockManager(num_blocks=2, block_size=4)
    too_long = request(9)

    with pytest.raises(OutOfBlocksError, match="3 KV blocks are needed and 2 are free"):
        blocks.allocate(too_long)

    assert blocks.num_free == 2
    assert too_long.block_table == []


def test_a_shared_block_that_is_free_is_taken_from_the_free_ones() -> None:
    blocks = BlockManager(num_blocks=3, block_size=2)
    blocks.deallocate(computed(blocks, [1, 2, 3, 4]))
    allocated(blocks, [9])

    assert not blocks.can_allocate(request([1, 2, 5, 6, 7]))
    with pytest.raises(OutOfBlocksError, match="2 KV blocks are needed and 1 are free"):
        blocks.allocate(request([1, 2, 5, 6, 7]))
    assert blocks.num_free == 2


def test_blocks_can_be_kept_spare() -> None:
    blocks = BlockManager(num_blocks=3, block_size=2)

    assert blocks.can_allocate(request(4), 1)
    assert not blocks.can_allocate(request(4), 2)


def test_a_token_that_still_fits_its_block_takes_no_other() -> None:
    blocks = BlockManager(num_blocks=2, block_size=4)
    growing = allocated(blocks, 3)

    growing.token_ids.append(0)
    blocks.may_append(growing)

    assert len(growing.block_table) == 1


def test_a_block_given_back_twice_is_our_own_mistake() -> None:
    blocks = BlockManager(num_blocks=2, block_size=2)
    gone = allocated(blocks, 3)
    table = list(gone.block_table)
    blocks.deallocate(gone)

    gone.block_table = table
    with pytest.raises(AssertionError, match="block 1 is returned and is free"):
        blocks.deallocate(gone)


def test_equal_prefixes_share_full_blocks_while_held_and_after() -> None:
    blocks = BlockManager(num_blocks=8, block_size=4)
    first = computed(blocks, [1, 2, 3, 4, 5, 6, 7, 8, 9])
    table = list(first.block_table)

    second = allocated(blocks, [1, 2, 3, 4, 5, 6, 7, 8, 10])
    blocks.deallocate(first)
    third = allocated(blocks, [1, 2, 3, 4, 0])

    assert second.block_table[:2] == table[:2]
    assert second.num_cached == 8
    assert third.block_table[:1] == table[:1]
    assert third.num_cached == 4


def test_the_same_tokens_after_another_prefix_are_not_shared() -> None:
    blocks = BlockManager(num_blocks=8, block_size=2)
    computed(blocks, [1, 2, 3, 4])

    assert allocated(blocks, [5, 6, 3, 4]).num_cached == 0


def test_what_is_not_computed_yet_is_not_shared() -> None:
    blocks = BlockManager(num_blocks=8, block_size=2)
    first = allocated(blocks, [1, 2, 3, 4])
    blocks.mark_cached(first, 3)

    second = request([1, 2, 3, 4])
    blocks.allocate(second)

    assert second.num_cached == 2


def test_a_prompt_found_whole_is_fed_its_last_token_and_stores_nothing() -> None:
    blocks = BlockManager(num_blocks=8, block_size=4)
    computed(blocks, 8)

    again = allocated(blocks, 8)

    assert again.num_pending == 1
    assert Chunk(again, 7, 8).stored_from == 8


class Colliding(int):
    """A token whose hash is that of all others."""

    def __hash__(self) -> int:
        return 0


def test_equal_hashes_do_not_make_different_tokens_equal() -> None:
    blocks = BlockManager(num_blocks=8, block_size=2)
    computed(blocks, [Colliding(1), Colliding(2)])

    assert allocated(blocks, [Colliding(2), Colliding(1)]).num_cached == 0
    assert allocated(blocks, [Colliding(1), Colliding(2)]).num_cached == 2


def test_a_prompt_waits_for_a_block_that_another_is_about_to_compute() -> None:
    blocks = BlockManager(num_blocks=8, block_size=2)
    first = allocated(blocks, [1, 2, 3, 4, 5])

    assert not blocks.can_allocate(request([1, 2, 9]))
    assert blocks.can_allocate(request([9, 2, 9]))
    blocks.mark_cached(first, 2)
    assert blocks.can_allocate(request([1, 2, 9]))
    assert not blocks.can_allocate(request([1, 2, 3, 4]))


def test_nobody_waits_for_a_request_that_left() -> None:
    blocks = BlockManager(num_blocks=8, block_size=2)
    first = allocated(blocks, [1, 2, 3])

    blocks.deallocate(first)

    assert blocks.can_allocate(request([1, 2, 3]))


def test_a_block_computed_twice_is_kept_once() -> None:
    blocks = BlockManager(num_blocks=8, block_size=2)
    first, second = allocated(blocks, [1]), allocated(blocks, [1])
    for decoding in (first, second):
        blocks.mark_cached(decoding, 1)
        decoding.token_ids += [2, 3]
        blocks.may_append(decoding)

    for decoding in (first, second):
        blocks.mark_cached(decoding, 3)

    assert first.block_table[0] == second.block_table[0]
    assert first.block_table[1] != second.block_table[1]
    assert blocks.num_free == 5


def test_blocks_are_forgotten_in_the_order_of_their_last_use_and_ends_before_beginnings() -> None:
    blocks = BlockManager(num_blocks=4, block_size=1)
    for prompt in ([1, 2], [3, 4], [1, 2]):
        blocks.deallocate(computed(blocks, prompt))

    def found(token: int) -> list[int]:
        """Take a block for *token*; return how much is still known of each prompt."""
        allocated(blocks, [token])
        return [len(blocks._find(request(prompt))[0]) for prompt in ([1, 2], [3, 4])]

    assert [found(token) for token in (5, 6, 7, 8)] == [[2, 1], [2, 0], [1, 0], [0, 0]]


def test_memory_that_nobody_can_find_is_used_before_what_may_be_shared() -> None:
    blocks = BlockManager(num_blocks=3, block_size=2)
    blocks.deallocate(computed(blocks, [1, 2, 3]))  # one full block, and one that is not

    allocated(blocks, [7, 8, 9, 9])

    assert allocated(blocks, [1, 2]).num_cached == 2


def test_taking_a_block_out_of_the_middle_of_a_long_free_list_costs_no_more() -> None:
    def seconds(num_blocks: int) -> float:
        blocks = BlockManager(num_blocks, block_size=1)
        for prompt in range(num_blocks):
            blocks.deallocate(computed(blocks, [prompt]))
        middle = [num_blocks // 2]
        start = perf_counter()
        for _ in range(200):
            blocks.deallocate(allocated(blocks, middle))
        return perf_counter() - start

    assert min(seconds(50_000) for _ in range(3)) < 10 * min(seconds(500) for _ in range(3))
