"""Edits of recipes for the benchmark."""

import ast

from bench.topology.edits import local_edits, topology_edits

RECIPE = b"""\
from app.parts import Pool, User
from wiremap import RegistryOrchestrator, recipe

@recipe
def wire(kind="a"):
    orch = RegistryOrchestrator()
    pool = orch.add(Pool(4))
    if kind == "b":
        user = orch.add(User("b"))
    else:
        user = orch.add(User("c"))
    orch.register(pool, "take", user)
    orch.register(pool, "give", user)
    orch.finalize()
    return user
"""
PARTS = b"""\
class Pool:
    def __init__(self, size):
        self.size = size + 1
class User:
    def __init__(self, name="x"):
        self.name = name
"""
FILES = {"app/recipes.py": RECIPE, "app/parts.py": PARTS, "test_app.py": b"from app.recipes import wire"}


def test_all_kinds_are_made_and_each_parses() -> None:
    edits = topology_edits(FILES, 100, seed=0)

    assert {edit.kind for edit in edits} == {
        "component added",
        "component added behind a new condition",
        "recipe added",
        "component or cell removed",
        "cell rewired",
        "class swapped",
        "parameter",
        "order",
        "component renamed",
        "one branch",
        "refactoring",
    }
    assert all(ast.parse(text) for edit in edits for text in edit.files.values())


def test_no_two_edits_are_one_and_each_changes_something() -> None:
    edits = topology_edits(FILES, 100, seed=0)

    texts = [tuple(sorted(edit.files.items())) for edit in edits]
    assert len(set(texts)) == len(texts)
    assert all(
        ast.dump(ast.parse(text)) != ast.dump(ast.parse(FILES[name]))
        for edit in edits
        for name, text in edit.files.items()
    )


def test_one_seed_gives_the_same_edits() -> None:
    assert topology_edits(FILES, 9, seed=1) == topology_edits(FILES, 9, seed=1)


def test_a_renamed_class_is_renamed_in_all_files() -> None:
    renamed = next(edit for edit in topology_edits(FILES, 100, seed=0) if edit.what == "class Pool")

    assert set(renamed.files) == {"app/recipes.py", "app/parts.py"}
    assert b"Pool(" not in renamed.files["app/recipes.py"]


def test_local_edits_leave_recipes_alone() -> None:
    edits = local_edits(FILES, 100, seed=0)

    assert edits
    assert {name for edit in edits for name in edit.files} == {"app/parts.py"}
