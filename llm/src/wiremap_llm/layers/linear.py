"""Linear layers: their weights stand as the processor reads them fastest, and merge several of the checkpoint's."""

import torch
from torch import Tensor, nn
from torch.nn import functional


class PackedWeight:
    """A weight [out_features, in_features] in the order that oneDNN's product reads.

    A row of its product is bitwise the same whatever rows stand beside it; that of torch's plain
    product in float32 is not.
    """

    def __init__(self, weight: Tensor) -> None:
        self._weight = torch.ops.mkldnn._reorder_linear_weight(weight.detach())  # noqa: SLF001 - nothing public packs

    def product(self, x: Tensor) -> Tensor:
        """Multiply x [rows, in_features]: [rows, out_features]."""
        multiply = torch.ops.mkldnn._linear_pointwise  # noqa: SLF001 - nothing public reads packed weights
        product: Tensor = multiply(x, self._weight, None, "none", [], "")
        return product

    @staticmethod
    def fits(weight: Tensor) -> bool:
        """Return whether torch can pack *weight* here: its operators are private, so ask and try."""
        return weight.device.type == "cpu" and _works(weight.dtype)


class Linear(nn.Linear):
    """A product without bias. `pack` moves the weight to a `PackedWeight` where that is possible."""

    packed: PackedWeight | None = None

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__(in_features, out_features, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Multiply x [rows, in_features]: [rows, out_features]."""
        return functional.linear(x, self.weight) if self.packed is None else self.packed.product(x)

    def pack(self) -> None:
        """Give up `weight`, so that it takes memory once. Before that, it must be loaded."""
        if PackedWeight.fits(self.weight):
            self.packed = PackedWeight(self.weight)
            self.weight = nn.Parameter(self.weight.new_empty(0), requires_grad=False)


class MergedLinear(Linear):
    """Several projections of one input, computed as one.

    The weight is [sum of the sizes, in_features]; the parts stand in it in the order of `parts`.
    """

    def __init__(self, in_features: int, parts: dict[str, int]) -> None:
        super().__init__(in_features, sum(parts.values()))
        self.parts = dict(parts)

    def split(self, projected: Tensor) -> tuple[Tensor, ...]:
        """Cut an output [tokens, sum of the sizes] into [tokens, size] for each part."""
        return torch.split(projected, list(self.parts.values()), dim=-1)

    def weight_of(self, part: str) -> Tensor:
        """Return the rows [size, in_features] of one part, as a view that can be written."""
        names = list(self.parts)
        start = sum(self.parts[name] for name in names[: names.index(part)])
        return self.weight.data[start : start + self.parts[part]]


def _works(dtype: torch.dtype) -> bool:
    """Return whether a packed product of *dtype* can be computed and is right."""
    weight, x = torch.eye(16, dtype=dtype), torch.ones(2, 16, dtype=dtype)
    try:
        return torch.equal(PackedWeight(weight).product(x), x)
    except (AttributeError, RuntimeError, TypeError):  # other builds of torch lack or refuse them
        return False
