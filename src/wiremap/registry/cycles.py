"""All cycles among edges, found in one pass."""

from collections.abc import Iterable, Iterator

from wiremap.graph.queries import successors

Edge = tuple[str, str]


def disjoint_cycles(edges: Iterable[Edge]) -> Iterator[tuple[str, ...]]:
    """Yield cycles that share no edge until no other is left, each as its ids with the smallest first.

    Which cycles are found depends only on the edges, not on their order. It takes time linear in them.
    """
    following = {start: iter(sorted(set(ends))) for start, ends in successors(edges).items()}
    done: set[str] = set()
    for root in sorted(following):
        if root not in done:
            yield from _cycles_from(root, following, done)


def _cycles_from(root: str, following: dict[str, Iterator[str]], done: set[str]) -> Iterator[tuple[str, ...]]:
    """Search depth first from *root*, without recursion: a chain may be longer than the stack.

    An edge is looked at once. If it closes a cycle, the search goes on from where that began, as if the edges of
    the cycle were not there; else it leads on, or to what is done.
    """
    path = {root: None}  # in the order in which it was walked
    node = root
    while path:
        end = next(following.get(node, iter(())), None)
        if end is None:
            path.pop(node)
            done.add(node)
        elif end in path:
            yield _cut_off(path, end)
        elif end not in done:
            path[end] = None
        node = next(reversed(path), root)


def _cut_off(path: dict[str, None], start: str) -> tuple[str, ...]:
    """Take what comes after *start* off the path, and return it with *start* as a cycle."""
    cycle = []
    while (last := next(reversed(path))) != start:
        cycle.append(path.popitem()[0])
    cycle = [last, *reversed(cycle)]
    smallest = cycle.index(min(cycle))
    return tuple(cycle[smallest:] + cycle[:smallest])
