"""Hands out the blocks of the KV cache and takes them back. Plain Python: tensors live elsewhere."""

from wiremap_llm.errors import OutOfBlocksError
from wiremap_llm.request import Request


def blocks_needed(num_tokens: int, block_size: int) -> int:
    """Return how many blocks of *block_size* slots hold *num_tokens* tokens."""
    return -(-num_tokens // block_size)


class BlockManager:
    """Owns the block ids of one KV cache.

    Invariant: every id is either free or in the block table of exactly one request.
    """

    def __init__(self, num_blocks: int, block_size: int) -> None:
        self.num_blocks = num_blocks
        self.block_size = block_size
        self._free = list(range(num_blocks))
        self._used: set[int] = set()

    @property
    def num_free(self) -> int:
        """Blocks that nobody holds."""
        return len(self._free)

    def can_allocate(self, request: Request) -> bool:
        """Tell whether all tokens of a request that holds nothing find room."""
        return self._missing(request) <= self.num_free

    def allocate(self, request: Request) -> None:
        """Give a request that holds nothing the blocks of all its tokens.

        Raises:
            OutOfBlocksError: Too few blocks are free; nothing was taken.
        """
        assert not request.block_table, f"{request!r} holds blocks already"  # noqa: S101 - ours to keep
        self._extend(request)

    def can_append(self, request: Request) -> bool:
        """Tell whether the last token of a request has a slot, or a free block could give it one."""
        return self._missing(request) <= self.num_free

    def may_append(self, request: Request) -> None:
        """Give the request one more block if its last token would have no slot.

        Raises:
            OutOfBlocksError: Too few blocks are free; nothing was taken.
        """
        self._extend(request)

    def deallocate(self, request: Request) -> None:
        """Take back all blocks of the request; its keys and values are lost."""
        held = set(request.block_table)
        assert held <= self._used, f"{request!r} returns free blocks"  # noqa: S101 - ours to keep
        self._used -= held
        self._free.extend(request.block_table)
        request.block_table.clear()
        request.num_cached = 0

    def _missing(self, request: Request) -> int:
        return blocks_needed(request.num_tokens, self.block_size) - len(request.block_table)

    def _extend(self, request: Request) -> None:
        missing = self._missing(request)
        if missing > self.num_free:
            raise OutOfBlocksError(missing, self.num_free)
        taken = [self._free.pop() for _ in range(missing)]
        self._used.update(taken)
        request.block_table.extend(taken)
