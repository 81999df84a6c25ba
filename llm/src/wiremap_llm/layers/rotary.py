"""Rotary position embedding, computed for the positions at hand: no table, so no longest position."""

import torch
from torch import Tensor


def rotary_angles(positions: Tensor, head_dim: int, theta: float) -> tuple[Tensor, Tensor]:
    """Return cosine and sine of the angle of every position and frequency.

    Shapes:
        positions: [tokens], int64
        returns: two of [tokens, 1, head_dim / 2], float32, to broadcast over heads

    Source:
        Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021.
    """
    exponents = torch.arange(0, head_dim, 2, dtype=torch.float32, device=positions.device) / head_dim
    angles = positions[:, None, None].float() * theta**-exponents
    return angles.cos(), angles.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn each pair (i, i + head_dim / 2) of every head by the angle of its token.

    Shapes:
        x: [tokens, heads, head_dim], float
        cos, sin: [tokens, 1, head_dim / 2], dtype of x
        returns: as x

    Source:
        The pairing is that of transformers' Llama; the paper pairs neighbours.
    """
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)
