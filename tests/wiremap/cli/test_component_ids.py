from wiremap.cli.component_ids import enumeration


def test_repeated_layers_are_one() -> None:
    ids = [f"model.layers.{number}.attn" for number in range(30)]

    assert enumeration([*ids, "runner"]) == "model.layers.*.attn (\u00d730), runner"


def test_of_many_different_ones_the_first_are_named() -> None:
    assert enumeration(list("abcdefghi")) == "a, b, c, d, e, f, 3 more"
