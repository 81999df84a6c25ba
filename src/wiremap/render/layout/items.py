"""What stands in the columns of a layout: boxes, labels, and bends where a link passes a column.

Each gets a place of its own, so that no link runs through a box and no label lies on anything. Links without a
label that end at one box share their bends: they run together from the first of them on.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from wiremap.render.layout.elements import Link, Size
from wiremap.render.layout.layering import Edge

_BEND: Final = Size(0, 0)
_BOX_MARGIN: Final = 12  # above and below, each
_LABEL_MARGIN: Final = 6
_BEND_MARGIN: Final = 5


@dataclass(frozen=True, slots=True)
class Items:
    """Items are numbers; boxes come first, in the order in which they were given.

    Attributes:
        sizes: The room that each item needs.
        margins: The space that each item wants above and below it.
        columns: The items of each column, from the left.
        ways: For each link all items that it meets, from its left end to its right.
        labels: For each link the item that is its label.
    """

    sizes: Sequence[Size]
    margins: Sequence[int]
    columns: Sequence[Sequence[int]]
    ways: Sequence[Sequence[int]]
    labels: Sequence[int | None]


def items_of(
    boxes: Mapping[str, Size],
    links: Sequence[Link],
    edges: Sequence[Edge],
    joined: Sequence[bool],
    column: Mapping[str, int],
) -> Items:
    """Return the items of a layout in which the boxes stand in the given columns.

    Labels stand in columns of their own between those of the boxes.

    Args:
        boxes: The size of each box.
        links: What joins them.
        edges: The ends of each link, the left one first.
        joined: Whether a link may share its bends with the others of which this is said and that end where it does.
        column: Where each box stands.
    """
    number = {key: at for at, key in enumerate(boxes)}
    sizes, margins = list(boxes.values()), [_BOX_MARGIN] * len(boxes)
    columns: dict[int, list[int]] = defaultdict(list)
    for key, at in number.items():
        columns[2 * column[key]].append(at)
    label_columns = [
        _label_column(link, column[start], column[end]) for link, (start, end) in zip(links, edges, strict=True)
    ]
    used = sorted({*columns, *(at for at in label_columns if at is not None)})
    ways: list[list[int]] = []
    labels: list[int | None] = []
    shared: dict[tuple[str, int], int] = {}
    for link, (start, end), join, label_column in zip(links, edges, joined, label_columns, strict=True):
        way, label = [number[start]], None
        for at in used[bisect_right(used, 2 * column[start]) : bisect_left(used, 2 * column[end])]:
            item = len(sizes)
            if join:
                item = shared.setdefault((end, at), item)
            if item == len(sizes):
                is_label = at == label_column and link.label is not None
                sizes.append(link.label if link.label and is_label else _BEND)
                margins.append(_LABEL_MARGIN if is_label else _BEND_MARGIN)
                columns[at].append(item)
                label = item if is_label else label
            way.append(item)
        ways.append([*way, number[end]])
        labels.append(label)
    return Items(sizes, margins, [columns[at] for at in used], ways, labels)


def _label_column(link: Link, start: int, end: int) -> int | None:
    return 2 * ((start + end - 1) // 2) + 1 if link.label else None
