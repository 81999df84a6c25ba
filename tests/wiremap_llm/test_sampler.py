from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
import torch

from wiremap_llm.outputs import Sampled
from wiremap_llm.request import Request, SamplingParams
from wiremap_llm.sampler import sample as outcomes


def sample(logits: torch.Tensor, requests: Sequence[Request]) -> list[int]:
    """Return the tokens alone."""
    return [outcome.token_id for outcome in outcomes(logits, requests) if isinstance(outcome, Sampled)]


def sampled(seed: int = 0, num_tokens: int = 0, **params: Any) -> Request:
    new = Request(0, [1, 2], SamplingParams(**params), seed=seed)
    new.token_ids += [0] * num_tokens
    return new


def test_temperature_zero_takes_the_most_likely_token() -> None:
    logits = torch.tensor([[0.0, 3.0, 1.0], [2.0, 1.0, 0.0]])

    assert sample(logits, [sampled(temperature=0.0), sampled(temperature=0.0)]) == [1, 0]


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_tokens_come_as_often_as_their_probability_says(temperature: float) -> None:
    logits = torch.tensor([[1.0, 0.0, -1.0]])
    draws = 2000

    found = Counter(sample(logits, [sampled(seed, temperature=temperature)])[0] for seed in range(draws))

    for token, probability in enumerate((logits[0] / temperature).softmax(0).tolist()):
        assert abs(found[token] / draws - probability) < 0.04


def test_a_choice_depends_on_seed_and_step_and_not_on_neighbours() -> None:
    logits = torch.zeros(4, 1000)
    requests = [sampled(0), sampled(1), sampled(0, num_tokens=1), sampled(0)]

    first, other_seed, other_step, again = sample(logits, requests)

    assert first == again == sample(logits[:1], [sampled(0)])[0]
    assert len({first, other_seed, other_step}) == 3


def test_greedy_and_sampled_requests_share_a_batch() -> None:
    logits = torch.tensor([[0.0, 9.0], [100.0, 0.0]])

    assert sample(logits, [sampled(temperature=0.0), sampled(temperature=1.0)]) == [1, 0]


def test_a_tiny_temperature_is_nearly_greedy_and_overflows_nothing() -> None:
    logits = torch.tensor([[60_000.0, 60_001.0, 0.0]])

    assert sample(logits, [sampled(temperature=1e-300)]) == [1]
