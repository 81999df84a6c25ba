import torch

from wiremap_llm.layers.linear import MergedLinear


def test_each_part_projects_with_its_own_rows() -> None:
    layer = MergedLinear(4, {"q": 3, "k": 2})
    weights = {"q": torch.randn(3, 4), "k": torch.randn(2, 4)}
    for name, weight in weights.items():
        layer.weight_of(name).copy_(weight)
    x = torch.randn(5, 4)

    q, k = layer.split(layer(x))

    torch.testing.assert_close(q, x @ weights["q"].T)
    torch.testing.assert_close(k, x @ weights["k"].T)
