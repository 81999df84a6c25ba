"""Questions about edges, answered on plain pairs of ids so that every kind of graph can ask them."""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

Edge = tuple[str, str]


def successors(edges: Iterable[Edge]) -> Mapping[str, list[str]]:
    """Return, for each id that starts an edge, the ids that its edges end at."""
    following: dict[str, list[str]] = defaultdict(list)
    for start, end in edges:
        following[start].append(end)
    return following


def reachable(start: str, following: Mapping[str, Iterable[str]], steps: int | None = None) -> tuple[str, ...]:
    """Return the ids that one or more edges lead to from *start*, at most *steps* if that is given, sorted."""
    found: set[str] = set()
    frontier = {start}
    while frontier and steps != 0:
        frontier = {end for node in frontier for end in following.get(node, ())} - found
        found |= frontier
        steps = None if steps is None else steps - 1
    return tuple(sorted(found))


def paths(
    start: str,
    end: str,
    following: Mapping[str, Iterable[str]],
    preceding: Mapping[str, Iterable[str]],
    limit: int,
) -> Iterator[tuple[str, ...]]:
    """Yield at most *limit* paths of one edge or more that visit no node twice: shorter first, then smaller ids.

    Only beginnings that can still reach the end are followed, and of those always the one with the shortest whole.
    So each path costs about its length times the edges that leave it; only where there is a cycle between the ends,
    each step also looks anew for what can reach the end past the nodes visited.
    """
    between = {start, *reachable(start, following)} & {end, *reachable(end, preceding)}
    remaining = _distances_to(end, preceding, between)
    edges = [(node, after) for node in between for after in following.get(node, ()) if after in between]
    cyclic = bool(find_cycle(between, edges))
    open_paths: list[tuple[int, tuple[str, ...]]] = (
        [(remaining[start], (start,))] if start in remaining and start != end else []
    )
    while open_paths and limit > 0:
        _, path = heapq.heappop(open_paths)
        if path[-1] == end:
            limit -= 1
            yield path
            continue
        if cyclic:
            remaining = _distances_to(end, preceding, between.difference(path))
        for node in set(following.get(path[-1], ())) & remaining.keys():
            heapq.heappush(open_paths, (len(path) + remaining[node], (*path, node)))


def _distances_to(end: str, preceding: Mapping[str, Iterable[str]], among: AbstractSet[str]) -> Mapping[str, int]:
    """Return how many edges lead to *end* at least, for each node *among* those that a path may visit."""
    distances = {end: 0} if end in among else {}
    frontier = list(distances)
    for node in frontier:  # grows while it is walked, so that what is near comes first
        for before in preceding.get(node, ()):
            if before in among and before not in distances:
                distances[before] = distances[node] + 1
                frontier.append(before)
    return distances


def find_cycle(nodes: Iterable[str], edges: Iterable[Edge]) -> tuple[str, ...]:
    """Return the ids along one cycle, each once and the smallest first, or nothing when there is none.

    Which cycle is found depends only on the ids and edges, not on their order.
    """
    following = {start: sorted(set(ends)) for start, ends in successors(edges).items()}
    done: set[str] = set()
    for root in sorted(nodes):
        if cycle := _cycle_from(root, following, done):
            smallest = cycle.index(min(cycle))
            return tuple(cycle[smallest:] + cycle[:smallest])
    return ()


def _cycle_from(root: str, following: Mapping[str, list[str]], done: set[str]) -> list[str]:
    """Search depth first from *root*, without recursion: a chain may be longer than the stack."""
    path: list[str] = []
    on_path: set[str] = set()
    todo = [(root, False)]
    while todo:
        node, leaving = todo.pop()
        if leaving:
            path.pop()
            on_path.discard(node)
            done.add(node)
        elif node in on_path:
            return path[path.index(node) :]
        elif node not in done:
            path.append(node)
            on_path.add(node)
            todo.append((node, True))
            todo.extend((end, False) for end in reversed(following.get(node, [])))
    return []


def topological_order(nodes: Iterable[str], firm: Iterable[Edge], wished: Iterable[Edge] = ()) -> tuple[str, ...]:
    """Order *nodes* so that every firm edge leads forwards.

    Where firm edges leave a choice, a node comes after the starts of its *wished* edges if that is possible,
    then smaller ids come first. Nodes on a cycle of firm edges, or behind one, come last, smaller ids first.
    """
    nodes = sorted(nodes)
    firm_after, wished_after = successors(set(firm)), successors(set(wished))
    firm_before, wished_before = _count_ends(firm_after), _count_ends(wished_after)
    # Two heaps, the nodes that break no wish and those that break one: a node may stand in both, once each.
    ready = [node for node in nodes if not firm_before[node]]
    content = [node for node in ready if not wished_before[node]]
    heapq.heapify(ready)
    heapq.heapify(content)
    order: dict[str, None] = {}
    while content or ready:
        node = heapq.heappop(content or ready)
        if node in order:
            continue
        order[node] = None
        for end in firm_after.get(node, ()):
            firm_before[end] -= 1
            if not firm_before[end]:
                heapq.heappush(ready, end)
                if wished_before[end] <= 0:
                    heapq.heappush(content, end)
        for end in wished_after.get(node, ()):
            wished_before[end] -= 1
            if not wished_before[end] and firm_before[end] <= 0:
                heapq.heappush(content, end)
    return (*order, *(node for node in nodes if node not in order))


def _count_ends(following: Mapping[str, list[str]]) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for ends in following.values():
        for end in ends:
            counts[end] += 1
    return counts
