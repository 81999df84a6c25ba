import pytest
import torch

from wiremap_llm.layers.linear import Linear, MergedLinear, PackedWeight


def test_each_part_projects_with_its_own_rows() -> None:
    layer = MergedLinear(4, {"q": 3, "k": 2})
    weights = {"q": torch.randn(3, 4), "k": torch.randn(2, 4)}
    for name, weight in weights.items():
        layer.weight_of(name).copy_(weight)
    x = torch.randn(5, 4)

    q, k = layer.split(layer(x))

    torch.testing.assert_close(q, x @ weights["q"].T)
    torch.testing.assert_close(k, x @ weights["k"].T)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_packed_layer_computes_the_same_and_keeps_its_weight_once(dtype: torch.dtype) -> None:
    layer = Linear(64, 48).to(dtype)
    x = torch.randn(5, 64, dtype=dtype)
    with torch.inference_mode():
        expected = layer(x)

        layer.pack()

        torch.testing.assert_close(layer(x), expected)
    assert layer.packed is None or layer.weight.numel() == 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("num_rows", [2, 3, 8, 32, 100])
def test_a_row_of_a_packed_product_does_not_depend_on_the_others(dtype: torch.dtype, num_rows: int) -> None:
    layer = Linear(576, 1536).to(dtype)
    if not PackedWeight.fits(layer.weight):
        pytest.skip("this torch cannot pack weights")
    layer.pack()
    x = torch.randn(num_rows, 576, dtype=dtype)

    with torch.inference_mode():
        together = layer(x)
        alone = torch.cat([layer(row[None]) for row in x])

    assert torch.equal(together, alone)


def test_without_the_private_operators_nothing_is_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = Linear(16, 16)
    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", None)

    layer.pack()

    assert layer.packed is None
    assert layer.weight.shape == (16, 16)
