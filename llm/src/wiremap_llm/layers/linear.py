"""Linear layers whose weight merges several of the checkpoint's, so that one product computes them all."""

import torch
from torch import Tensor, nn


class MergedLinear(nn.Linear):
    """Several projections of one input, computed as one.

    The weight is [sum of the sizes, in_features]; the parts stand in it in the order of `parts`.
    """

    def __init__(self, in_features: int, parts: dict[str, int]) -> None:
        super().__init__(in_features, sum(parts.values()), bias=False)
        self.parts = dict(parts)

    def split(self, projected: Tensor) -> tuple[Tensor, ...]:
        """Cut an output [tokens, sum of the sizes] into [tokens, size] for each part."""
        return torch.split(projected, list(self.parts.values()), dim=-1)

    def weight_of(self, part: str) -> Tensor:
        """Return the rows [size, in_features] of one part, as a view that can be written."""
        names = list(self.parts)
        start = sum(self.parts[name] for name in names[: names.index(part)])
        return self.weight.data[start : start + self.parts[part]]
