"""The place in a model where queries meet the KV cache."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class CachedAttention(nn.Module):
    """Holds one layer's share of the KV cache and hands the computation to an attention backend.

    The cell `attn` is the backend's; the model runner sets the cache.

    Attributes:
        k_cache: [blocks, block size, key-value heads, head_dim], the model's dtype; empty until set.
        v_cache: The same for values.
    """

    attn: Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]

    def __init__(self) -> None:
        super().__init__()
        self.k_cache = torch.empty(0)
        self.v_cache = torch.empty(0)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Store *k* and *v*, then attend from *q* to all that its request has stored.

        Shapes:
            q: [tokens, heads, head_dim]
            k, v: [tokens, key-value heads, head_dim]
            returns: as q
        """
        return self.attn(q, k, v, self.k_cache, self.v_cache)
