import json
from pathlib import Path

import pytest

from tests.wiremap.projects import Project, new_project

FILES = {
    "parts.py": """\
        class Blocks:
            def __init__(self): self.size = 3
            def allocate(self): return self.size
            def release(self): pass

        class Scheduler:
            def step(self): return self.allocate()

        class Log:
            lines = 0
        """,
    "recipes.py": """\
        from wiremap import RegistryOrchestrator, recipe
        from parts import Blocks, Log, Scheduler

        @recipe
        def wire():
            orch = RegistryOrchestrator()
            scheduler, blocks = orch.add(Scheduler()), orch.add(Blocks())
            orch.register(blocks, "allocate", scheduler)
            orch.register(blocks, "release", scheduler)
            orch.register(Log(), "lines", scheduler)
            orch.finalize()
            return scheduler
        """,
    "test_parts.py": """\
        from recipes import wire

        def test_step(): assert wire().step() == 3
        def test_nothing(): pass
        """,
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = new_project(tmp_path_factory.mktemp("project"), FILES)
    made.record()
    return made


def test_components_and_cells_that_ran_are_a_tree(project: Project) -> None:
    finished = project.wiremap("path", "test_parts.py::test_step")

    first, *lines = finished.stdout.splitlines()
    assert first.startswith("test_parts.py::test_step passed in ")
    assert lines == [
        "It built 3 components; code ran of 2.",
        "",
        "Blocks",
        "├─ cell allocate → Scheduler",
        "└─ parts.py: Blocks.__init__",
        "",
        "Scheduler",
        "└─ parts.py: Scheduler.step",
        "",
        "built, and none of its code ran",
        "└─ Log",
        "",
        "in no component",
        "├─ recipes.py: wire",
        "└─ test_parts.py: test_step",
    ]
    assert finished.stderr == "note: how often, how long and in which order is not recorded\n"


def test_a_test_without_a_graph_says_so(project: Project) -> None:
    assert "It built no graph.\n" in project.wiremap("path", "test_parts.py::test_nothing").stdout


def test_json_holds_the_same(project: Project) -> None:
    document = json.loads(project.wiremap("path", "test_parts.py::test_step", "--json").stdout)

    assert document["schema"] == "wiremap.path/1"
    (path,) = document["tests"]
    assert path["executed"][0] == {
        "components": ["Blocks"],
        "cells": [{"cell": "allocate", "consumers": ["Scheduler"], "unit": "parts.py::Blocks.allocate"}],
        "units": ["parts.py::Blocks.__init__"],
    }
    assert path["untouched"] == ["Log"]
    assert path["units"] == ["recipes.py::wire", "test_parts.py::test_step"]


def test_a_picture_holds_the_components_that_ran(project: Project) -> None:
    text = project.wiremap("path", "test_parts.py::test_step", "--format", "mermaid").stdout

    assert "flowchart" in text
    assert "allocate" in text
    assert "Log" not in text


def test_a_file_stands_for_its_tests(project: Project) -> None:
    document = json.loads(project.wiremap("path", "test_parts.py", "--json").stdout)

    assert [one["test"] for one in document["tests"]] == ["test_parts.py::test_nothing", "test_parts.py::test_step"]


def test_lines_fit_the_screen(tmp_path: Path) -> None:
    wide = {"test_w.py": "".join(f"def a_helper_with_a_long_name_{n}(): pass\n" for n in range(9))}
    wide["test_w.py"] += "def test_it():\n" + "".join(f"    a_helper_with_a_long_name_{n}()\n" for n in range(9))
    made = new_project(tmp_path, wide)
    made.record()

    lines = made.wiremap("path", "test_w.py::test_it").stdout.splitlines()

    assert max(map(len, lines)) <= 80
    assert sum("a_helper_with_a_long_name_" in line for line in lines) > 1


def test_an_unknown_test_is_told_with_its_neighbours(project: Project) -> None:
    finished = project.wiremap("path", "test_parts.py::test_stop")

    assert finished.exit_code == 2
    assert "Did you mean 'test_parts.py::test_step' or" in finished.stderr


def test_without_records_it_is_told_how_to_record(tmp_path: Path) -> None:
    finished = new_project(tmp_path, FILES).wiremap("path", "test_parts.py")

    assert finished.exit_code == 2
    assert "[nothing-recorded]" in finished.stderr
