from wiremap.render.layout.lines import Column, Line
from wiremap.render.layout.straightening import straightened


def test_a_line_with_room_becomes_level() -> None:
    columns = [Column((item,), ()) for item in range(4)]
    lines = [Line((0, 1, 2, 3), (10, 0, 0, 10), 1)]

    assert straightened(columns, [20, 0, 0, 20], lines, [0, 13, 5, 40]) == [0, 10, 10, 0]


def test_a_line_without_room_bends_once() -> None:
    columns = [Column((0,), ()), Column((1, 4), (5,)), Column((2,), ()), Column((3,), ())]
    lines = [Line((0, 1, 2, 3), (10, 0, 0, 10), 1)]

    tops = straightened(columns, [20, 0, 0, 20, 20], lines, [0, -30, -10, 0, -20])

    assert tops[1] == -25
    assert tops[2] == tops[3] + 10 == tops[1]
