import json
from contextlib import closing
from pathlib import Path

import pytest

from tests.wiremap.projects import Project, new_project
from wiremap.store.map import Map

PARTS = """\
    class Blocks:
        def allocate(self): return 1

        def __post_wire__(self):
            raise RuntimeError("a hook ran")

    class Scheduler:
        def __init__(self, size=1): self.size = size

        def step(self): return self.allocate()
    """

RECIPE = """\
    from wiremap import RegistryOrchestrator, compiling, recipe
    from parts import Blocks, Scheduler

    @recipe
    def combine(size=1):
        assert compiling()
        orch = RegistryOrchestrator()
        scheduler = orch.add(Scheduler(size))
        orch.register(Blocks(), "allocate", scheduler)
        orch.finalize()
        return scheduler
    """

TESTS = """\
    import pytest
    from pathlib import Path
    from wiremap import RegistryOrchestrator
    from parts import Blocks, Scheduler
    from recipe import combine

    @pytest.fixture
    def scheduler():
        return combine()

    def test_recipe():
        combine(2)
        Path("worked").touch()

    def test_fixture(scheduler):
        Path("worked").touch()

    def test_by_hand():
        orch = RegistryOrchestrator()
        orch.register(Blocks(), "allocate", Scheduler(3))
        orch.finalize()
        Path("worked").touch()
    """


def project_of(tmp_path: Path, tests: str = TESTS, **files: str) -> Project:
    more = {f"{name}.py": text for name, text in files.items()}
    return new_project(tmp_path, {"parts.py": PARTS, "recipe.py": RECIPE, "test_a.py": tests, **more})


def graphs_of(project: Project, *arguments: str, expected: int = 0) -> dict[str, list[str]]:
    """Return the ids of the components of the graphs, by test."""
    finished = project.wiremap("compile", "--json", *arguments)
    assert finished.exit_code == expected, finished.text
    document = json.loads(finished.stdout)
    ids = {digest: [one["id"] for one in graph["components"]] for digest, graph in document["graphs"].items()}
    return {
        one["test"].removeprefix("test_a.py::"): [name for digest in one["graphs"] for name in ids[digest]]
        for one in document["tests"]
    }


BOTH = ["Blocks", "Scheduler"]


def test_each_test_is_followed_to_its_graph_and_no_further(tmp_path: Path) -> None:
    project = project_of(tmp_path)

    assert graphs_of(project) == {"test_by_hand": BOTH, "test_fixture": BOTH, "test_recipe": BOTH}
    assert not (tmp_path / "worked").exists()


def test_tests_are_listed_by_the_graph_that_they_build(tmp_path: Path) -> None:
    finished = project_of(tmp_path, TESTS.replace("Scheduler(3)", "Scheduler(2)")).wiremap("compile")

    lines = finished.stdout.splitlines()
    assert lines[0] == "3 of 3 tests built 2 graphs, 0 none."
    assert [line[8:] for line in lines if "Blocks" in line] == ["  2 components, 1 binding: Blocks, Scheduler"] * 2
    assert lines[3:5] == ["  test_a.py::test_recipe", "  test_a.py::test_by_hand"]


def test_one_test_is_told_with_its_graph(tmp_path: Path) -> None:
    finished = project_of(tmp_path).wiremap("compile", "test_a.py::test_recipe")

    assert finished.stdout.startswith("Graph: 2 components, 1 binding\n")


def test_a_test_that_refers_to_no_orchestrator_is_not_begun(tmp_path: Path) -> None:
    tests = """\
        import parts
        from pathlib import Path

        def test_plain():
            Path("worked").touch()
            parts.Scheduler().step()
        """
    finished = project_of(tmp_path, tests).wiremap("compile", "--json")

    (told,) = json.loads(finished.stdout)["tests"]
    assert told == {
        "test": "test_a.py::test_plain",
        "graphs": [],
        "refers_to": [
            "parts.py::Blocks.allocate",
            "parts.py::Scheduler.__init__",
            "parts.py::Scheduler.step",
            "test_a.py::test_plain",
        ],
        "error": None,
    }
    assert not (tmp_path / "worked").exists()


def test_local_graphs_stand_in_the_graph_of_their_owner(tmp_path: Path) -> None:
    tests = """\
        from wiremap import RegistryOrchestrator
        from parts import Blocks

        class Runner:
            def __init__(self):
                inside = RegistryOrchestrator()
                inside.register(Blocks(), "allocate", self)
                inside.finalize()

        def test_nested():
            orch = RegistryOrchestrator()
            orch.add(Runner())
            orch.finalize()
        """
    project = project_of(tmp_path, tests)

    assert graphs_of(project) == {"test_nested": ["Runner"]}


@pytest.mark.parametrize(
    "test",
    [
        "import unittest\nclass TestIt(unittest.TestCase):\n    def setUp(self): combine()\n    def test(self): pass",
        "class TestIt:\n    def setup_method(self): combine()\n    def test(self): pass",
        "@pytest.fixture(scope='session', autouse=True)\ndef built():\n    combine()\n\ndef test(): pass",
        "def test():\n    try: combine()\n    except Exception: pass",
        "@pytest.mark.parametrize('size', [1, 2])\ndef test(size): combine(size)",
    ],
    ids=["unittest", "setup method", "session fixture", "swallowed exception", "parameters"],
)
def test_every_kind_of_test_is_followed(tmp_path: Path, test: str) -> None:
    project = project_of(tmp_path, f"import pytest\nfrom recipe import combine\n{test}\n")

    assert set(map(tuple, graphs_of(project).values())) == {tuple(BOTH)}


def test_a_test_that_fails_on_the_way_is_told(tmp_path: Path) -> None:
    project = project_of(tmp_path, "from recipe import combine\ndef test_bad(): combine(size=1, sise=2)\n")

    finished = project.wiremap("compile")

    assert finished.exit_code == 1
    assert "failed on the way\n  test_a.py::test_bad: TypeError: " in finished.stdout
    assert "unexpected keyword argument 'sise'" in finished.stdout


def test_a_file_that_cannot_be_collected_is_told(tmp_path: Path) -> None:
    finished = project_of(tmp_path, "def test_a(: pass\n").wiremap("compile")

    assert finished.exit_code == 1
    assert "failed on the way\n  test_a.py: " in finished.stdout


def test_a_skipped_test_has_no_graph_and_no_fault(tmp_path: Path) -> None:
    tests = "import pytest\nfrom recipe import combine\n@pytest.mark.skip\ndef test_gpu(): combine()\n"

    assert graphs_of(project_of(tmp_path, tests)) == {"test_gpu": []}


def test_graphs_are_kept_for_tests_that_never_ran_until_those_are_gone(tmp_path: Path) -> None:
    project = project_of(tmp_path)
    project.wiremap("compile")
    with closing(Map(tmp_path / ".wiremap")) as store:
        kept = store.graphs.builders("compiled")
    project.write({"test_a.py": "def test_other(): pass\n"})
    project.wiremap("compile")
    with closing(Map(tmp_path / ".wiremap")) as store:
        left = store.graphs.builders("compiled")

    assert list(kept) == ["test_a.py::test_by_hand", "test_a.py::test_fixture", "test_a.py::test_recipe"]
    assert left == {}


def test_a_place_is_known_once_tests_were_compiled(tmp_path: Path) -> None:
    project = project_of(tmp_path)
    project.wiremap("compile")

    assert "  cell       allocate → Scheduler\n" in project.wiremap("where", "parts.py:2").stdout


def test_wrong_usage_is_told_as_pytest_tells_it(tmp_path: Path) -> None:
    finished = project_of(tmp_path).wiremap("compile", "test_b.py")

    assert (finished.exit_code, finished.stdout) == (2, "")
    assert "file or directory not found: test_b.py" in finished.stderr
