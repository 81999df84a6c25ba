from wiremap.graph import Component, Graph
from wiremap.source.modules import ModuleIndex
from wiremap.use_cases.recipe_names import RecipeNames, names_at_both_ends, with_modules_renamed


def names(
    recipes: list[str], before: list[str], now: list[str], renamed: dict[str, str] | None = None
) -> list[RecipeNames]:
    return names_at_both_ends(recipes, ModuleIndex(before), ModuleIndex(now), renamed or {})


def test_a_recipe_that_is_at_both_ends_keeps_its_name() -> None:
    assert names(["p.m:f"], ["src/p/m.py"], ["src/p/m.py"]) == [RecipeNames("p.m:f", "p.m:f")]


def test_one_that_is_in_no_file_is_installed_and_so_at_both_ends() -> None:
    assert names(["other.m"], [], []) == [RecipeNames("other.m", "other.m")]


def test_one_that_came_or_went_is_at_one_end() -> None:
    assert names(["m", "n"], ["m.py"], ["n.py"]) == [RecipeNames("m", None), RecipeNames(None, "n")]


def test_one_whose_file_was_renamed_is_one() -> None:
    found = names(["p.m:f", "p.n:f"], ["src/p/m.py"], ["src/p/n.py"], {"src/p/n.py": "src/p/m.py"})

    assert found == [RecipeNames("p.m:f", "p.n:f")]


def test_one_whose_package_was_renamed_is_one() -> None:
    found = names(["q.m"], ["src/p/m/__init__.py"], ["src/q/m.py"], {"src/q/m.py": "src/p/m/__init__.py"})

    assert found == [RecipeNames("p.m", "q.m")]


def test_the_modules_of_renamed_files_are_called_as_they_are_now_also_in_local_graphs() -> None:
    moved = Component("A", "A", "p.m", "p/m.py")
    stays = Component("B", "B", "p.o", "p/o.py")
    graph = Graph((moved, stays), nested={"A": Graph((moved,))})

    found = with_modules_renamed(graph, {"src/p/n.py": "src/p/m.py"})

    assert [one.module for one in found.components] == ["p.n", "p.o"]
    assert found.nested["A"].component("A").module == "p.n"


def test_a_file_that_moved_to_another_root_leaves_its_module_as_it_was() -> None:
    graph = Graph((Component("A", "A", "p.m", "p/m.py"),))

    assert with_modules_renamed(graph, {"lib/p/m.py": "src/p/m.py"}) == graph
