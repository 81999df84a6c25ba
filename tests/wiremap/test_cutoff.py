"""Early cutoff: a changed recipe runs no test for which it does what it did, and every other.

The attacks below each try to have a test left out that the change reaches.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from textwrap import dedent

import pytest

from tests.wiremap.projects import Answer, Project, new_project

PARTS = """
    class Dense:
        def __init__(self, size, scale=1): self.size = size * scale
        def forward(self, x): return x * self.size
    class Moe:
        def __init__(self, experts): self.experts = experts
        def forward(self, x): return x + self.experts
    class Runner:
        def __init__(self, kind): self.kind = kind
        def run(self, x): return self.forward(x)
    class Sampler:
        def sample(self): return 1
    """
RECIPES = """
    from wiremap import RegistryOrchestrator, recipe
    from parts import Dense, Moe, Runner, Sampler

    EXPERTS = 4

    @recipe
    def wire(kind):
        '''Wire it all.'''
        orch = RegistryOrchestrator()
        runner = orch.add(Runner(kind))
        if kind == "moe":
            mlp = orch.add(Moe(EXPERTS))
        else:
            mlp = orch.add(Dense(8))
        orch.register(mlp, "forward", runner)
        orch.finalize()
        return runner
    """
TESTS = """
    from recipes import wire
    def test_dense(): assert wire("dense").run(2) > 0
    def test_moe(): assert wire("moe").run(2) > 0
    """
DENSE, MOE = "test_a.py::test_dense", "test_a.py::test_moe"
FILES = {"parts.py": PARTS, "recipes.py": RECIPES, "test_a.py": TESTS}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """One recipe with two branches and a test for each, recorded."""
    made = new_project(tmp_path, FILES)
    made.record()
    return made


def edited(project: Project, *replacements: tuple[str, str], file: str = "recipes.py") -> Answer:
    """Replace texts in a file, each of which is there, and ask for the verdicts."""
    text = (project.root / file).read_text()
    for before, now in replacements:
        assert before in text
        text = text.replace(before, now)
    project.write({file: text})
    return project.affected()


RENAMED = ("runner", "the_runner")
TURNED_AROUND = """\
if not kind == "moe":
        size = 8
        mlp = orch.add(Dense(size))
    else:
        mlp = orch.add(Moe(EXPERTS))"""


# What is cut off.


def test_an_edit_of_a_branch_runs_no_test_that_does_not_take_it(project: Project) -> None:
    answer = edited(project, ("Moe(EXPERTS)", "Moe(EXPERTS + 1)"))

    assert (answer.run, answer.skip) == ({MOE}, {DENSE})
    assert answer.rules(MOE) == {"topology"}
    assert "`mlp = orch.add(Moe(EXPERTS + 1))` stands where `mlp = orch.add(Moe(EXPERTS))` did" in answer.details(MOE)
    assert answer.document["kind"] == "topology"
    assert answer.document["cut_off"] == [{"unit": "recipes.py::wire", "tests": [DENSE]}]


def test_an_edit_of_a_parameter_runs_who_builds_the_component(project: Project) -> None:
    answer = edited(project, ("Dense(8)", "Dense(16)"))

    assert (answer.run, answer.skip) == ({DENSE}, {MOE})


def test_a_refactoring_runs_nothing(project: Project) -> None:
    answer = edited(
        project,
        RENAMED,
        (
            'if kind == "moe":\n        mlp = orch.add(Moe(EXPERTS))\n    else:\n        mlp = orch.add(Dense(8))',
            TURNED_AROUND,
        ),
    )

    assert (answer.run, answer.document["kind"]) == (set(), "local")
    (change,) = answer.document["changes"]
    assert change["detail"] == "function body changed, and wires as before wherever that was recorded"


def test_a_constant_that_only_one_branch_reads_runs_who_takes_it(project: Project) -> None:
    answer = edited(project, ("EXPERTS = 4", "EXPERTS = 16"))

    assert (answer.run, answer.skip) == ({MOE}, {DENSE})


def test_a_component_in_a_branch_that_a_test_does_not_take_does_not_run_it(project: Project) -> None:
    answer = edited(
        project, ("mlp = orch.add(Moe(EXPERTS))", "orch.add(Sampler())\n        mlp = orch.add(Moe(EXPERTS))")
    )

    assert (answer.run, answer.skip) == ({MOE}, {DENSE})


def test_what_ran_since_is_recorded_anew(project: Project) -> None:
    edited(project, ("Moe(EXPERTS)", "Moe(EXPERTS + 1)"))
    project.run_pytest()

    assert edited(project, ("Dense(8)", "Dense(16)")).run == {DENSE}
    assert edited(project, ("Dense(16)", "Dense(8)"), ("Moe(EXPERTS + 1)", "Moe(EXPERTS)")).run == set()


def test_two_workers_record_as_one_process_does(tmp_path: Path) -> None:
    project = new_project(tmp_path, FILES)
    project.plugins = ("xdist.plugin",)
    project.record("-n", "2")

    answer = edited(project, RENAMED, ("Moe(EXPERTS)", "Moe(EXPERTS + 1)"))

    assert (answer.run, answer.skip) == ({MOE}, {DENSE})


def test_a_parameter_of_a_test_decides_which_branch_it_takes(tmp_path: Path) -> None:
    tests = """
        import pytest
        from recipes import wire
        @pytest.mark.parametrize("kind", ["dense", "moe"])
        def test_it(kind): assert wire(kind).run(2) > 0
        """
    project = new_project(tmp_path, FILES | {"test_a.py": tests})
    project.record()

    assert edited(project, ("Moe(EXPERTS)", "Moe(EXPERTS + 1)")).run == {"test_a.py::test_it[moe]"}


def test_explain_names_the_recipe_beside_the_proof(project: Project) -> None:
    edited(project, ("Moe(EXPERTS)", "Moe(EXPERTS + 1)"))

    told = project.wiremap("explain", DENSE).stdout

    assert "1 recipe by its steps" in told
    assert "But for recipes.py::wire, which changed, and does for it what it did." in told


# Attacks: the recipe does more than wire, or wires otherwise.

ATTACKS = {
    "order of registration": ("orch.add(Runner(kind))\n", "orch.add(Runner(kind))\n    orch.add(Sampler())\n"),
    "the result": ("return runner", "return mlp and runner"),
    "the docstring": ("Wire it all.", "Wire all of it."),
    "a default": ("def wire(kind):", "def wire(kind, other=None):"),
    "an annotation": ("def wire(kind):", "def wire(kind: str):"),
    "an environment variable": ("    orch.finalize()", "    import os; os.environ['X'] = '1'\n    orch.finalize()"),
    "a global": ("    orch.finalize()", "    globals()['EXPERTS'] = 5\n    orch.finalize()"),
    "a file": ("    orch.finalize()", "    open('x', 'w').close()\n    orch.finalize()"),
    "a swallowed error": ("    orch.finalize()", "    try: orch.finalize()\n    except ValueError: pass"),
    "another reading": ("return runner", "runner.kind\n    return runner"),
    "it is defined twice": ("    return runner", "    return runner\nif EXPERTS:\n    def wire(kind): ..."),
    "it is a lambda now": ("    return runner", "    return runner\nwire = recipe(lambda kind: Sampler())"),
    "it is decorated": ("@recipe", "@recipe\n@(lambda function: function)"),
    "a test before": ('    if kind == "moe"', '    if kind == "mla":\n        pass\n    elif kind == "moe"'),
}  # fmt: skip


@pytest.mark.parametrize("edit", ATTACKS.values(), ids=ATTACKS.keys())
def test_what_the_recipe_does_for_all_runs_all(project: Project, edit: tuple[str, str]) -> None:
    assert edited(project, edit).run == {DENSE, MOE}


# Attacks: who else may tell the old text from the new.

WATCHERS = {
    "its code": """
        from recipes import wire
        def test_moe(): assert wire("moe") and wire.__code__.co_nlocals
        """,
    "its source": """
        import inspect
        from recipes import wire
        def test_moe(): assert wire("moe") and inspect.getsource(wire)
        """,
    "the code of whatever it is given": """
        from recipes import wire
        def code(function): return function.__code__
        def test_moe(): assert wire("moe") and code(wire)
        """,
    "its text in a traceback": """
        import logging
        from recipes import wire
        def test_moe(caplog): assert wire("moe") and not caplog.text
        """,
    "its frame": """
        import sys, parts
        from recipes import wire
        class Spy(parts.Moe):
            def __init__(self, experts):
                super().__init__(experts)
                self.names = list(sys._getframe(1).f_locals)
        def test_moe(monkeypatch):
            monkeypatch.setattr("recipes.Moe", Spy)
            assert wire("moe")
        """,
}


@pytest.mark.parametrize("test", WATCHERS.values(), ids=WATCHERS.keys())
def test_who_looks_at_the_recipe_itself_runs(tmp_path: Path, test: str) -> None:
    project = new_project(tmp_path, FILES | {"test_b.py": test})
    project.record()

    assert edited(project, RENAMED).run == {"test_b.py::test_moe"}


def test_a_recipe_that_may_look_at_its_variables_by_another_name_is_not_cut_off(tmp_path: Path) -> None:
    recipes = f"from builtins import locals as names\n{dedent(FILES['recipes.py'])}"
    project = new_project(tmp_path, FILES | {"recipes.py": recipes})
    project.record()

    assert edited(project, RENAMED).run == {DENSE, MOE}


SILENT = {
    "a child process": """
        import subprocess, sys
        def test_moe():
            assert subprocess.run([sys.executable, "-c", "import recipes; recipes.wire('moe')"]).returncode == 0
        """,
    "a fork": """
        import os
        from recipes import wire
        def test_moe():
            if not (pid := os.fork()):
                wire("moe")
                os._exit(0)
            assert os.waitpid(pid, 0)[1] == 0
        """,
    "a thread": """
        import threading
        from recipes import wire
        def test_moe():
            thread = threading.Thread(target=wire, args=("moe",))
            thread.start()
            thread.join()
        """,
    "a recipe in a function": """
        from wiremap import RegistryOrchestrator, recipe
        from parts import Runner
        def test_moe():
            @recipe
            def inner(runner):
                orch = RegistryOrchestrator()
                orch.add(runner)
                return orch.finalize()
            assert inner(Runner("moe"))
        """,
}


@pytest.mark.parametrize("kind", ["a child process", "a fork", "a thread"])
def test_what_nobody_follows_step_by_step_runs(tmp_path: Path, kind: str) -> None:
    project = new_project(tmp_path, FILES | {"test_a.py": SILENT[kind]})
    project.record()

    assert edited(project, RENAMED).run == {MOE}


def test_a_recipe_inside_a_test_is_a_part_of_it(tmp_path: Path) -> None:
    project = new_project(tmp_path, FILES | {"test_a.py": SILENT["a recipe in a function"]})
    project.record()

    assert edited(project, RENAMED, file="test_a.py").run == {MOE}


# Attacks: the way that was taken is another's, or more than one.


def test_a_test_that_takes_both_branches_runs_for_either(tmp_path: Path) -> None:
    tests = "from recipes import wire\ndef test_moe(): wire('dense'), wire('moe')\n"
    project = new_project(tmp_path, FILES | {"test_a.py": tests})
    project.record()

    assert edited(project, ("Moe(EXPERTS)", "Moe(5)")).run == {MOE}
    assert edited(project, ("Moe(5)", "Moe(EXPERTS)"), ("Dense(8)", "Dense(9)")).run == {MOE}


def test_whoever_uses_what_a_wider_fixture_wired_runs(tmp_path: Path) -> None:
    tests = """
        import pytest
        from recipes import wire
        @pytest.fixture(scope="session")
        def runner(): return wire("moe")
        def test_moe(runner): assert runner.run(1)
        def test_dense(runner): assert runner.run(2)
        def test_other(): assert wire("dense")
        """
    project = new_project(tmp_path, FILES | {"test_a.py": tests})
    project.record()

    answer = edited(project, ("Moe(EXPERTS)", "Moe(5)"))
    assert (answer.run, answer.skip) == ({MOE, DENSE}, {"test_a.py::test_other"})
    assert edited(project, ("Moe(5)", "Moe(EXPERTS)"), RENAMED).run == set()


def test_whoever_finds_wired_what_another_test_wired_runs(tmp_path: Path) -> None:
    tests = """
        import functools
        from recipes import wire
        @functools.cache
        def runner(): return wire("moe")
        def test_moe(): assert runner().run(1)
        def test_dense(): assert runner().run(2)
        """
    project = new_project(tmp_path, FILES | {"test_a.py": tests})
    project.record()

    assert edited(project, ("Moe(EXPERTS)", "Moe(5)")).run == {MOE, DENSE}


def test_what_is_wired_on_import_counts_for_whoever_imports_it(tmp_path: Path) -> None:
    tests = "from recipes import wire\nRUNNER = wire('moe')\ndef test_moe(): assert RUNNER.run(1)\n"
    project = new_project(tmp_path, FILES | {"test_b.py": tests})
    project.record()

    assert edited(project, ("Moe(EXPERTS)", "Moe(5)")).run == {MOE, "test_b.py::test_moe"}
    assert edited(project, ("Moe(5)", "Moe(EXPERTS)"), ("Dense(8)", "Dense(9)")).run == {DENSE}


def test_patched_wiring_is_followed_as_it_was_patched(tmp_path: Path) -> None:
    tests = """
        from recipes import wire
        class Word(str):
            def __eq__(self, other): return True
            __hash__ = str.__hash__
        def test_moe(): assert wire(Word("dense")).run(2) > 0
        def test_dense(monkeypatch):
            monkeypatch.setattr("recipes.Dense", lambda size: __import__("parts").Moe(size))
            assert wire("dense").run(2) == 10
        """
    project = new_project(tmp_path, FILES | {"test_a.py": tests})
    project.record()

    assert edited(project, ("Moe(EXPERTS)", "Moe(5)")).run == {MOE}
    assert edited(project, ("Moe(5)", "Moe(EXPERTS)"), ("Dense(8)", "Dense(9)")).run == {DENSE}


def test_compile_mode_is_another_way_than_that_of_the_run(tmp_path: Path) -> None:
    recipe = RECIPES.replace('kind == "moe"', "compiling()").replace("recipe\n", "recipe, compiling\n", 1)
    project = new_project(tmp_path, FILES | {"recipes.py": recipe})
    project.record()

    assert edited(project, ("Moe(EXPERTS)", "Moe(5)")).run == set()
    assert edited(project, ("Dense(8)", "Dense(9)")).run == {DENSE, MOE}


# Attacks: something else changed as well.

COMPONENT = {
    "the default of a constructor": ("scale=1", "scale=2"),
    "the body of a constructor": ("self.size = size * scale", "self.size = size"),
}


@pytest.mark.parametrize("edit", COMPONENT.values(), ids=COMPONENT.keys())
def test_a_changed_component_runs_who_executes_it(project: Project, edit: tuple[str, str]) -> None:
    edited(project, edit, file="parts.py")

    answer = edited(project, RENAMED)

    assert (answer.run, answer.skip) == ({DENSE}, {MOE})


def test_a_constructor_that_counts_sees_another_order(tmp_path: Path) -> None:
    parts = PARTS.replace("class Runner", "count = []\n    class Runner").replace(
        "self.kind = kind", "self.kind = kind; count.append(1); self.number = len(count)"
    )
    recipe = RECIPES.replace("orch.add(Runner(kind))", "orch.add(Runner(kind)); other = orch.add(Runner(2))")
    project = new_project(tmp_path, FILES | {"parts.py": parts, "recipes.py": recipe})
    project.record()

    swapped = "other = orch.add(Runner(2)); runner = orch.add(Runner(kind))"
    assert edited(project, ("runner = orch.add(Runner(kind)); other = orch.add(Runner(2))", swapped)).run == {
        DENSE,
        MOE,
    }


def test_a_test_that_failed_is_not_cut_off(tmp_path: Path) -> None:
    project = new_project(tmp_path, FILES | {"test_a.py": TESTS.replace('wire("moe").run(2) > 0', 'not wire("moe")')})
    project.record(expected=1)

    answer = edited(project, RENAMED)

    assert (answer.run, answer.rules(MOE)) == ({MOE}, {"failed"})


def test_a_damaged_map_cuts_nothing_off(project: Project) -> None:
    (file,) = (project.root / ".wiremap").glob("map-*.sqlite")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE fact SET value = '{}' WHERE kind = 'recipe'")

    assert edited(project, RENAMED).run == {DENSE, MOE}
