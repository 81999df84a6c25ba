"""Branches, loops and scopes: what a name stands for at a certain place."""

import pytest

from tests.wiremap.inference.code_bases import cells, graph_of

PROGRAM = """
class Pool:
    def take(self): ...
class Tank:
    def take(self): ...
class Keeper:
    def __init__(self):
        self.pool, self.tank = Pool(), Tank()
    def run(self):
        self.pool.take(), self.tank.take()

class App:
    def __init__(self):
        self.pool, self.tank = Pool(), Tank()
    def run(self, flag, x=None):
{body}
"""
KEPT = {"Pool.take() > Keeper", "Tank.take() > Keeper"}
BODIES = {
    "x = self.pool; x = self.tank; x.take()": {"Tank"},
    "x = self.pool\nif flag: x = self.tank\nx.take()": {"Pool", "Tank"},
    "if flag: x = self.pool\nelse: x = self.tank\nx.take()": {"Pool", "Tank"},
    "x = self.pool\nif flag:\n    x = self.tank\n    return\nx.take()": {"Pool"},
    "x = self.pool\nif flag:\n    x = self.tank\n    raise ValueError\nx.take()": {"Pool"},
    "for _ in flag:\n    if x: x.take()\n    x = self.pool": {"Pool"},
    "while flag:\n    x = self.pool\nx.take()": {"Pool"},
    "for y in [self.pool]:\n    if flag:\n        x = y\n        break\nx.take()": {"Pool"},
    "for x in [self.pool, self.tank]:\n    if isinstance(x, Tank): continue\n    x.take()": {"Pool"},
    "try: x = self.pool\nexcept ValueError: x = self.tank\nx.take()": {"Pool", "Tank"},
    "try: x = self.pool\nfinally: x.take()": {"Pool"},
    "try: x = self.pool\nexcept ValueError: return\nelse: x = self.tank\nx.take()": {"Tank"},
    "with flag:\n    x = self.pool\nx.take()": {"Pool"},
    "match flag:\n    case 1: x = self.pool\n    case _: x = self.tank\nx.take()": {"Pool", "Tank"},
    "match flag:\n    case Pool() as x: x.take()": {"Pool"},
    "match flag:\n    case Pool(): flag.take()": {"Pool"},
    "def inner():\n    self.pool.take()\ninner()": {"Pool"},
    "def inner(self):\n    self.pool.take()\ninner(3)": set(),
    "f = lambda: self.pool.take()": {"Pool"},
    "x = self.pool if flag else self.tank\nx.take()": {"Pool", "Tank"},
    "x = flag and self.pool\nx.take()": {"Pool"},
    "x: Pool = flag\nx.take()": {"Pool"},
    "global y\ny = self.pool\ny.take()": {"Pool"},
    "[x.take() for x in [self.pool]]\nx.take()": {"Pool"},
    "x = [self.pool for self.other in flag][0]\nx.take()": {"Pool"},
}


@pytest.mark.parametrize("body", BODIES)
def test_a_name_stands_for_what_it_was_given_on_the_way(body: str) -> None:
    lines = "\n".join(" " * 8 + line for line in body.split("\n"))
    graph = graph_of(PROGRAM.format(body=lines))

    assert cells(graph) - KEPT == {f"{name}.take() > App" for name in BODIES[body]}


def test_a_dataclass_is_given_its_fields() -> None:
    graph = graph_of("""
        from dataclasses import dataclass, field
        class Pool:
            def take(self): ...
        class BigPool(Pool): ...
        class Log:
            def write(self): ...
        @dataclass
        class App:
            name: str
            pool: Pool
            log: Log = field(default_factory=Log)
            def run(self):
                self.pool.take()
                self.log.write()
        App("a", BigPool())
    """)

    assert cells(graph) == {"BigPool.take() > App", "Log.write() > App"}


def test_a_base_hands_its_parameters_on() -> None:
    graph = graph_of("""
        class Pool:
            def take(self): ...
        class Base:
            def __init__(self, pool):
                self.pool = pool
        class App(Base):
            def __init__(self):
                super().__init__(pool=Pool())
            def run(self):
                self.pool.take()
    """)

    assert cells(graph) == {"Pool.take() > App"}


def test_a_setter_stores() -> None:
    graph = graph_of("""
        class Pool:
            def take(self): ...
        class App:
            @property
            def pool(self):
                return self._pool
            @pool.setter
            def pool(self, pool: Pool):
                self._pool = pool
            def run(self):
                self.pool.take()
    """)

    assert cells(graph) == {"Pool.take() > App"}


def test_a_result_is_what_all_paths_return_or_else_what_is_declared() -> None:
    program = """
        class Pool:
            def take(self): ...
        class BigPool(Pool): ...
        def make(kind) -> Pool:
            if kind:
                return BigPool()
            return {}
        class App:
            def __init__(self):
                self.pool = make(3)
            def run(self):
                self.pool.take()
    """

    assert cells(graph_of(program.format("BigPool()"))) == {"BigPool.take() > App"}
    assert cells(graph_of(program.format("REGISTRY[kind]()"))) == {"Pool.take() > App"}


def test_facts_that_go_round_in_a_circle_come_to_an_end() -> None:
    graph = graph_of("""
        class Node:
            def __init__(self, inner):
                self.inner = [inner, self.inner]
                self.far = self.inner.far.far
            def grow(self):
                self.inner = {"a": self.inner}
                return self.shrink(self.inner)
            def shrink(self, x):
                return [self.grow(), x, Node(self.grow())]
    """)

    assert graph.components == ()


@pytest.mark.parametrize(
    "condition",
    ["isinstance(x, Pool)", "x and isinstance(x, (Pool, int))", "not (not isinstance(x, Pool))"],
)
def test_a_test_narrows_a_name(condition: str) -> None:
    body = f"        x = self.pool if flag else self.tank\n        if {condition}: x.take()"

    assert cells(graph_of(PROGRAM.format(body=body))) - KEPT == {"Pool.take() > App"}


@pytest.mark.parametrize(
    "condition",
    ["not isinstance(x, Pool)", "not isinstance(x, Pool) or flag"],
)
def test_a_test_that_fails_narrows_a_name_too(condition: str) -> None:
    body = f"        x = self.pool if flag else self.tank\n        if {condition}: return\n        x.take()"

    assert cells(graph_of(PROGRAM.format(body=body))) - KEPT == {"Pool.take() > App"}


def test_an_assertion_narrows_a_name() -> None:
    body = "        assert isinstance(x, Pool)\n        x.take()"

    assert cells(graph_of(PROGRAM.format(body=body))) - KEPT == {"Pool.take() > App"}
