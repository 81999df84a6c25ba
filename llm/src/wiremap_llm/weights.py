"""Puts the tensors of a checkpoint into a model: every one, each exactly once, or none is trusted."""

from collections.abc import Iterable, Iterator

from torch import Tensor, nn

from wiremap_llm.errors import NotFiniteWeightsError, WeightsMismatchError
from wiremap_llm.layers.linear import MergedLinear

# What other programs store although it is no weight of its own: a second copy of a tied head, and
# the rotary frequencies, which follow from the configuration.
_TIED_HEAD = "lm_head.weight"
_FREQUENCIES = ".rotary_emb.inv_freq"


def load_weights(model: nn.Module, tensors: Iterable[tuple[str, Tensor]]) -> None:
    """Copy *tensors*, named as in the Hugging Face layout, into the parameters of *model*.

    Raises:
        WeightsMismatchError: Names all that are missing, unexpected or of another shape.
        NotFiniteWeightsError: Names all that hold NaN or infinity, in the model's dtype.
    """
    targets = dict(_targets(model))
    missing, unexpected, misshapen = set(targets), [], []
    spoilt = []
    for name, tensor in tensors:
        if name in targets:
            missing.discard(name)
            if targets[name].shape == tensor.shape:
                targets[name].copy_(tensor)
                if not targets[name].isfinite().all():
                    spoilt.append(name)
            else:
                misshapen.append(f"{name} is {list(tensor.shape)}, not {list(targets[name].shape)}")
        elif name != _TIED_HEAD and not name.endswith(_FREQUENCIES):
            unexpected.append(name)
    if missing or unexpected or misshapen:
        raise WeightsMismatchError(missing, unexpected, misshapen)
    if spoilt:
        raise NotFiniteWeightsError(spoilt)


def _targets(model: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """Yield each name that a checkpoint must hold, with the memory that its tensor goes to."""
    for path, module in model.named_modules():
        if isinstance(module, MergedLinear):
            parent = path.rpartition(".")[0]
            for part in module.parts:
                yield f"{parent}.{part}.weight", module.weight_of(part)
        else:
            for name, parameter in module.named_parameters(recurse=False):
                yield f"{path}.{name}", parameter.data
