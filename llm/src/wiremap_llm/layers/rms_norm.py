"""Root mean square normalisation."""

import torch
from torch import Tensor, nn


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """Divide each row of *x* by its root mean square, then scale by *weight*.

    Shapes:
        x: [..., size], float
        weight: [size]
        returns: as x, dtype of x

    Source:
        Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019.
    """
    # bfloat16 keeps 8 significant bits: too few to sum `size` squares in.
    wide = x.float()
    inverse_rms = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps)
    return (wide * inverse_rms).to(x.dtype) * weight


class RMSNorm(nn.Module):
    """`rms_norm` over the last dimension, with its weight of shape [size]."""

    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """Normalise *x* [..., size]; same shape and dtype come back."""
        return rms_norm(x, self.weight, self.eps)
