"""Which column each box stands in: every link leads at least one column to the right, and links are short.

Links that would close a cycle are turned around for this; so are links that are not firm where firm ones
are against them. Only the layout sees them turned, their arrow heads stay where they belong.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from wiremap.graph.queries import topological_order
from wiremap.render.layout.elements import Link

Edge = tuple[str, str]


def left_to_right(keys: Sequence[str], links: Sequence[Link]) -> list[Edge]:
    """Return the two ends of each link, the one further left first; no link may start where it ends."""
    firm = [(link.start, link.end) for link in links if link.firm]
    wished = [(link.start, link.end) for link in links if not link.firm]
    order = topological_order(keys, _without_cycles(keys, firm), wished)
    place = {key: number for number, key in enumerate(order)}
    return [(link.start, link.end) if place[link.start] < place[link.end] else (link.end, link.start) for link in links]


def _without_cycles(keys: Iterable[str], edges: Iterable[Edge]) -> list[Edge]:
    """Return *edges* without those that lead back to a key on the way to them, searched depth first."""
    following: dict[str, list[str]] = defaultdict(list)
    for start, end in dict.fromkeys(edges):
        following[start].append(end)
    kept: list[Edge] = []
    seen: set[str] = set()
    on_path: set[str] = set()
    for root in keys:
        todo = [] if root in seen else [(root, iter(following[root]))]
        seen.add(root)
        on_path.add(root)
        while todo:  # without recursion: a chain may be longer than the stack
            key, ends = todo[-1]
            for end in ends:
                if end in on_path:
                    continue
                kept.append((key, end))
                if end not in seen:
                    seen.add(end)
                    on_path.add(end)
                    todo.append((end, iter(following[end])))
                    break
            else:
                on_path.discard(key)
                todo.pop()
        on_path.discard(root)
    return kept


def columns_of(keys: Sequence[str], edges: Iterable[Edge]) -> Mapping[str, int]:
    """Return a column for each key, the first being 0; *edges* lead to the right and close no cycle."""
    edges = list(edges)
    before: dict[str, list[str]] = defaultdict(list)
    after: dict[str, list[str]] = defaultdict(list)
    for start, end in edges:
        before[end].append(start)
        after[start].append(end)
    order = topological_order(keys, edges)
    column: dict[str, int] = {}
    for key in order:
        column[key] = max((column[start] + 1 for start in before[key]), default=0)
    _shorten(order, column, before, after)
    first = min(column.values(), default=0)
    return {key: column[key] - first for key in keys}


def _shorten(
    order: Sequence[str],
    column: dict[str, int],
    before: Mapping[str, Sequence[str]],
    after: Mapping[str, Sequence[str]],
) -> None:
    """Move keys next to those that most of their edges lead to, until that shortens nothing any more."""
    moved = True
    while moved:
        moved = False
        for key in reversed(order):
            if len(after[key]) > len(before[key]):
                target = min(column[end] for end in after[key]) - 1
                moved |= target > column[key]
                column[key] = target
        for key in order:
            if len(before[key]) > len(after[key]):
                target = max(column[start] for start in before[key]) + 1
                moved |= target < column[key]
                column[key] = target
