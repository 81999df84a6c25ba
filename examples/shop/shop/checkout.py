"""Paying."""

from shop.cart import total


class Checkout:
    def pay(self, prices: list[float]) -> dict[str, float]:
        return {"amount": total(prices)}
