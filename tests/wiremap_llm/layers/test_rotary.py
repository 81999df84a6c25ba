import torch
from torch import Tensor

from wiremap_llm.config import RopeScaling
from wiremap_llm.layers.rotary import rotary_angles, rotary_frequencies, rotate

HEAD_DIM, THETA = 8, 10_000.0


def turned(x: Tensor, positions: list[int]) -> Tensor:
    cos, sin = rotary_angles(torch.tensor(positions), *rotary_frequencies(HEAD_DIM, THETA, RopeScaling()))
    return rotate(x, cos, sin)


def test_each_pair_turns_by_position_times_its_frequency() -> None:
    x = torch.randn(2, 3, HEAD_DIM)

    pairs = torch.complex(x[..., : HEAD_DIM // 2].double(), x[..., HEAD_DIM // 2 :].double())
    angles = torch.tensor([[5.0], [90.0]]) * THETA ** (-torch.arange(0, HEAD_DIM, 2).double() / HEAD_DIM)
    expected = pairs * torch.exp(1j * angles)[:, None]

    torch.testing.assert_close(
        turned(x, [5, 90]), torch.cat((expected.real, expected.imag), -1).float(), rtol=1e-4, atol=1e-5
    )


def test_scores_depend_on_the_distance_of_positions_only() -> None:
    q, k = torch.randn(1, 1, HEAD_DIM), torch.randn(1, 1, HEAD_DIM)

    near = (turned(q, [7]) * turned(k, [3])).sum()
    far = (turned(q, [107]) * turned(k, [103])).sum()

    torch.testing.assert_close(near, far, rtol=1e-4, atol=1e-4)
