"""Rotary position embedding, computed for the positions at hand: no table, so no longest position."""

import math

import torch
from torch import Tensor

from wiremap_llm.config import RopeScaling


def rotary_frequencies(head_dim: int, theta: float, scaling: RopeScaling) -> tuple[Tensor, float]:
    """Return the angle per position of every pair, and a factor for cosine and sine.

    Shapes:
        returns: [head_dim / 2], float32, on the CPU

    Source:
        Su et al., "RoFormer", 2021; linear: Chen et al., "Extending Context Window ... via Position
        Interpolation", 2023; yarn: Peng et al., 2023; llama3: Meta's Llama 3.1 release.
    """
    exponents = torch.arange(0, head_dim, 2, dtype=torch.float32, device="cpu") / head_dim
    frequencies = theta**-exponents
    if scaling.rope_type == "linear":
        return frequencies / scaling.factor, 1.0
    if scaling.rope_type == "llama3":
        return _llama3(frequencies, scaling), 1.0
    if scaling.rope_type == "yarn":
        return _yarn(frequencies, theta, scaling), _yarn_factor(scaling)
    return frequencies, 1.0


def rotary_angles(positions: Tensor, frequencies: Tensor, factor: float = 1.0) -> tuple[Tensor, Tensor]:
    """Return cosine and sine, times *factor*, of the angle of every position and frequency.

    Shapes:
        positions: [tokens], int64
        frequencies: [head_dim / 2], float32
        returns: two of [tokens, 1, head_dim / 2], float32, to broadcast over heads
    """
    angles = positions[:, None, None].float() * frequencies.to(positions.device)
    return angles.cos() * factor, angles.sin() * factor


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


def _llama3(frequencies: Tensor, scaling: RopeScaling) -> Tensor:
    """Slow down what turns slowly, keep what turns fast, and blend between."""
    turns = scaling.original_max_position_embeddings * frequencies / (2 * math.pi)
    low, high = scaling.low_freq_factor, scaling.high_freq_factor
    keep = ((turns - low) / (high - low)).clamp(0, 1)
    return frequencies * (keep + (1 - keep) / scaling.factor)


def _yarn(frequencies: Tensor, theta: float, scaling: RopeScaling) -> Tensor:
    """Slow down the later pairs, keep the first, and blend between by the index of the pair."""
    size = 2 * len(frequencies)

    def index_that_turns(times: float) -> float:
        length = scaling.original_max_position_embeddings / (times * 2 * math.pi)
        return size * math.log(length) / (2 * math.log(theta))

    first, last = index_that_turns(scaling.beta_fast), index_that_turns(scaling.beta_slow)
    if scaling.truncate:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, size - 1)
    indices = torch.arange(len(frequencies), dtype=torch.float32, device="cpu")
    slow = ((indices - first) / ((last - first) or 0.001)).clamp(0, 1)
    return frequencies * (1 - slow + slow / scaling.factor)


def _yarn_factor(scaling: RopeScaling) -> float:
    if scaling.attention_factor is not None:
        return scaling.attention_factor
    return 1.0 if scaling.factor <= 1 else 0.1 * math.log(scaling.factor) + 1.0
