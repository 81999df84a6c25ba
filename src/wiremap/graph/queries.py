"""Questions about edges, answered on plain pairs of ids so that every kind of graph can ask them."""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping

Edge = tuple[str, str]


def successors(edges: Iterable[Edge]) -> Mapping[str, list[str]]:
    """Return, for each id that starts an edge, the ids that its edges end at."""
    following: dict[str, list[str]] = defaultdict(list)
    for start, end in edges:
        following[start].append(end)
    return following


def reachable(start: str, edges: Iterable[Edge]) -> tuple[str, ...]:
    """Return the ids that one or more edges lead to from *start*, sorted."""
    following = successors(edges)
    found: set[str] = set()
    frontier = [start]
    while frontier:
        new = set(following.get(frontier.pop(), ())) - found
        found |= new
        frontier.extend(new)
    return tuple(sorted(found))


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
