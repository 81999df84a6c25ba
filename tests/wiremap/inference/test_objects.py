"""How a class comes by an object of another, and what counts as reading a cell of it."""

import pytest

from tests.wiremap.inference.code_bases import cells, graph_of, holds

PARTS = """
class Pool:
    size = 3
    def take(self): ...
    @property
    def free(self): ...

class SmallPool(Pool):
    def shrink(self): ...

def make_pool(kind: str) -> Pool: ...
"""

WAYS_TO_HOLD = {
    "constructed": """
        def __init__(self):
            self.pool = Pool()
    """,
    "constructed later": """
        def start(self):
            self.pool = Pool()
    """,
    "behind a condition": """
        def __init__(self, flag):
            self.pool = Pool() if flag else None
    """,
    "as a fallback": """
        def __init__(self, pool=None):
            self.pool = pool or Pool()
    """,
    "with a walrus": """
        def __init__(self):
            if pool := Pool():
                self.pool = pool
    """,
    "annotated": """
        def __init__(self):
            self.pool: "Pool | None" = None
    """,
    "by a typed parameter": """
        def __init__(self, pool: Pool):
            self.pool = pool
    """,
    "by an optional parameter": """
        def __init__(self, pool: Optional[Pool] = None):
            self.pool = pool
    """,
    "by a parameter typed as a string": """
        def __init__(self, pool: "Pool"):
            self.pool = pool
    """,
    "by an annotated parameter": """
        def __init__(self, pool: Annotated[Pool, "shared"]):
            self.pool = pool
    """,
    "by an alias": """
        def __init__(self, pool: Alias):
            self.pool = pool
    """,
    "by a union alias": """
        def __init__(self, pool: UnionAlias):
            self.pool = pool
    """,
    "by a parameter with a default": """
        def __init__(self, pool=Pool()):
            self.pool = pool
    """,
    "by a class attribute": """
        pool = Pool()
    """,
    "by an annotation of the class": """
        pool: Pool
    """,
    "by a function's annotation": """
        def __init__(self):
            self.pool = make_pool("small")
    """,
    "by a function's result": """
        def __init__(self):
            self.pool = self._make()
        def _make(self):
            pool = Pool()
            return pool
    """,
    "by a coroutine's result": """
        async def start(self):
            self.pool = await self._make()
        async def _make(self) -> Pool: ...
    """,
    "by a local function": """
        def __init__(self):
            def make():
                return Pool()
            self.pool = make()
    """,
    "by a lambda": """
        def __init__(self):
            make = lambda: Pool()
            self.pool = make()
    """,
    "by a partial": """
        def __init__(self):
            self.pool = functools.partial(Pool, 3)()
    """,
    "by a factory parameter": """
        def __init__(self, make: Callable[[], Pool]):
            self.pool = make()
    """,
    "by a class parameter": """
        def __init__(self, cls: type[Pool] = Pool):
            self.pool = cls()
    """,
    "by a cast": """
        def __init__(self, pool):
            self.pool = cast(Pool, pool)
    """,
    "by an assertion": """
        def __init__(self, pool):
            assert isinstance(pool, Pool)
            self.pool = pool
    """,
    "by setattr": """
        def __init__(self):
            setattr(self, "pool", Pool())
    """,
    "unpacked": """
        def __init__(self):
            self.pool, self.name = Pool(), "x"
    """,
    "in a chain of assignments": """
        def __init__(self):
            self.pool = self.spare = Pool()
    """,
    "out of a dictionary of classes": """
        def __init__(self, kind):
            self.pool = {"pool": Pool}[kind]()
    """,
    "in a with statement": """
        def __init__(self):
            with opened() as pool:
                self.pool = pool
    """,
    "in one of several branches": """
        def __init__(self, kind):
            match kind:
                case "a":
                    self.pool = Pool()
                case _:
                    raise ValueError
    """,
}

HEAD = """
import functools
from contextlib import contextmanager
from typing import Annotated, Callable, Iterator, Optional, Union, cast
"""
ALIASES = """
Alias = Pool
UnionAlias = Union[Pool, None]

@contextmanager
def opened() -> Iterator[Pool]: ...

class App:
"""
RUN = """
    def run(self):
        self.pool.take()
"""


def indented(body: str) -> str:
    return "\n".join(line.removeprefix("    ") for line in body.split("\n"))


@pytest.mark.parametrize("way", WAYS_TO_HOLD)
def test_an_object_is_held(way: str) -> None:
    graph = graph_of(HEAD + PARTS + ALIASES + indented(WAYS_TO_HOLD[way]) + RUN)

    assert cells(graph) == {"Pool.take() > App"}
    assert holds(graph) == {"App holds Pool"}


WAYS_TO_READ = {
    "self.pool.take()": {"Pool.take() > App"},
    "self.pool.size": {"Pool.size > App"},
    "self.pool.free": {"Pool.free > App"},
    "print(self.pool.take)": {"Pool.take() > App"},
    "pool = self.pool; pool.free": {"Pool.free > App"},
    "getattr(self.pool, 'free')": {"Pool.free > App"},
    "[self.pool.free for _ in range(3)]": {"Pool.free > App"},
    "print(f'{self.pool.free}')": {"Pool.free > App"},
    "(lambda: self.pool.free)()": {"Pool.free > App"},
    "self.pool.size += 1": {"Pool.size > App"},
    "self.pool.size = 1": set(),
    "self.pool.absent()": set(),
    "del self.pool": set(),
}


@pytest.mark.parametrize("statement", WAYS_TO_READ)
def test_a_cell_is_read(statement: str) -> None:
    app = f"class App:\n    def __init__(self): self.pool = Pool()\n    def other(self): {statement}\n"
    graph = graph_of(PARTS + app + RUN)

    assert cells(graph) == {"Pool.take() > App"} | WAYS_TO_READ[statement]


def test_a_chain_reads_each_of_its_links() -> None:
    graph = graph_of("""
        class Pool:
            def take(self): ...
        class Scheduler:
            def __init__(self):
                self.pool = Pool()
            def step(self):
                self.pool.take()
        class Engine:
            def __init__(self):
                self.scheduler = Scheduler()
            def run(self):
                self.scheduler.pool.take()
    """)

    assert cells(graph) == {"Pool.take() > Scheduler", "Pool.take() > Engine", "Scheduler.pool > Engine"}


def test_a_parameter_is_used_where_it_comes_in() -> None:
    graph = graph_of("""
        class Pool:
            def take(self): ...
        class App:
            def __init__(self):
                self.pool = Pool()
            def run(self):
                self.pool.take()
        class Report:
            def write(self, pool: Pool):
                pool.take()
    """)

    assert cells(graph) == {"Pool.take() > App", "Pool.take() > Report"}
    assert holds(graph) == {"App holds Pool"}


@pytest.mark.parametrize(
    ("base", "method", "cell"),
    [("", "__call__", "__call__"), ("", "forward", "forward"), ("nn.Linear", "other", "__call__")],
)
def test_calling_an_object_is_a_cell(base: str, method: str, cell: str) -> None:
    graph = graph_of(f"""
        from torch import nn
        class Layer({base}):
            def {method}(self): ...
        class Model:
            def __init__(self):
                self.layer = Layer()
            def run(self):
                self.layer()
    """)

    assert cells(graph) == {f"Layer.{cell}() > Model"}


@pytest.mark.parametrize(
    ("statement", "cell"),
    [
        ("self.table[3]", "__getitem__"),
        ("self.table[3] = 4", "__setitem__"),
        ("3 in self.table", "__contains__"),
        ("for _ in self.table: pass", "__iter__"),
        ("[x async for x in self.table]", "__aiter__"),
        ("with self.table: pass", "__enter__"),
    ],
)
def test_syntax_that_calls_a_method_is_a_cell(statement: str, cell: str) -> None:
    graph = graph_of(f"""
        class Table:
            def {cell}(self, *args): ...
        class App:
            def __init__(self):
                self.table = Table()
            async def run(self):
                {statement}
    """)

    assert cells(graph) == {f"Table.{cell}() > App"}


def test_a_bound_method_that_is_handed_on_is_a_cell_of_its_object() -> None:
    graph = graph_of("""
        class Scheduler:
            def add(self): ...
        class Worker:
            def __init__(self, submit):
                self.submit = submit
            def run(self):
                self.submit()
        class Engine:
            def __init__(self):
                self.scheduler = Scheduler()
                self.worker = Worker(self.scheduler.add)
            def start(self):
                self.worker.run()
    """)

    assert cells(graph) == {"Scheduler.add() > Engine", "Scheduler.add() > Worker", "Worker.run() > Engine"}


def test_an_attribute_that_another_one_sets_is_known() -> None:
    graph = graph_of("""
        class Scheduler:
            def add(self): ...
        class Engine:
            def run(self):
                self.scheduler.add()
        def combine():
            engine = Engine()
            engine.scheduler = Scheduler()
            return engine
    """)

    assert cells(graph) == {"Scheduler.add() > Engine"}
    assert holds(graph) == {"Engine holds Scheduler"}


def test_methods_are_found_on_bases() -> None:
    graph = graph_of(PARTS + "class App:\n def __init__(self): self.pool = SmallPool()" + RUN.replace("    ", " ", 1))

    assert cells(graph) == {"SmallPool.take() > App"}


def test_what_is_passed_says_more_than_what_is_declared() -> None:
    main = "def main(): return App(SmallPool())"
    app = "class App:\n    def __init__(self, pool: Pool): self.pool = pool\n"

    assert cells(graph_of(PARTS + app + RUN + main)) == {"SmallPool.take() > App"}


def test_what_is_declared_counts_when_different_things_are_passed() -> None:
    main = "def main(): return App(SmallPool()), App(Pool())"
    app = "class App:\n    def __init__(self, pool: Pool): self.pool = pool\n"

    assert cells(graph_of(PARTS + app + RUN + main)) == {"Pool.take() > App"}


def test_what_is_passed_to_an_untyped_parameter_is_known_if_it_is_always_the_same() -> None:
    app = "class App:\n    def __init__(self, pool): self.pool = pool\n"

    assert cells(graph_of(PARTS + app + RUN + "App(Pool())")) == {"Pool.take() > App"}
    assert cells(graph_of(PARTS + app + RUN + "App(Pool()); App(object())")) == {"Pool.take() > App"}
    assert cells(graph_of(PARTS + app + RUN + "App(Pool()); App(SmallPool())")) == set()


def test_any_hides_what_is_passed() -> None:
    app = "from typing import Any\nclass App:\n    def __init__(self, pool: Any): self.pool = pool\n"

    assert cells(graph_of(PARTS + app + RUN + "App(Pool())")) == set()


def test_an_object_that_fits_a_protocol_is_known() -> None:
    graph = graph_of(
        "from typing import Protocol\nclass Takes(Protocol):\n    def take(self): ...\n"
        + PARTS
        + "class App:\n    def __init__(self, pool: Takes): self.pool = pool\n"
        + RUN
        + "App(Pool())"
    )

    assert cells(graph) == {"Pool.take() > App"}


def test_a_class_method_that_constructs_gives_an_object_of_the_class_it_is_called_on() -> None:
    graph = graph_of("""
        class Buffer:
            @classmethod
            def create(cls):
                return cls()
            def write(self): ...
        class FastBuffer(Buffer): ...
        class App:
            def __init__(self):
                self.buffer = FastBuffer.create()
            def run(self):
                self.buffer.write()
    """)

    assert cells(graph) == {"FastBuffer.write() > App"}


@pytest.mark.parametrize("body", ["return factory(*args)", "made = factory(*args); made.ready = True; return made"])
def test_a_function_makes_an_object_of_each_class_that_it_is_given(body: str) -> None:
    graph = graph_of(f"""
        class Pool:
            def take(self): ...
        class Other:
            def take(self): ...
        def build(factory, *args):
            {body}
        class App:
            def __init__(self):
                self.pool, self.other = build(Pool), build(factory=Other)
            def run(self):
                self.pool.take()
                self.other.take()
    """)

    assert cells(graph) == {"Pool.take() > App", "Other.take() > App"}
    assert holds(graph) == {"App holds Pool", "App holds Other"}


@pytest.mark.parametrize("body", ["return found[cls]", "return lambda *args: cls(*args)", "return cls(0).close()"])
def test_a_function_that_returns_something_else_makes_nothing_of_a_class_that_it_is_given(body: str) -> None:
    graph = graph_of(f"""
        found = {{}}
        class Pool:
            def take(self): ...
        def find(cls):
            {body}
        class App:
            def __init__(self):
                self.pool = find(Pool)
            def run(self):
                self.pool.take()
    """)

    assert graph.components == ()


def test_a_method_that_returns_its_object_can_be_chained() -> None:
    graph = graph_of("""
        class Query:
            def where(self):
                return self
            def run(self): ...
        class App:
            def __init__(self):
                self.query = Query()
            def go(self):
                self.query.where().where().run()
    """)

    assert cells(graph) == {"Query.where() > App", "Query.run() > App"}


def test_a_torch_module_stays_itself_on_another_device() -> None:
    graph = graph_of("""
        import torch
        class Model(torch.nn.Module):
            def forward(self): ...
        class Runner:
            def __init__(self):
                self.model = Model().to("cuda").eval()
            def run(self):
                self.model()
    """)

    assert cells(graph) == {"Model.forward() > Runner", "Model.to() > Runner", "Model.eval() > Runner"}


def test_reading_a_descriptor_gives_what_it_returns() -> None:
    graph = graph_of("""
        class Pool:
            def take(self): ...
        class Setting:
            def __get__(self, owner, cls) -> Pool: ...
            def take(self): ...
        class App:
            pool = Setting()
            own = Pool()
            def run(self):
                self.pool.take()
                self.own.take()
    """)

    assert cells(graph) == {"Pool.take() > App"}


def test_own_methods_and_attributes_are_no_cells() -> None:
    graph = graph_of("""
        class Node:
            def __init__(self, parent: "Node"):
                self.parent = parent
            def visit(self):
                self.parent.visit()
                self.rest()
                super().visit()
            def rest(self): ...
    """)

    assert graph.components == ()


def test_an_own_method_kept_under_another_name_is_no_cell_of_the_class_that_defines_it() -> None:
    graph = graph_of("""
        class Pool:
            def take(self): ...
        class Base:
            def __init__(self):
                self.step = self._one_step
            def _one_step(self): ...
        class Engine(Base):
            def __init__(self):
                super().__init__()
                self.pool = Pool()
            def run(self):
                self.pool.take()
                self.step()
        class Server:
            def __init__(self):
                self.engine = Engine()
            def serve(self):
                self.engine.step()
    """)

    assert cells(graph) == {"Pool.take() > Engine", "Engine.step() > Server"}


BASES = {
    "plain": "class Base:\n def ok(self): return 0\n",
    "raising": "class Base:\n def ok(self): raise NotImplementedError()\n",
    "abstract": "import abc\nclass Base(abc.ABC):\n @abc.abstractmethod\n def ok(self): ...\n",
    "protocol": "from typing import Protocol\nclass Base(Protocol):\n def ok(self): ...\n",
    "generic": "import typing\nT = typing.TypeVar('T')\nclass Base(typing.Generic[T]):\n def ok(self): return 0\n",
}

HEIRS = """
from typing import Optional, Union
class A(Base):
    def ok(self): return 1
class B(Base):
    def ok(self): return 2
def make(flag) -> Base:
    if flag:
        return A()
    return B()
KINDS: dict[str, type[Base]] = {"a": A, "b": B}
"""

WAYS_TO_CHOOSE = {
    "in two branches of a method": """
        def __init__(self): self.part: Base | None = None
        def open(self, flag):
            if flag: self.part = A()
            else: self.part = B()
    """,
    "in two methods": """
        def __init__(self): self.part: Optional[Base] = None
        def first(self): self.part = A()
        def second(self): self.part = B()
    """,
    "in two methods, declared in the body": """
        part: Base
        def first(self): self.part = A()
        def second(self): self.part = B()
    """,
    "in a method, after the constructor": """
        def __init__(self): self.part: Base = A()
        def replace(self): self.part = B()
    """,
    "by a local name": """
        def __init__(self, flag):
            part: Base
            if flag: part = A()
            else: part = B()
            self.part = part
    """,
    "where something fails": """
        def __init__(self):
            self.part: Base
            try: self.part = A()
            except ImportError: self.part = B()
    """,
    "by a factory": """
        def __init__(self): self.part: Base | None = None
        def open(self): self.part = make(True)
    """,
    "by an own factory": """
        def __init__(self): self.part: Base = self._make(True)
        def _make(self, flag) -> Base: return A() if flag else B()
    """,
    "by a dictionary of classes": """
        def __init__(self, kind): self.part: Base = KINDS[kind]()
    """,
    "of a union": """
        def __init__(self, part: Union[A, B]): self.part = part
    """,
    "by a property": """
        def __init__(self): self._part: Base | None = None
        def first(self): self._part = A()
        def second(self): self._part = B()
        @property
        def part(self) -> Base: return self._part
    """,
    "in a dictionary": """
        def __init__(self):
            self.parts: dict[str, Base] = {}
            self.parts["a"] = A()
            self.parts["b"] = B()
        @property
        def part(self) -> Base: return self.parts["a"]
    """,
}


@pytest.mark.parametrize("way", WAYS_TO_CHOOSE)
@pytest.mark.parametrize("base", BASES)
def test_each_heir_that_an_attribute_is_given_has_its_edge(base: str, way: str) -> None:
    user = "class User:\n" + indented(WAYS_TO_CHOOSE[way]) + "\n    def ok(self): return self.part.ok()\n"
    graph = graph_of(BASES[base] + HEIRS + user)

    assert cells(graph) == {"A.ok() > User", "B.ok() > User"}
    assert holds(graph) == {"User holds A", "User holds B"}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("def replace(self, part: Base): self.part = part", {"A", "Base"}),
        ("def replace(self, part): self.part = part", {"A", "Base"}),
        ("def replace(self): self.part = Base()", {"A", "Base"}),
        ("def clear(self): self.part = None", {"A"}),
    ],
)
def test_a_base_has_its_edge_beside_an_heir_where_it_may_be_given_too(body: str, found: set[str]) -> None:
    user = f"class User:\n    def __init__(self): self.part: Base | None = A()\n    {body}\n"
    graph = graph_of(BASES["plain"] + HEIRS + user + "    def ok(self): return self.part.ok()\n")

    assert cells(graph) == {f"{cls}.ok() > User" for cls in found}
    assert holds(graph) == {f"User holds {cls}" for cls in found}


@pytest.mark.parametrize(
    "user",
    [
        "class User:\n    def __init__(self, part: Base): self.part = part\n",
        "class User:\n    part: Base | None = None\n    def give(self, part: Base): self.part = part\n",
        "from dataclasses import dataclass\n@dataclass\nclass User:\n    part: Base\n",
        "class User:\n    def __init__(self, kind: type[Base]): self.part: Base = kind()\n",
    ],
)
@pytest.mark.parametrize("base", BASES)
def test_a_base_that_is_declared_has_the_edge_where_its_heirs_come_from_callers(base: str, user: str) -> None:
    graph = graph_of(BASES[base] + HEIRS + user + "    def ok(self): return self.part.ok()\n")

    assert cells(graph) == {"Base.ok() > User"}


def test_an_object_that_may_be_none_is_asked_to_store_an_item() -> None:
    graph = graph_of("""
        class Headers:
            def __setitem__(self, name, value): ...
        class Sender:
            def __init__(self): self.headers: Headers | None = None
            def open(self): self.headers = Headers()
            def send(self): self.headers["Host"] = "here"
    """)

    assert cells(graph) == {"Headers.__setitem__() > Sender"}
