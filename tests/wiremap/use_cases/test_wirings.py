import os
from collections.abc import Mapping
from pathlib import Path

from wiremap.graph import Component, Graph
from wiremap.use_cases.wirings import Wirings, graphs_of

RECIPE = """\
from wiremap import RegistryOrchestrator, recipe

class Pool:
    def allocate(self): return 1

class Scheduler:
    pass

@recipe
def build():
    orch = RegistryOrchestrator()
    orch.register(orch.add(Pool()), "allocate", orch.add(Scheduler()))
    return orch.finalize()
"""


def compiled(folder: Path, *recipes: str, search_path: list[str] | None = None) -> Mapping[str, Graph] | str:
    return graphs_of(recipes, folder, dict(os.environ), search_path or [])


def test_recipes_are_compiled_where_the_project_lies(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(RECIPE)

    found = compiled(tmp_path, "parts", "parts:build")

    assert not isinstance(found, str)
    assert {name: graph.ids for name, graph in found.items()} == {
        "parts": ("Pool", "Scheduler"),
        "parts:build": ("Pool", "Scheduler"),
    }


def test_modules_are_looked_up_where_pytest_does(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "parts.py").write_text(RECIPE)

    assert not isinstance(compiled(tmp_path, "parts", search_path=[str(tmp_path / "src")]), str)


def test_a_recipe_that_can_not_be_compiled_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(RECIPE.replace("orch = ", "raise ValueError('no\\nway')\n    orch = "))

    found = compiled(tmp_path, "parts")

    assert isinstance(found, str)
    assert found.startswith("parts can't be compiled: ")
    assert "ValueError: no way" in found
    assert "\n" not in found


def test_without_recipes_nothing_is_known(tmp_path: Path) -> None:
    assert compiled(tmp_path) == "[tool.wiremap] names no recipes"


def test_graphs_are_compiled_once_and_only_when_asked_for() -> None:
    calls = []

    def compile_graphs() -> Mapping[str, Graph]:
        calls.append(1)
        return {"a": Graph((Component("Pool", "Pool", "parts", "parts.py"),))}

    wirings = Wirings(compile_graphs)
    assert calls == []

    assert wirings.value("Pool") != wirings.value("Scheduler")
    assert wirings.classes("Pool") == {("parts.py", "Pool")}
    assert wirings.matching_nothing(["Pool", "Poll", "Poll"]) == ["Poll"]
    assert calls == [1]


def test_a_pattern_that_can_not_be_read_equals_nothing() -> None:
    assert Wirings(lambda: {"a": Graph()}).value("-[").startswith("uncompiled: The pattern can't be read")


def test_a_pattern_with_too_many_matches_equals_nothing_and_is_not_said_to_match_nothing() -> None:
    pool = Graph(tuple(Component(f"c{number}", "Pool", "parts", "parts.py") for number in range(20)))
    many = ", ".join(f"n{number}=Pool" for number in range(6))

    wirings = Wirings(lambda: {"a": pool})

    assert wirings.value(many).startswith("uncompiled: Not all matches of the pattern of 6 components are known")
    assert wirings.matching_nothing([many]) == []
    assert wirings.classes(many) == frozenset()
