import pytest

from tests.wiremap.checks.test_source_classes import code
from wiremap.checks.reaching import reaching_inside
from wiremap.checks.source_classes import ClassName
from wiremap.checks.wiring import Wiring
from wiremap.graph import Binding, Component, Containment, Graph

POOL = """
class Disk: ...
class Pool:
    limit = 3
    _shared = 4
    def __init__(self, disk: Disk):
        self.disk = disk
    def take(self): ...
"""
GRAPH = Graph(
    tuple(Component(name, name, "pool" if name in ("Pool", "Disk") else "user") for name in ("Pool", "Disk", "User")),
    (
        Binding("Pool", "take", "User"),
        Binding("Pool", "limit", "User", "state"),
        Binding("Pool", "take", "User", interface="pools"),
    ),
    (Containment("Disk", "Pool"), Containment("Pool", "User")),
)


def found(body: str, *, graph: Graph = GRAPH, attributes: str = "pool: Pool") -> list[str]:
    imports = "from pool import Disk, Pool\nimport pool as other"
    user = f"{imports}\nclass User:\n    {attributes}\n    def run(self):\n        {body}"
    return [finding.message for finding in reaching_inside(code(pool=POOL, user=user), Wiring([graph], {}))]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("self.pool._free", "reads self.pool._free, which is private to Pool."),
        ("self.pool._free.pop()", "reads self.pool._free, which is private to Pool."),
        ("self.pool._free = []", "reads self.pool._free, which is private to Pool."),
        ("self.pool._free[0].x", "reads self.pool._free, which is private to Pool."),
        ("self.pool.__dict__", "reads self.pool.__dict__, which is private to Pool."),
        ("getattr(self.pool, '_free')", "reads self.pool._free, which is private to Pool."),
        ("setattr(self.pool, '_free', 1)", "reads self.pool._free, which is private to Pool."),
        ("pool = self.pool; pool._free", "reads self.pool._free, which is private to Pool."),
        ("return lambda: self.pool._free", "reads self.pool._free, which is private to Pool."),
        ("Pool._shared", "reads Pool._shared, which is private to Pool."),
        ("other.Pool._shared", "reads other.Pool._shared, which is private to Pool."),
        ("self.take.__self__.limit", "reads self.take.__self__, past the cell 'take' of Pool."),
        ("self.limit._value", "reads self.limit._value, past the cell 'limit' of Pool."),
        ("self.pools._free", "reads self.pools._free, past the interface 'pools' of Pool."),
        ("self.pools.take.__self__", "reads self.pools.take.__self__, past the interface 'pools' of Pool."),
        ("self.pool.disk.read()", "takes Disk out of Pool, by self.pool.disk."),
    ],
)
def test_a_way_past_the_cells_is_found(body: str, message: str) -> None:
    assert found(body) == [f"User.run {message}"]


@pytest.mark.parametrize(
    "body",
    [
        "self.take()",
        "self.limit + 1",
        "self.pools.take()",
        "self.pool.take()",  # it holds it
        "self.pool.__class__",
        "self._own.x",
        "self.unknown._x",
        "Pool.limit",
        "pool = self.pool; pool = object(); pool._free",
    ],
)
def test_what_a_component_may_do_is_not_found(body: str) -> None:
    assert found(body) == []


@pytest.mark.parametrize(
    "attributes",
    [
        "pool: 'Pool'",
        "pool: Pool | None",
        "def __init__(self, pool: Pool):\n        self.pool = pool",
        "def __init__(self, pool):\n        self.pool: Pool = pool",
        "def __init__(self):\n        self.pool = Pool(None)",
    ],
)
def test_what_an_attribute_refers_to_is_told_by_the_source(attributes: str) -> None:
    assert found("self.pool._free", attributes=attributes) == [
        "User.run reads self.pool._free, which is private to Pool."
    ]


def test_what_an_attribute_refers_to_is_told_by_ids() -> None:
    graph = GRAPH.renamed({"Pool": "User.pool"})

    assert found("self.pool._free", attributes="x = 1", graph=graph) == [
        "User.run reads self.pool._free, which is private to Pool."
    ]


def test_a_parameter_that_is_a_component_is_followed() -> None:
    user = "from pool import Pool\nclass User:\n    def run(self, pool: Pool):\n        return pool._free"

    (finding,) = reaching_inside(code(pool=POOL, user=user), Wiring([GRAPH], {}))

    assert (finding.file, finding.line) == ("user.py", 4)
    assert finding.subjects == ("user.py::User.run", "User", "User -> Pool")


def test_a_part_that_is_handed_over_is_in_order() -> None:
    graph = Graph(GRAPH.components, (*GRAPH.bindings, Binding("Disk", "read", "User")), GRAPH.containment)

    assert found("self.pool.disk.flush()", graph=graph) == []
    assert found("self.pool.disk._file", graph=graph) == [
        "User.run reads self.pool.disk._file, which is private to Disk."
    ]


def test_a_component_may_look_into_others_of_its_own_class() -> None:
    text = "class User:\n    peer: 'User'\n    def run(self): return self.peer._x"
    graph = Graph((Component("User", "User", "user"),))

    assert list(reaching_inside(code(user=text), Wiring([graph], {}))) == []


def test_a_base_is_read_for_the_components_that_derive_from_it() -> None:
    base = "from pool import Pool\nclass Base:\n    pool: Pool\n    def run(self): return self.pool._x"
    text = f"{base}\nclass User(Base): ..."
    kin = {ClassName("user", "User"): [ClassName("user", "Base")]}

    (finding,) = reaching_inside(code(pool=POOL, user=text), Wiring([GRAPH], kin))

    assert finding.subjects == ("user.py::Base.run", "User", "User -> Pool")


def test_classes_that_are_no_components_are_not_read() -> None:
    text = "from pool import Pool\nclass Tool:\n    pool: Pool\n    def run(self): return self.pool._x"

    assert list(reaching_inside(code(pool=POOL, user=text), Wiring([GRAPH], {}))) == []


def test_static_and_class_methods_have_no_instance() -> None:
    text = (
        "from pool import Pool\nclass User:\n    pool: Pool\n    @staticmethod\n    def run(self): return self.pool._x"
    )

    assert list(reaching_inside(code(pool=POOL, user=text), Wiring([GRAPH], {}))) == []
