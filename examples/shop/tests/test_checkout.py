from shop.checkout import Checkout


def test_pay():
    assert Checkout().pay([1.111, 2]) == {"amount": 3.11}
