import pytest
import torch

from wiremap_llm.layers.rms_norm import RMSNorm, rms_norm


def test_rows_are_scaled_by_their_root_mean_square() -> None:
    x, weight = torch.randn(3, 2, 8), torch.rand(8)
    wide = x.double()

    expected = wide / (wide.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * weight

    torch.testing.assert_close(rms_norm(x, weight, 1e-6), expected.float())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_keeps_its_type_and_sums_in_float32(dtype: torch.dtype) -> None:
    x = torch.full((1, 4096), 60.0, dtype=dtype)  # its square overflows float16, its sum bfloat16's steps

    out = RMSNorm(4096, 1e-6).to(dtype)(x)

    assert out.dtype == dtype
    torch.testing.assert_close(out, torch.ones_like(x))
