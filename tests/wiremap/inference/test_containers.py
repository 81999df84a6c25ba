"""What is known of the elements of containers."""

import pytest

from tests.wiremap.inference.code_bases import cells, graph_of, holds

PROGRAM = """
from collections import OrderedDict, defaultdict, deque
from collections.abc import ItemsView, Mapping
from itertools import product
from torch import nn

class Pool:
    def take(self): ...

class App:
    def __init__(self):
        {made}
    def run(self):
        {used}
"""
MADE_AND_USED = [
    ("self.pools = [Pool(), Pool()]", "self.pools[0].take()"),
    ("self.pools = [Pool() for _ in range(3)]", "for pool in self.pools: pool.take()"),
    ("self.pools = [Pool()] * 3", "self.pools[1].take()"),
    ("self.pools = [*[Pool()], None]", "self.pools[1].take()"),
    ("self.pools = {Pool()}", "self.pools.pop().take()"),
    ("self.pools = (Pool(), 3)", "self.pools[0].take()"),
    ("self.pools = tuple(Pool() for _ in range(3))", "self.pools[0].take()"),
    ("self.pools = deque([Pool()])", "self.pools.popleft().take()"),
    ("self.pools = nn.ModuleList([Pool()])", "[pool.take() for pool in self.pools]"),
    ("self.pools = nn.Sequential(Pool(), Pool())", "for pool in self.pools: pool.take()"),
    ("self.pools = list(reversed([Pool()]))", "for i, pool in enumerate(self.pools): pool.take()"),
    ("self.pools = [Pool()]", "for pool, n in zip(self.pools, range(3)): pool.take()"),
    ("self.pools = [Pool()]", "first, *rest = self.pools; rest[0].take()"),
    ("self.pools = [Pool()]", "first, second = self.pools; second.take()"),
    ("self.pools = [Pool()]", "max(self.pools).take()"),
    ("self.pools = [Pool()]", "next(iter(self.pools)).take()"),
    ("self.pools = [Pool()]", "self.pools[1:][0].take()"),
    ("self.pools = [Pool()]", "for pool in self.pools + [3]: pool.take()"),
    ("self.pools = [Pool()]", "for pool in filter(None, self.pools): pool.take()"),
    ("self.pools = [Pool()]", "for a, pool in product([1], self.pools): pool.take()"),
    ("self.pools = {'a': Pool()}", "self.pools['a'].take()"),
    ("self.pools = {'a': Pool()}", "self.pools.get('b').take()"),
    ("self.pools = {'a': Pool()}", "for pool in self.pools.values(): pool.take()"),
    ("self.pools = {'a': Pool()}", "for name, pool in self.pools.items(): pool.take()"),
    ("self.pools = {name: Pool() for name in 'ab'}", "self.pools['a'].take()"),
    ("self.pools = {**{'a': Pool()}}", "self.pools['a'].take()"),
    ("self.pools = dict(a=Pool())", "self.pools['a'].take()"),
    ("self.pools = OrderedDict([('a', Pool())])", "self.pools['a'].take()"),
    ("self.pools = nn.ModuleDict({'a': Pool()})", "self.pools['a'].take()"),
    ("self.pools = []; self.pools.append(Pool())", "self.pools[0].take()"),
    ("self.pools = []; self.pools.extend([Pool()])", "self.pools[0].take()"),
    ("self.pools = {}; self.pools['a'] = Pool()", "self.pools['a'].take()"),
    ("self.pools = {}; self.pools.update(a=3, **{}); self.pools.setdefault('a', Pool())", "self.pools['a'].take()"),
    ("pools = []; pools.append(Pool()); self.pools = pools", "self.pools[0].take()"),
]


KEYS_MADE_AND_USED = [
    ("self.pools = {Pool(): 'a'}", "for pool in self.pools: pool.take()"),
    ("self.pools = {Pool(): 'a'}", "for pool, name in self.pools.items(): pool.take()"),
    ("self.pools = {Pool(): 'a'}", "for pool in self.pools.keys(): pool.take()"),
    ("self.pools = {Pool(): 'a'}", "for pool in sorted(self.pools): pool.take()"),
    ("self.pools = {Pool(): 'a'}", "for pool in self.pools.copy(): pool.take()"),
    ("self.pools = {Pool(): 'a'}", "for pool in self.pools | {}: pool.take()"),
    ("self.pools = {Pool(): 'a'}", "pool, name = self.pools.popitem(); pool.take()"),
    ("self.pools = {Pool(): 'a'}", "[pool.take() for pool in {**self.pools}]"),
    ("self.pools = {Pool(): name for name in 'ab'}", "next(iter(self.pools)).take()"),
    ("self.pools = dict([(Pool(), 'a')])", "for pool in self.pools: pool.take()"),
    ("self.pools = dict({Pool(): 'a'}, b=3)", "for pool in self.pools: pool.take()"),
    ("self.pools = {}; self.pools[Pool()] = 'a'", "for pool in self.pools: pool.take()"),
    ("self.pools = {}; self.pools.setdefault(Pool())", "for pool in self.pools: pool.take()"),
    ("self.pools = {}; self.pools.update({Pool(): 'a'})", "for pool in self.pools: pool.take()"),
    ("self.pools: dict[Pool, str] = read()", "for pool in self.pools: pool.take()"),
    ("self.pools: 'Mapping[Pool, str]' = read()", "for pool, name in self.pools.items(): pool.take()"),
    ("self.pools: 'ItemsView[Pool, str]' = read()", "for pool, name in self.pools: pool.take()"),
]


@pytest.mark.parametrize(("made", "used"), MADE_AND_USED)
def test_an_element_is_known(made: str, used: str) -> None:
    graph = graph_of(PROGRAM.format(made=made, used=used))

    assert cells(graph) == {"Pool.take() > App"}
    assert holds(graph) == {"App holds Pool"}


@pytest.mark.parametrize(("made", "used"), KEYS_MADE_AND_USED)
def test_a_key_is_known(made: str, used: str) -> None:
    graph = graph_of(PROGRAM.format(made=made, used=used))

    assert cells(graph) == {"Pool.take() > App"}
    assert holds(graph) == {"App holds Pool"}


@pytest.mark.parametrize(
    ("made", "used"),
    [
        ("self.pools = (3, Pool())", "self.pools[0].take()"),
        ("self.pools = {'a': Pool()}", "for pool in self.pools: pool.take()"),
        ("self.pools = {Pool(): 'a'}", "self.pools['a'].take()"),
        ("self.pools = {Pool(): 'a'}", "for pool in self.pools.values(): pool.take()"),
        ("self.pools = {Pool(): 'a'}", "for name, pool in self.pools.items(): pool.take()"),
        ("self.pools = [Pool()]", "for i, pool in enumerate(self.pools): i.take()"),
        ("self.pools = [Pool()]", "self.pools.take()"),
        ("self.pools = [Pool()]", "len(self.pools).take()"),
    ],
)
def test_what_is_no_element_is_not_taken_for_one(made: str, used: str) -> None:
    assert cells(graph_of(PROGRAM.format(made=made, used=used))) == set()
