"""Which module, and so which class, a name means."""

import ast

import pytest

from tests.wiremap.inference.code_bases import cells, graph_of
from wiremap.inference.definitions import Module
from wiremap.inference.modules import Modules

POOL = """
class Pool:
    def take(self): ...
"""


def app(imports: str, cls: str = "Pool") -> str:
    return f"""{imports}
class App:
    def __init__(self):
        self.pool = {cls}()
    def run(self):
        self.pool.take()
"""


IMPORTS = [
    ("from lib.pool import Pool", "Pool"),
    ("from lib.pool import Pool as P", "P"),
    ("import lib.pool", "lib.pool.Pool"),
    ("import lib.pool as pools", "pools.Pool"),
    ("from lib import pool", "pool.Pool"),
    ("from .pool import Pool", "Pool"),
    ("from . import pool", "pool.Pool"),
    ("from ..lib.pool import Pool", "Pool"),
    ("from .pool import *", "Pool"),
    ("from lib import Pool", "Pool"),
    ("from lib import Again", "Again"),
    ("import lib", "lib.Pool"),
    ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from lib.pool import Pool", "Pool"),
    ("try:\n    from lib.pool import Pool\nexcept ImportError:\n    Pool = None", "Pool"),
]


@pytest.mark.parametrize(("imports", "cls"), IMPORTS)
@pytest.mark.parametrize("prefix", ["", "src/", "python/"])
def test_an_import_of_the_code_base_is_resolved(imports: str, cls: str, prefix: str) -> None:
    graph = graph_of(
        {
            f"{prefix}lib/__init__.py": "from .pool import *\nfrom .pool import Pool as Again",
            f"{prefix}lib/pool.py": POOL,
            f"{prefix}lib/app.py": app(imports, cls),
        }
    )

    assert cells(graph) == {"Pool.take() > App"}


def test_a_package_without_init_is_one() -> None:
    graph = graph_of({"lib/deep/pool.py": POOL, "lib/app.py": app("from lib.deep.pool import Pool")})

    assert cells(graph) == {"Pool.take() > App"}
    assert graph.component("Pool").module == "lib.deep.pool"
    assert graph.component("Pool").source_path == "lib/deep/pool.py"


def test_an_import_in_a_function_is_resolved() -> None:
    text = "class App:\n def __init__(self):\n  from pool import Pool\n  self.pool = Pool()\n"
    graph = graph_of({"pool.py": POOL, "app.py": f"{text} def run(self): self.pool.take()"})

    assert cells(graph) == {"Pool.take() > App"}


@pytest.mark.parametrize(
    "imports",
    [
        "from zmq import Pool",
        "import zmq\nPool = zmq.Pool",
        "from lib.absent import Pool",
        "from zmq.lib.pool import Pool",
    ],
)
def test_a_class_from_elsewhere_is_not_the_one_of_the_same_name(imports: str) -> None:
    graph = graph_of({"lib/__init__.py": "", "lib/pool.py": POOL, "lib/app.py": app(imports)})

    assert graph.components == ()


def test_a_module_in_a_package_does_not_answer_to_the_name_of_a_distribution() -> None:
    graph = graph_of({"lib/__init__.py": "", "lib/torch.py": POOL, "lib/app.py": app("from torch import Pool")})

    assert graph.components == ()


def test_a_parameter_or_variable_hides_the_class_of_its_name() -> None:
    graph = graph_of(POOL + app("").replace("__init__(self)", "__init__(self, Pool)"))

    assert graph.components == ()


def test_two_classes_of_one_name_are_told_apart() -> None:
    graph = graph_of(
        {
            "one/__init__.py": "",
            "one/pool.py": POOL,
            "one/app.py": app("from one.pool import Pool"),
            "two/__init__.py": "",
            "two/pool.py": POOL,
            "two/app.py": app("from two.pool import Pool").replace("take()", "take"),
        }
    )

    assert cells(graph) == {"one.pool.Pool.take() > one.app.App", "two.pool.Pool.take() > two.app.App"}
    assert graph.component("one.pool.Pool").type == "Pool"


def test_each_of_two_roots_finds_its_own_module() -> None:
    graph = graph_of(
        {
            "first/names.py": POOL,
            "first/main.py": app("from names import Pool"),
            "second/names.py": POOL.replace("Pool", "Tank"),
            "second/main.py": app("from names import Tank", "Tank").replace("App", "Other"),
        }
    )

    assert cells(graph) == {"Pool.take() > App", "Tank.take() > Other"}


def test_a_conditional_name_may_mean_either_class() -> None:
    graph = graph_of({"fast.py": POOL, "slow.py": POOL.replace("Pool", "Tank"), "app.py": app(EITHER)})

    assert cells(graph) == {"Pool.take() > App", "Tank.take() > App"}


EITHER = """
try:
    from fast import Pool
except ImportError:
    from slow import Tank as Pool
"""


def test_modules_that_import_one_another_are_resolved() -> None:
    graph = graph_of(
        {
            "engine.py": app("from scheduler import Scheduler", "Scheduler"),
            "scheduler.py": "import engine\nclass Scheduler:\n def take(self, app: engine.App): ...",
        }
    )

    assert cells(graph) == {"Scheduler.take() > App"}


def modules(*paths: str) -> tuple[Modules, dict[str, Module]]:
    found = Modules({f"/p/{path}": ast.parse("import lib.a, lib.b") for path in paths})
    return found, {module.path: module for module in found.all}


def test_of_two_modules_that_are_equally_near_none_is_meant() -> None:
    found, by_path = modules("x/lib/__init__.py", "x/lib/a.py", "y/lib/__init__.py", "y/lib/a.py", "main.py")

    assert found.find("lib.a", by_path["main.py"]) is None


def test_a_relative_import_does_not_leave_its_root() -> None:
    found, by_path = modules("lib/__init__.py", "lib/a.py", "main.py")

    assert found.find_relative(1, "a", by_path["lib/__init__.py"]) is by_path["lib/a.py"]
    assert found.find_relative(4, "a", by_path["lib/a.py"]) is None


def test_a_module_of_the_standard_library_is_found_only_beside_the_importer() -> None:
    found, by_path = modules("x/queue.py", "x/run.py", "main/go.py")

    assert found.find("queue", by_path["run.py"]) is by_path["queue.py"]
    assert found.find("queue", by_path["go.py"]) is None
