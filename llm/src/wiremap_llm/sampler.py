"""Logits to tokens, for all requests of a step at once."""

from collections.abc import Sequence
from hashlib import blake2b

import torch
from torch import Tensor

from wiremap_llm.errors import NotFiniteError
from wiremap_llm.outputs import Outcome, Sampled, TokenLogprobs
from wiremap_llm.request import Request

# Below, the most likely token would be certain in single precision, and the division overflow.
_LEAST_TEMPERATURE = 1e-5
# How many of the most likely tokens are sorted at first to find where `top_p` cuts.
_NUM_CANDIDATES = 256


def sample(logits: Tensor, requests: Sequence[Request]) -> list[Outcome]:
    """Choose the next token of each request from its row of *logits*.

    A request's choices depend on its seed, its sample number and how many tokens it has, on nothing
    else: neither on its neighbours in the batch, nor on having been preempted. A row that holds no
    distribution (NaN, or infinity) gives an error for its request.

    Shapes:
        logits: [requests, vocab], float
    """
    raw = logits.float()
    scores = _steered(raw, requests)
    best = scores.max(dim=-1)  # NaN where there is any
    is_finite = best.values.isfinite().tolist()
    tokens: list[int] = best.indices.tolist()
    drawn = [row for row, request in enumerate(requests) if request.params.temperature > 0.0 and is_finite[row]]
    if drawn:
        for row, token in zip(drawn, _draw(scores[drawn], [requests[row] for row in drawn]), strict=True):
            tokens[row] = token
    return [
        Sampled(token, _logprobs(raw[row], token, request.params.logprobs)) if is_finite[row] else NotFiniteError()
        for row, (token, request) in enumerate(zip(tokens, requests, strict=True))
    ]


def _steered(logits: Tensor, requests: Sequence[Request]) -> Tensor:
    """Return *logits* with penalties, and without the tokens that may not come yet."""
    penalised = [row for row, request in enumerate(requests) if request.params.repetition_penalty != 1.0]
    unending = [row for row, request in enumerate(requests) if _may_not_end(request)]
    if not penalised and not unending:
        return logits
    steered = logits.clone()
    for row in penalised:
        seen = torch.tensor(sorted(set(requests[row].token_ids)), device=logits.device)
        penalty = requests[row].params.repetition_penalty
        values = logits[row, seen]
        steered[row, seen] = torch.where(values > 0, values / penalty, values * penalty)
    for row in unending:
        stops = [token for token in requests[row].stop_token_ids if token < logits.shape[1]]
        steered[row, stops] = -torch.inf
    return steered


def _may_not_end(request: Request) -> bool:
    return bool(request.stop_token_ids) and request.num_completion_tokens + 1 < request.params.min_tokens


def _draw(scores: Tensor, requests: Sequence[Request]) -> list[int]:
    """Draw from what temperature, top-k, top-p and min-p, in this order, leave of *scores*.

    Shapes:
        scores: [requests, vocab], float32, each row's maximum finite
    """
    temperatures = [max(request.params.temperature, _LEAST_TEMPERATURE) for request in requests]
    scaled = (scores - scores.amax(dim=-1, keepdim=True)) / _column(temperatures, scores)
    least = torch.maximum(_least_by_rank(scaled, requests), _least_by_ratio(scaled, requests))
    weights = scaled.masked_fill_(scaled < least[:, None], -torch.inf).exp_()
    # The inverse of the distribution function: one uniform number decides, so no generator has a state.
    cumulated = weights.double().cumsum(dim=-1)
    total = cumulated[:, -1:]
    points = _column([_uniform(request) for request in requests], cumulated) * total
    points = torch.minimum(points, total.nextafter(torch.zeros_like(total)))
    tokens: list[int] = torch.searchsorted(cumulated, points, right=True)[:, 0].tolist()
    return tokens


def _least_by_rank(scaled: Tensor, requests: Sequence[Request]) -> Tensor:
    """Return for each row the least score that `top_k` and `top_p` keep: [requests]."""
    least = torch.full((len(scaled),), -torch.inf, device=scaled.device)
    for row, request in enumerate(requests):
        kept = scaled[row]
        if 0 < request.params.top_k < len(kept):
            least[row] = kept.topk(request.params.top_k).values[-1]
            kept = kept[kept >= least[row]]
        if request.params.top_p < 1.0:
            least[row] = _least_of_mass(kept, request.params.top_p)
    return least


def _least_of_mass(scores: Tensor, fraction: float) -> Tensor:
    """Return the score down to which the best of *scores* [any number] have *fraction* of the probability."""
    wanted = fraction * scores.exp().sum(dtype=torch.float64)
    # Sorting a whole vocabulary costs more than a layer of a small model, and few tokens mostly suffice.
    for size in (min(_NUM_CANDIDATES, len(scores)), len(scores)):
        best = scores.topk(size).values
        reached = best.exp().cumsum(dim=0, dtype=torch.float64) >= wanted
        if reached[-1]:
            return best[reached.int().argmax()]
    return best[-1]  # the sums differ by rounding


def _least_by_ratio(scaled: Tensor, requests: Sequence[Request]) -> Tensor:
    """Return for each row the least score that `min_p` keeps, the highest being 0: [requests]."""
    return _column([request.params.min_p for request in requests], scaled).log()[:, 0]


def _uniform(request: Request) -> float:
    """Return a number from [0, 1) that is the request's own for its next token."""
    key = f"{request.seed}/{request.sample}/{request.num_completion_tokens}"
    digest = blake2b(key.encode(), digest_size=8).digest()
    return (int.from_bytes(digest) >> 11) / 2**53


def _logprobs(logits: Tensor, token: int, num_best: int | None) -> TokenLogprobs | None:
    """Report on *token* and the best of the row *logits* [vocab], if *num_best* asks for it."""
    if num_best is None:
        return None
    logprobs = logits.log_softmax(dim=-1)
    best = logprobs.topk(min(num_best, len(logprobs)))
    return TokenLogprobs(
        token, float(logprobs[token]), tuple(zip(best.indices.tolist(), best.values.tolist(), strict=True))
    )


def _column(values: Sequence[float], like: Tensor) -> Tensor:
    """Return *values* as [values, 1], dtype and device of *like*."""
    return torch.tensor(values, dtype=like.dtype, device=like.device)[:, None]
