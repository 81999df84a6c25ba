"""What somebody is about to buy."""

from shop.money import rounded


def total(prices: list[float]) -> float:
    return rounded(sum(prices))


def count(prices: list[float]) -> int:
    return len(prices)
