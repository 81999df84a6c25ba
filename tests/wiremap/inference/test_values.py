from wiremap.inference.values import (
    UNKNOWN,
    Outside,
    Value,
    maker,
    many,
    member_of_outside,
    outside_names,
    several,
    union,
)


def test_too_many_possibilities_are_as_good_as_unknown() -> None:
    assert union(frozenset({Outside(str(number))}) for number in range(100)) == UNKNOWN


def test_nesting_comes_to_an_end() -> None:
    value: Value = UNKNOWN
    depths = []
    for _ in range(20):
        value = many(several([maker(value)]))
        depths.append(repr(value).count("frozenset"))

    assert max(depths) < 10


def test_names_of_attributes_come_to_an_end() -> None:
    value: Value = frozenset({Outside("torch")})
    for _ in range(10):
        value = union(member_of_outside(kind, "nn") for kind in value if isinstance(kind, Outside))

    assert outside_names(value) == {""}
