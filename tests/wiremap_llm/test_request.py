from typing import Any

import pytest

from tests.wiremap_llm.fakes import request
from wiremap_llm.errors import InvalidSamplingParamsError
from wiremap_llm.request import SamplingParams


@pytest.mark.parametrize(
    "wrong",
    [
        {"temperature": -0.1},
        {"temperature": float("nan")},
        {"temperature": float("inf")},
        {"temperature": "0"},
        {"max_tokens": 0},
        {"max_tokens": 1.5},
        {"max_tokens": True},
        {"ignore_eos": 1},
        {"seed": 1.0},
        {"top_k": -1},
        {"top_p": 0.0},
        {"top_p": 1.1},
        {"min_p": -0.1},
        {"repetition_penalty": 0.0},
        {"repetition_penalty": float("inf")},
        {"logprobs": -1},
        {"n": 0},
        {"min_tokens": -1},
        {"min_tokens": 65},
        {"stop": ""},
        {"stop": ["a", 1]},
        {"stop_token_ids": [-1]},
        {"stop_token_ids": 3},
    ],
)
def test_a_value_out_of_range_is_refused_by_its_name(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidSamplingParamsError, match=f"{next(iter(wrong))} is "):
        SamplingParams(**wrong)


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(InvalidSamplingParamsError) as refused:
        SamplingParams(temperature=-1.0, max_tokens=0)

    assert len(refused.value.faults) == 2


def test_pending_tokens_are_those_without_cached_keys_and_values() -> None:
    decoding = request([1, 2, 3])
    decoding.num_cached = 3
    decoding.token_ids.append(4)

    assert decoding.num_pending == 1
    assert decoding.completion == [4]
    assert repr(decoding) == "Request(0, WAITING, 3/4 tokens cached)"
