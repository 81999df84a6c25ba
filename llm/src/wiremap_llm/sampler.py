"""Logits to tokens."""

from collections.abc import Sequence
from hashlib import blake2b

import torch
from torch import Tensor

from wiremap_llm.request import Request


def sample(logits: Tensor, requests: Sequence[Request]) -> list[int]:
    """Choose the next token of each request from its row of *logits*.

    A request's choices depend on its seed and on how many tokens it has, on nothing else: neither on
    its neighbours in the batch, nor on having been preempted.

    Shapes:
        logits: [requests, vocab], float
    """
    tokens: list[int] = logits.argmax(dim=-1).tolist()
    for row, request in enumerate(requests):
        if request.params.temperature > 0.0:
            tokens[row] = _draw(logits[row], request)
    return tokens


def _draw(logits: Tensor, request: Request) -> int:
    """Draw from softmax(*logits* / temperature); *logits* is [vocab]."""
    # Subtracting first keeps a small temperature from turning large logits into infinities.
    wide = (logits - logits.max()).double().cpu() / request.params.temperature
    generator = torch.Generator().manual_seed(_step_seed(request.seed, request.num_completion_tokens))
    return int(torch.multinomial(wide.softmax(dim=-1), 1, generator=generator))


def _step_seed(seed: int, step: int) -> int:
    """Mix both into 63 bits, so that neighbouring seeds and steps start unrelated generators."""
    digest = blake2b(f"{seed}/{step}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 1
