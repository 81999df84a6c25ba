"""Every block is free or owned once, whatever happens in whatever order."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.wiremap_llm.fakes import assert_blocks_are_accounted_for, request
from wiremap_llm.block_manager import BlockManager, blocks_needed
from wiremap_llm.errors import OutOfBlocksError
from wiremap_llm.request import Request, Status


class Accounting(RuleBasedStateMachine):
    """Requests come, grow and go in a pool that is always about to run out."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = BlockManager(num_blocks=7, block_size=3, prefix_caching=False)
        self.held: list[Request] = []

    @rule(num_tokens=st.integers(1, 12))
    def arrive(self, num_tokens: int) -> None:
        new = request(num_tokens)
        fits = blocks_needed(num_tokens, 3) <= self.blocks.num_free

        assert self.blocks.can_allocate(new) == fits
        if fits:
            self.blocks.allocate(new)
            new.status = Status.RUNNING
            self.held.append(new)
        else:
            with pytest.raises(OutOfBlocksError):
                self.blocks.allocate(new)

    @precondition(lambda self: self.held)
    @rule(index=st.integers(0, 6))
    def grow(self, index: int) -> None:
        growing = self.held[index % len(self.held)]
        growing.token_ids.append(0)
        before = list(growing.block_table)

        if self.blocks.can_append(growing):
            self.blocks.may_append(growing)
            assert growing.block_table[: len(before)] == before
            assert len(growing.block_table) == blocks_needed(growing.num_tokens, 3)
        else:
            with pytest.raises(OutOfBlocksError):
                self.blocks.may_append(growing)
            growing.token_ids.pop()

    @precondition(lambda self: self.held)
    @rule(index=st.integers(0, 6))
    def leave(self, index: int) -> None:
        leaving = self.held.pop(index % len(self.held))

        self.blocks.deallocate(leaving)

        assert leaving.block_table == []
        assert leaving.num_cached == 0

    @invariant()
    def every_block_is_free_or_owned_once(self) -> None:
        assert_blocks_are_accounted_for(self.blocks, self.held)

    @invariant()
    def tables_cover_exactly_their_tokens(self) -> None:
        for each in self.held:
            assert len(each.block_table) == blocks_needed(each.num_tokens, 3)

    def teardown(self) -> None:
        for each in self.held:
            self.blocks.deallocate(each)
        assert self.blocks.num_free == 7


TestAccounting = Accounting.TestCase


def test_a_full_pool_refuses_and_takes_nothing() -> None:
    blocks = BlockManager(num_blocks=2, block_size=4)
    too_long = request(9)

    with pytest.raises(OutOfBlocksError, match="3 KV blocks are needed and 2 are free"):
        blocks.allocate(too_long)

    assert blocks.num_free == 2
    assert too_long.block_table == []


def test_a_token_that_still_fits_its_block_takes_no_other() -> None:
    blocks = BlockManager(num_blocks=2, block_size=4)
    growing = request(3)
    blocks.allocate(growing)

    growing.token_ids.append(0)
    blocks.may_append(growing)

    assert len(growing.block_table) == 1


def test_a_block_given_back_twice_is_our_own_mistake() -> None:
    blocks = BlockManager(num_blocks=2, block_size=2)
    gone = request(3)
    blocks.allocate(gone)
    table = list(gone.block_table)
    blocks.deallocate(gone)

    gone.block_table = table
    with pytest.raises(AssertionError, match="block 1 is returned and is free"):
        blocks.deallocate(gone)
