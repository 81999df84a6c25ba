from tests.wiremap_llm.fakes import request
from wiremap_llm.batch import Batch, Chunk


def test_a_batch_lists_its_tokens_flat_in_the_order_of_its_chunks() -> None:
    first, second = request([10, 11, 12]), request([20, 21], 1)

    batch = Batch((Chunk(first, 1, 3), Chunk(second, 0, 1)))

    assert batch.token_ids == [11, 12, 20]
    assert batch.positions == [1, 2, 0]
    assert batch.num_tokens == 3


def test_only_a_chunk_that_reaches_the_last_token_is_sampled() -> None:
    first, second, third = request(3), request(2, 1), request(2, 2)

    batch = Batch((Chunk(first, 1, 3), Chunk(second, 0, 1), Chunk(third, 0, 2)))

    assert batch.sampled == (0, 2)
    assert batch.last_rows == [1, 2, 4]


def test_slots_follow_the_block_table() -> None:
    placed = request(7)
    placed.block_table = [5, 2, 9]

    assert Chunk(placed, 2, 7).slots(2, 7, block_size=3) == [17, 6, 7, 8, 27]
