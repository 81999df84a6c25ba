from shop.cart import count, total


def test_total():
    assert total([1, 2.5]) == 3.5


def test_count():
    assert count([1]) == 1
