"""Amounts of money."""


def rounded(amount: float) -> float:
    return round(amount, 2)


def words(amount: float) -> str:
    return f"{rounded(amount):.2f} euros"
