"""Hands out the blocks of the KV cache, shares those of equal prefixes, and takes them back.

Plain Python: tensors live elsewhere.
"""

from collections import OrderedDict

from wiremap_llm.errors import OutOfBlocksError
from wiremap_llm.request import Request

# A full block is known by the block before it (None for the first) and by its own tokens. So a key
# stands for the whole prefix; and as a dictionary compares keys whose hashes are equal, no collision
# can make two prefixes one.
_Key = tuple[int | None, tuple[int, ...]]


def blocks_needed(num_tokens: int, block_size: int) -> int:
    """Return how many blocks of *block_size* slots hold *num_tokens* tokens."""
    return -(-num_tokens // block_size)


class BlockManager:
    """Owns the block ids of one KV cache.

    Invariants: a block is free, or in as many block tables as its reference count says. A block in
    several tables is full, and nobody writes to it. A block can be found by its key only after its
    keys and values were computed, and until it is handed out for other tokens, which happens in
    the order in which blocks became free. A block becomes free after those that follow it in a
    table, so whoever is found under its number followed it and no earlier owner of the number.
    """

    def __init__(self, num_blocks: int, block_size: int, *, prefix_caching: bool = True) -> None:
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.prefix_caching = prefix_caching
        self._ref_counts = [0] * num_blocks
        # In the order of eviction. Ordered, for removal from the middle in constant time.
        self._free: OrderedDict[int, None] = OrderedDict.fromkeys(range(num_blocks))
        self._cached: dict[_Key, int] = {}
        self._keys: dict[int, _Key] = {}
        # The next full block that each request with a prompt in progress will have computed.
        self._in_progress: dict[Request, _Key] = {}

    @property
    def num_free(self) -> int:
        """Blocks that nobody holds; their content may still be found and shared."""
        return len(self._free)

    def can_allocate(self, request: Request, num_spare: int = 0) -> bool:
        """Tell whether all tokens of a request that holds nothing find room and *num_spare* blocks stay free.

        Not yet, while another request computes the very block that this one lacks next.
        """
        shared, key = self._find(request)
        if key is not None and key in self._in_progress.values():
            return False
        needed, available = self._demand(request, shared)
        return needed + num_spare <= available

    def allocate(self, request: Request) -> None:
        """Give a request that holds nothing the blocks of all its tokens, shared as far as they are known.

        Raises:
            OutOfBlocksError: Too few blocks are free; nothing was taken.
        """
        assert not request.block_table, f"{request!r} holds blocks already"  # noqa: S101 - ours to keep
        shared, _ = self._find(request)
        needed, available = self._demand(request, shared)
        if needed > available:
            raise OutOfBlocksError(needed, available)
        for block in shared:
            self._hold(block)
        request.block_table.extend(shared)
        self._extend(request)
        request.num_cached = len(shared) * self.block_size
        self._note_progress(request)

    def can_append(self, request: Request) -> bool:
        """Tell whether the last token of a request has a slot, or a free block could give it one."""
        return self._missing(request) <= self.num_free

    def may_append(self, request: Request) -> None:
        """Give the request one more block if its last token would have no slot.

        Raises:
            OutOfBlocksError: Too few blocks are free; nothing was taken.
        """
        self._extend(request)

    def mark_cached(self, request: Request, num_tokens: int) -> None:
        """Note that the keys and values of the first *num_tokens* are computed: full blocks can be found now.

        Where another block with the same content can be found already, the request shares that one
        from now on and returns its own.
        """
        first, end = request.num_cached // self.block_size, num_tokens // self.block_size
        request.num_cached = num_tokens
        if self.prefix_caching:
            for index in range(first, end):
                self._publish(request, index)
            self._note_progress(request)

    def deallocate(self, request: Request) -> None:
        """Take back all blocks of the request. Full ones can be found until they are used otherwise."""
        for block in reversed(request.block_table):
            self._release(block)
        request.block_table.clear()
        request.num_cached = 0
        self._in_progress.pop(request, None)

    def _find(self, request: Request) -> tuple[list[int], _Key | None]:
        """Return the blocks that hold a prefix of the request, and the key of its next full block."""
        found: list[int] = []
        if self.prefix_caching:
            for index in range(request.num_tokens // self.block_size):
                key = self._key(request, index, found[-1] if found else None)
                if key not in self._cached:
                    return found, key
                found.append(self._cached[key])
        return found, None

    def _demand(self, request: Request, shared: list[int]) -> tuple[int, int]:
        """Return how many blocks are to be taken beside *shared*, and how many can be."""
        revived = sum(block in self._free for block in shared)
        return self._missing(request) - len(shared), self.num_free - revived

    def _key(self, request: Request, index: int, parent: int | None) -> _Key:
        return parent, tuple(request.token_ids[index * self.block_size : (index + 1) * self.block_size])

    def _missing(self, request: Request) -> int:
        return blocks_needed(request.num_tokens, self.block_size) - len(request.block_table)

    def _extend(self, request: Request) -> None:
        missing = self._missing(request)
        if missing > self.num_free:
            raise OutOfBlocksError(missing, self.num_free)
        request.block_table.extend(self._take() for _ in range(missing))

    def _take(self) -> int:
        """Hand out the block that has been free for longest; what it held can no longer be found."""
        block = next(iter(self._free))
        self._hold(block)
        if block in self._keys:
            del self._cached[self._keys.pop(block)]
        return block

    def _hold(self, block: int) -> None:
        self._ref_counts[block] += 1
        self._free.pop(block, None)

    def _release(self, block: int) -> None:
        assert self._ref_counts[block] > 0, f"block {block} is returned and is free"  # noqa: S101 - ours to keep
        self._ref_counts[block] -= 1
        if self._ref_counts[block] == 0:
            self._free[block] = None
            if block not in self._keys:  # nobody can find it: the first to be used again
                self._free.move_to_end(block, last=False)

    def _publish(self, request: Request, index: int) -> None:
        table = request.block_table
        own, key = table[index], self._key(request, index, table[index - 1] if index else None)
        known = self._cached.setdefault(key, own)
        if known == own:
            self._keys[own] = key
        else:
            self._hold(known)
            table[index] = known
            self._release(own)

    def _note_progress(self, request: Request) -> None:
        """Remember the next full block that the request's known tokens will fill, if there is one."""
        index = request.num_cached // self.block_size
        if self.prefix_caching and (index + 1) * self.block_size <= request.num_tokens:
            parent = request.block_table[index - 1] if index else None
            self._in_progress[request] = self._key(request, index, parent)
        else:
            self._in_progress.pop(request, None)
