"""`@pytest.mark.wiring`: a test runs when what its pattern matches changes, whether it executes any of it or not."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.wiremap.projects import Project, new_project

MARKED = "test_wired.py::test_wired"
PLAIN = "test_wired.py::test_plain"
FILES: Mapping[str, str] = {
    "pyproject.toml": '[tool.wiremap]\nrecipes = ["app.recipe"]\n',
    "app/__init__.py": "",
    "app/pool.py": """\
        class Pool:
            def __init__(self, size):
                self.size = size

            def allocate(self):
                return 1

            def never_called(self):
                return 2
        """,
    "app/rest.py": """\
        class Scheduler:
            pass

        class Other:
            def use(self):
                return 3
        """,
    "app/recipe.py": """\
        from wiremap import RegistryOrchestrator, recipe
        from app.pool import Pool
        from app.rest import Scheduler, Other

        @recipe
        def build():
            orch = RegistryOrchestrator()
            pool, scheduler = orch.add(Pool(size=4)), orch.add(Scheduler())
            orch.register(pool, "allocate", scheduler)
            other = orch.add(Other())
            return orch.finalize()
        """,
    "test_wired.py": """\
        import pytest

        @pytest.mark.wiring("Pool -[allocate]-> Scheduler")
        def test_wired():
            pass

        def test_plain():
            pass
        """,
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = new_project(tmp_path_factory.mktemp("recorded"), FILES)
    made.record()
    return made


@pytest.fixture
def project(recorded: Project, tmp_path: Path) -> Project:
    return Project(Path(shutil.copytree(recorded.root, tmp_path, dirs_exist_ok=True)))


def edited(project: Project, path: str, before: str, after: str) -> None:
    file = project.root / path
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after))


def test_nothing_runs_while_nothing_changed(project: Project) -> None:
    assert project.affected().run == set()


@pytest.mark.parametrize(
    ("path", "before", "after", "reason"),
    [
        ("app/recipe.py", "size=4", "size=40", "of which a match changed"),
        ("app/recipe.py", '"allocate"', '"never_called"', "of which a match changed"),
        ("app/recipe.py", "other = orch.add(Other())", 'orch.register(pool, "size", orch.add(Other()))', "a match"),
        ("app/pool.py", "return 2", "return 20", "wiring with app/pool.py::Pool, which changed"),
        ("app/pool.py", "class Pool:", "class Pool:\n    limit = 7", "wiring with app/pool.py::Pool, which changed"),
    ],
)
def test_a_change_of_a_match_or_of_the_code_of_its_components_runs_the_test(
    project: Project, path: str, before: str, after: str, reason: str
) -> None:
    edited(project, path, before, after)

    answer = project.affected()

    assert answer.run == {MARKED}
    assert reason in answer.details(MARKED)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("app/rest.py", "return 3", "return 30"),
        ("app/recipe.py", "other = orch.add(Other())", "one, two = orch.add(Other()), orch.add(Other())"),
        ("app/pool.py", "class Pool:", "# moved\n\nclass Pool:"),
    ],
)
def test_what_changes_elsewhere_in_the_wiring_runs_nothing(
    project: Project, path: str, before: str, after: str
) -> None:
    edited(project, path, before, after)

    assert project.affected().run == set()


def test_after_it_ran_on_a_change_either_state_is_known(project: Project) -> None:
    edited(project, "app/recipe.py", "size=4", "size=40")
    finished = project.run_pytest()
    assert "1 passed, 1 deselected" in finished.stdout, finished.text

    assert project.affected().run == set()
    edited(project, "app/recipe.py", "size=40", "size=4")
    assert project.affected().run == set()


def test_a_topology_change_is_told_as_one(project: Project) -> None:
    edited(project, "app/recipe.py", "size=4", "size=40")

    changes = project.affected().document["changes"]

    assert ("wiring", "topology") in {(change["file"], change["kind"]) for change in changes}


def test_a_recipe_that_can_not_be_compiled_runs_the_test_and_says_why(project: Project) -> None:
    edited(project, "app/recipe.py", "orch.finalize()", "orch.finalise()")

    answer = project.affected()

    assert (answer.run, answer.rules(MARKED)) == ({MARKED}, {"unseen"})
    assert "app.recipe can't be compiled" in answer.details(MARKED)
    assert "finalise" in answer.details(MARKED)

    project.record()
    assert project.affected().run == {MARKED}, "nobody knows what it matched then"


def test_without_recipes_the_test_always_runs_and_says_what_to_name(tmp_path: Path) -> None:
    project = new_project(tmp_path, {**FILES, "pyproject.toml": ""})
    project.record()

    answer = project.affected()

    assert answer.run == {MARKED}
    assert "[tool.wiremap] names no recipes" in answer.details(MARKED)


def test_a_pattern_that_matches_nothing_is_told(project: Project) -> None:
    edited(project, "test_wired.py", "Pool -[allocate]->", "Pol -[allocate]->")

    finished = project.run_pytest()

    assert "'Pol -[allocate]-> Scheduler' that tests declare matches nothing" in finished.stdout


@pytest.mark.parametrize(
    ("mark", "fault"),
    [
        ('wiring("Pool -[allocate> Scheduler")', "line 1, column 6"),
        ('wiring("")', "line 1, column 1: a component is expected here"),
        ("wiring(3)", "takes patterns as texts, not 3"),
        ("wiring", "takes patterns, as in"),
        ('wiring(pattern="Pool")', "takes patterns, as in"),
    ],
)
def test_a_bad_pattern_is_an_error_at_collection_that_names_test_and_place(
    project: Project, mark: str, fault: str
) -> None:
    edited(project, "test_wired.py", 'wiring("Pool -[allocate]-> Scheduler")', mark)

    finished = project.run_pytest()
    answer = project.affected()

    assert finished.exit_code == 2, "interrupted by an error at collection"
    assert MARKED in finished.stdout
    assert fault in finished.stdout
    assert answer.rules("test_wired.py") == {"error"}
    assert fault in answer.details("test_wired.py")


def test_parameters_classes_and_modules_may_be_marked(tmp_path: Path) -> None:
    tests = """\
        import pytest

        pytestmark = pytest.mark.wiring("Scheduler")

        @pytest.mark.parametrize("one", [1, pytest.param(2, marks=pytest.mark.wiring("Other"))])
        def test_a(one):
            pass

        @pytest.mark.wiring("Pool", "Other")
        class TestB:
            def test_b(self):
                pass
        """
    project = new_project(tmp_path, {**FILES, "test_wired.py": tests})
    project.record()
    edited(project, "app/rest.py", "return 3", "return 30")

    assert project.affected().run == {"test_wired.py::test_a[2]", "test_wired.py::TestB::test_b"}


def test_workers_of_xdist_come_to_the_same(project: Project) -> None:
    project.plugins = ["xdist.plugin"]
    project.record("-n", "2")
    edited(project, "app/recipe.py", "size=4", "size=40")

    finished = project.run_pytest("-n", "2")

    assert "1 passed" in finished.stdout, finished.text


def test_records_that_travel_know_the_wiring(project: Project, tmp_path: Path) -> None:
    exported = tmp_path / "exported.map"
    assert project.wiremap("map", "export", str(exported)).exit_code == 0
    project.write({".wiremap": None})
    assert project.wiremap("map", "merge", str(exported)).exit_code == 0

    assert project.affected().run == set()
    edited(project, "app/recipe.py", "size=4", "size=40")
    assert project.affected().run == {MARKED}


def test_the_marker_is_known_also_where_wiremap_is_idle_and_imports_nothing(project: Project) -> None:
    check = (
        "import sys, pytest\n"
        "code = pytest.main(['--strict-markers', '-W', 'error', '-q', '-p', 'no:cacheprovider'])\n"
        "heavy = [name for name in sys.modules if name.startswith('wiremap.') and name != 'wiremap.pytest_plugin']\n"
        "print(int(code), heavy)\n"
    )

    finished = project.run_python("-c", check)

    assert finished.stdout.splitlines()[-1] == "0 []", finished.text
    assert "wiring(*patterns)" in project.run_pytest("--markers", mode="").stdout
