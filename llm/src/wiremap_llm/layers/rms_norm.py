"""Root mean square normalisation."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """Divide each row of *x* by its root mean square, then scale by *weight*.

    Shapes:
        x: [..., size], float
        weight: [size]
        returns: as x, dtype of x

    Source:
        Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019.
    """
    return functional.rms_norm(x, weight.shape, weight, eps)  # sums in float32 for narrower types


class RMSNorm(nn.Module):
    """`rms_norm` over the last dimension, with its weight of shape [size]."""

    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """Normalise *x* [..., size]; same shape and dtype come back."""
        return rms_norm(x, self.weight, self.eps)
