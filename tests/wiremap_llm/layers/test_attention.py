import torch
from torch import Tensor

from wiremap_llm.layers.attention import CachedAttention


def test_the_layer_hands_its_cache_to_the_cell() -> None:
    layer = CachedAttention()
    layer.k_cache, layer.v_cache = torch.ones(1), torch.zeros(1)
    seen: list[tuple[Tensor, ...]] = []

    def attn(*tensors: Tensor) -> Tensor:
        seen.append(tensors)
        return tensors[0]

    layer.attn = attn
    q, k, v = torch.randn(3, 2, 1, 4)

    assert layer(q, k, v) is q
    assert [id(each) for each in seen[0]] == [id(each) for each in (q, k, v, layer.k_cache, layer.v_cache)]
