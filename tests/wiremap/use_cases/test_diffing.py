"""A change in components: real repositories, real recipes, real records."""

import os
import re
from pathlib import Path

import pytest

from tests.wiremap.projects import Project, clean_environment
from tests.wiremap.repositories import commit, git, new_repository
from wiremap.errors import RevisionRangeError, SettingsError, UnknownRevisionError
from wiremap.selection.diff_report import ComponentChange, DiffReport
from wiremap.use_cases.diffing import diff

PARTS = """\
    class Blocks:
        limit = 3

        def __init__(self):
            self.size = 8

        def allocate(self, count):
            return self.size - count

    class Scheduler:
        def step(self):
            return self.allocate(1)
    """
WIRING = """\
    from wiremap import RegistryOrchestrator, recipe
    from shop.parts import Blocks, Scheduler

    @recipe
    def build():
        orch = RegistryOrchestrator()
        scheduler = orch.add(Scheduler())
        orch.register(Blocks(), "allocate", scheduler)
        orch.finalize()
        return scheduler
    """
FILES = {
    ".gitignore": ".wiremap\n__pycache__\n",
    "pyproject.toml": '[tool.wiremap]\nrecipes = ["shop.wiring"]\n',
    "pytest.ini": "[pytest]\npythonpath = src\n",
    "src/shop/__init__.py": "",
    "src/shop/parts.py": PARTS,
    "src/shop/wiring.py": WIRING,
    "tools.py": "def helper(): return 1\n",
    "data.txt": "1",
    "test_shop.py": """\
        from pathlib import Path
        from shop.wiring import build
        from tools import helper

        def test_step(): assert build().step() == 7
        def test_helper(): assert helper()
        def test_data(): assert Path("data.txt").read_text()
        """,
}
SRC = "src/shop/parts.py"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A repository with one commit, in which the current folder is."""
    made = new_repository(tmp_path / "project", FILES)
    monkeypatch.chdir(made.root)
    kept = clean_environment()
    for name in os.environ.keys() - kept.keys():
        monkeypatch.delenv(name)
    for name, value in kept.items():
        monkeypatch.setenv(name, value)
    return made


def edit(project: Project, path: str, old: str, new: str) -> None:
    text = (project.root / path).read_text()
    assert old in text
    (project.root / path).write_text(text.replace(old, new))


def by_id(report: DiffReport) -> dict[str, ComponentChange]:
    return {one.component: one for one in report.components}


def details(report: DiffReport) -> list[tuple[str, str, str]]:
    return [(change.unit or change.file, change.kind, change.detail) for change in report.changes]


def running(report: DiffReport) -> dict[str, str]:
    return {one.test.partition("::")[2]: one.why for one in report.tests.run}


# Kinds.


@pytest.mark.usefixtures("project")
def test_where_nothing_differs_nothing_is_compiled_and_no_test_runs() -> None:
    report = diff()

    assert (report.kind, report.changes, report.wirings, report.tests.run) == ("none", (), (), ())


def test_a_body_is_local_and_the_wiring_as_it_was(project: Project) -> None:
    edit(project, SRC, "self.size - count", "self.size - count - 0")

    report = diff()

    assert (report.kind, report.topology) == ("local", "unchanged")
    assert by_id(report)["Blocks"].consumers == ("Scheduler",)
    (change,) = report.changes
    place = report.places[change.unit]
    assert (place.component, place.cell, place.consumers) == ("Blocks", "allocate", ("Scheduler",))


def test_the_signature_of_a_cell_is_interface(project: Project) -> None:
    edit(project, SRC, "(self, count)", "(self, count, more=0)")

    assert by_id(diff())["Blocks"].kind == "interface"


def test_another_binding_is_topology_at_both_ends_though_no_class_changed(project: Project) -> None:
    edit(
        project,
        "src/shop/wiring.py",
        "    orch.finalize()",
        '    orch.register(Blocks(), "size", scheduler)\n    orch.finalize()',
    )

    report = diff()

    found = {id_: (one.kind, one.wiring) for id_, one in by_id(report).items()}
    line = "+ [size] Blocks#2 -> Scheduler (state)"
    assert (report.kind, report.topology) == ("topology", "changed")
    assert found["Scheduler"] == ("topology", (line,))
    assert found["Blocks#2"] == ("topology", ("+ Blocks#2 (Blocks)", line))


def test_another_parameter_is_topology(project: Project) -> None:
    edit(project, SRC, "self.size = 8", "self.size = 16")

    assert by_id(diff())["Blocks"].wiring == ("~ Blocks.size: 8 -> 16",)


def test_data_environment_and_layout_have_kinds_of_their_own(project: Project) -> None:
    project.write({"data.txt": "2", "requirements-dev.txt": "", "tools.py": "def helper():\n    return 1\n"})

    assert details(diff()) == [
        ("data.txt", "data", "content changed"),
        ("requirements-dev.txt", "environment", "added"),
        ("tools.py", "cosmetic", "comments, layout or type checking only"),
    ]


def test_what_belongs_to_no_component_is_told_apart(project: Project) -> None:
    edit(project, "tools.py", "return 1", "return 12")

    report = diff()

    assert (report.components, [change.unit for change in report.elsewhere]) == ((), ["tools.py::helper"])


# Which states.


def test_the_working_tree_the_index_and_commits_are_told_apart(project: Project) -> None:
    edit(project, "tools.py", "return 1", "return 12")
    commit(project.root)
    project.write({"data.txt": "2"})
    git(project.root, "add", "-A")
    project.write({"new ü.py": "X = 1\n"})

    assert [one[0] for one in details(diff())] == ["data.txt", "new ü.py"]
    assert [one[0] for one in details(diff(staged=True))] == ["data.txt"]
    assert [one[0] for one in details(diff("HEAD~1", "HEAD"))] == ["tools.py::helper"]
    assert [one[0] for one in details(diff("HEAD~1..HEAD"))] == ["tools.py::helper"]
    assert [one[0] for one in details(diff("HEAD~1.."))] == ["tools.py::helper"]
    assert [one[0] for one in details(diff("HEAD~1", staged=True))] == ["data.txt", "tools.py::helper"]


def test_three_dots_leave_out_what_the_base_did_since(project: Project) -> None:
    git(project.root, "checkout", "-q", "-b", "side")
    edit(project, "tools.py", "return 1", "return 12")
    commit(project.root)
    git(project.root, "checkout", "-q", "main")
    project.write({"data.txt": "2"})
    commit(project.root)

    assert [one[0] for one in details(diff("main...side"))] == ["tools.py::helper"]
    assert [one[0] for one in details(diff("main..side"))] == ["data.txt", "tools.py::helper"]


def test_a_merge_is_what_it_brings_to_its_first_parent(project: Project) -> None:
    git(project.root, "checkout", "-q", "-b", "side")
    edit(project, SRC, "self.size = 8", "self.size = 16")
    commit(project.root)
    git(project.root, "checkout", "-q", "main")
    project.write({"data.txt": "2"})
    commit(project.root)
    git(project.root, "merge", "-q", "--no-edit", "side")

    report = diff("HEAD^1", "HEAD")

    assert details(report) == [(f"{SRC}::Blocks.__init__", "local", "function body changed")]
    assert by_id(report)["Blocks"].wiring == ("~ Blocks.size: 8 -> 16",)
    assert [one[0] for one in details(diff("HEAD^2", "HEAD"))] == ["data.txt"]


def test_files_in_conflict_are_unknown(project: Project) -> None:
    for branch, value in (("side", "2"), ("main", "3")):
        git(project.root, *(["checkout", "-q", "-b", "side"] if branch == "side" else ["checkout", "-q", "main"]))
        edit(project, SRC, "self.size = 8", f"self.size = {value}")
        commit(project.root)
    git(project.root, "config", "merge.ours.driver", "true")
    with pytest.raises(Exception, match="returned non-zero"):
        git(project.root, "merge", "-q", "side")

    report = diff(staged=True)

    assert (SRC, "unknown", "merge conflicts") in details(report)
    assert report.topology == "unknown"


@pytest.mark.usefixtures("project")
def test_a_folder_below_the_repository_has_settings_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = {f"part/{path}": text for path, text in FILES.items()}
    other = new_repository(tmp_path / "other", {**below, "beside.py": "X = 1\n"})
    monkeypatch.chdir(other.root / "part")
    edit(other, f"part/{SRC}", "self.size = 8", "self.size = 16")
    other.write({"beside.py": "X = 22\n"})

    report = diff()

    assert by_id(report)["Blocks"].wiring == ("~ Blocks.size: 8 -> 16",)
    assert {change.file for change in report.changes} == {"beside.py", f"part/{SRC}"}


def test_a_linked_working_tree_is_told_as_such(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(project.root, "worktree", "add", "-q", str(tmp_path / "linked"))
    monkeypatch.chdir(tmp_path / "linked")
    (tmp_path / "linked" / "data.txt").write_text("22")

    assert details(diff()) == [("data.txt", "data", "content changed")]


def test_a_shallow_clone_that_lacks_the_base_says_how_to_get_it(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(project.root, "more")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{project.root}", "shallow")
    monkeypatch.chdir(tmp_path / "shallow")

    with pytest.raises(UnknownRevisionError, match="git fetch --deepen"):
        diff("HEAD~1")


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(("base", "head", "staged"), [("A..B", "C", False), ("A..B", None, True), ("A", "B", True)])
def test_ends_that_do_not_go_together_are_refused(base: str, head: str | None, staged: bool) -> None:  # noqa: FBT001
    with pytest.raises(RevisionRangeError):
        diff(base, head, staged=staged)


# Bases and heads that resist.


def test_the_base_is_what_was_compiled_whatever_is_installed(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The working tree is importable as an editable install makes it: by a path, and by a finder of its own."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        f"""\
import sys
from importlib.util import spec_from_file_location
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "shop":
            folder = {str(project.root / "src" / "shop")!r}
            return spec_from_file_location(name, folder + "/__init__.py", submodule_search_locations=[folder])
sys.meta_path.insert(0, Finder)
sys.path.append({str(project.root / "src")!r})
"""
    )
    monkeypatch.setenv("PYTHONPATH", f"{site}{os.pathsep}{project.root / 'src'}")
    edit(project, SRC, "self.size = 8", "self.size = 16")

    report = diff()

    assert by_id(report)["Blocks"].wiring == ("~ Blocks.size: 8 -> 16",)


def test_a_module_that_only_the_working_tree_has_is_no_part_of_the_base(project: Project) -> None:
    wiring = "try:\n    import shop.extra as extra\nexcept ImportError:\n    extra = None\n" + (
        project.root / "src/shop/wiring.py"
    ).read_text().replace("scheduler = ", "size = 1 if extra else 2\n    scheduler = ").replace(
        "Blocks()", "Blocks(size)"
    )
    project.write({"src/shop/wiring.py": wiring})
    edit(project, SRC, "__init__(self):", "__init__(self, size):")
    edit(project, SRC, "self.size = 8", "self.size = size")
    commit(project.root)
    project.write({"src/shop/extra.py": ""})

    assert by_id(diff())["Blocks"].wiring == ("~ Blocks.size: 2 -> 1",)


def test_a_base_that_can_not_be_compiled_is_told_and_all_that_the_recipe_holds_may_differ(project: Project) -> None:
    project.record()
    edit(project, "src/shop/wiring.py", "orch.finalize()", "raise ValueError('no')")
    commit(project.root)
    edit(project, "src/shop/wiring.py", "raise ValueError('no')", "orch.finalize()")

    report = diff()

    (note,) = (note for note in report.notes if "can't be compiled" in note)
    assert "shop.wiring can't be compiled at HEAD" in note
    assert "ValueError: no (at src/shop/wiring.py:9)" in note
    assert {id_: one.kind for id_, one in by_id(report).items()} == {"Blocks": "topology", "Scheduler": "topology"}
    assert report.topology == "unknown"
    assert running(report) == {"test_step": "widened"}
    assert len(report.tests.skip) == 2


def test_a_head_that_can_not_be_compiled_is_told_too(project: Project) -> None:
    edit(project, "src/shop/wiring.py", '"allocate"', '"allocat"')

    report = diff()

    assert any("can't be compiled at the working tree" in note and "[unknown-cell]" in note for note in report.notes)
    assert sorted(by_id(report)) == ["Blocks", "Scheduler"]


def test_a_parameter_that_holds_a_path_into_the_project_is_no_difference(project: Project) -> None:
    edit(project, SRC, "self.size = 8", "self.size = 8\n        self.home = __file__")
    commit(project.root)
    edit(project, SRC, "self.size = 8", "self.size = 16")

    assert by_id(diff())["Blocks"].wiring == ("~ Blocks.size: 8 -> 16",)


def test_no_name_of_a_folder_that_is_another_the_next_time_gets_into_the_answer(project: Project) -> None:
    edit(project, "src/shop/wiring.py", "orch.finalize()", "raise ValueError(__file__)")
    commit(project.root)
    edit(project, "src/shop/wiring.py", "raise ValueError(__file__)", "orch.finalize()")

    first, second = diff().as_document(), diff().as_document()

    assert first == second
    assert not re.search(r"/tmp|" + re.escape(str(project.root)), str(first))  # noqa: S108


def test_a_recipe_that_came_with_the_change_had_no_graph_before(project: Project) -> None:
    project.write({"src/shop/more.py": WIRING})
    edit(project, "pyproject.toml", '["shop.wiring"]', '["shop.wiring", "shop.more"]')

    report = diff()

    (wiring,) = (one for one in report.wirings if one.recipe == "shop.more")
    assert (wiring.fault_before, wiring.before and len(wiring.before.components)) == (None, 0)
    assert report.topology == "changed"


def test_a_recipe_that_is_nowhere_is_told(project: Project) -> None:
    edit(project, "pyproject.toml", "shop.wiring", "shop.other:build")

    report = diff()

    assert any("shop.other:build" in note for note in report.notes)


def test_a_renamed_module_is_a_rename_and_its_wiring_stays(project: Project) -> None:
    (project.root / "src/shop/parts.py").rename(project.root / "src/shop/pieces.py")
    (project.root / "src/shop/wiring.py").rename(project.root / "src/shop/wired.py")
    edit(project, "src/shop/wired.py", "shop.parts", "shop.pieces")
    edit(project, "pyproject.toml", "shop.wiring", "shop.wired")

    report = diff()

    assert (SRC, "topology", "renamed to src/shop/pieces.py") in details(report)
    assert ("src/shop/pieces.py", "topology", f"renamed from {SRC}") in details(report)
    assert [one.recipe for one in report.wirings] == ["shop.wired"]
    assert report.topology == "unchanged"


def test_a_file_that_does_not_parse_makes_all_that_it_defined_unknown(project: Project) -> None:
    project.record()
    edit(project, SRC, "def step(self)", "def step(self")

    report = diff()

    assert report.kind == "unknown"
    assert {id_: one.kind for id_, one in by_id(report).items()} == {"Blocks": "unknown", "Scheduler": "unknown"}
    assert "does not parse" in details(report)[0][2]


def test_settings_that_can_not_be_used_are_refused_now_and_passed_over_in_the_past(project: Project) -> None:
    edit(project, "pyproject.toml", "recipes", "recipies")
    commit(project.root)

    with pytest.raises(SettingsError):
        diff("HEAD~1")
    edit(project, "pyproject.toml", "recipies", "recipes")
    assert diff().topology == "unchanged"


# Without recipes.


def test_without_recipes_the_wiring_is_inferred_and_said_to_be(project: Project) -> None:
    project.write({"pyproject.toml": "", "inferred.py": "class A:\n    def run(self): ...\n"})
    commit(project.root)
    project.write(
        {
            "inferred.py": """\
                class A:
                    def run(self): ...
                class B:
                    def __init__(self): self.a = A()
                    def go(self): self.a.run()
                """
        }
    )

    report = diff()

    assert report.topology == "changed"
    assert "+ [run] A -> B" in by_id(report)["B"].wiring
    assert any("inferred from the source" in note for note in report.notes)


def test_where_no_wiring_can_be_inferred_either_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = new_repository(tmp_path / "plain", {"tools.py": "def helper(): return 1\n"})
    monkeypatch.chdir(made.root)
    edit(made, "tools.py", "return 1", "return 12")

    report = diff()

    assert report.topology == "not compiled"
    assert any("tells of no wiring" in note for note in report.notes)


def test_declared_components_are_told_without_any_graph(project: Project) -> None:
    project.write({"pyproject.toml": '[tool.wiremap.components]\nTools = "tools*"\n'})
    commit(project.root)
    edit(project, "tools.py", "return 1", "return 12")

    assert {id_: one.kind for id_, one in by_id(diff()).items()} == {"Tools": "local"}


# Tests to run.


def test_the_tests_are_those_of_affected_and_of_each_component_those_that_execute_it(project: Project) -> None:
    project.record()
    edit(project, SRC, "self.size - count", "self.size - count - 0")

    report = diff()

    assert running(report) == {"test_step": "reached"}
    assert report.tests.found_by == "verdicts"
    assert by_id(report)["Blocks"].tests == ("test_shop.py::test_step",)
    assert len(report.tests.skip) == 2


def test_a_test_that_runs_for_another_reason_is_told_apart(project: Project) -> None:
    project.record()
    edit(project, "tools.py", "return 1", "return 12")
    commit(project.root)
    edit(project, SRC, "self.size - count", "self.size - count - 0")
    project.write({"test_new.py": "def test_new(): pass\n"})

    assert running(diff()) == {"test_step": "reached", "test_helper": "other", "test_new": "unknown"}


def test_data_that_a_test_read_reaches_it(project: Project) -> None:
    project.record()
    project.write({"data.txt": "22"})

    assert running(diff()) == {"test_data": "reached"}


def test_tests_of_other_ends_are_told_by_recorded_paths(project: Project) -> None:
    project.record()
    edit(project, "tools.py", "return 1", "return 12")
    commit(project.root)
    edit(project, SRC, "self.size - count", "self.size - count - 0")
    commit(project.root)
    edit(project, SRC, "limit = 3", "limit = 34")

    first = diff("HEAD~2", "HEAD~1")

    assert (first.tests.found_by, running(first)) == ("recorded paths", {"test_helper": "reached"})
    assert running(diff("HEAD~2", "HEAD")) == {"test_helper": "reached", "test_step": "reached"}


def test_between_commits_a_name_that_a_test_does_not_read_does_not_reach_it(project: Project) -> None:
    project.record()
    edit(project, "tools.py", "def helper", "LIMIT = 1\ndef helper")
    commit(project.root)

    assert running(diff("HEAD~1", "HEAD")) == {}


def test_of_a_test_that_was_recorded_at_another_state_it_is_not_known_what_reaches_it(project: Project) -> None:
    edit(project, "tools.py", "return 1", "return 12")
    project.record()
    edit(project, "tools.py", "return 12", "return 1")
    edit(project, SRC, "self.size - count", "self.size - count - 0")
    commit(project.root)

    assert running(diff("HEAD~1", "HEAD")) == {"test_step": "reached", "test_helper": "unknown"}


def test_test_files_that_came_with_the_change_are_told_where_nothing_is_collected(project: Project) -> None:
    project.record()
    project.write({"test_new.py": "def test_new(): pass\n"})
    commit(project.root)

    assert any("test_new.py" in note for note in diff("HEAD~1", "HEAD").notes)


def test_without_records_no_test_is_claimed_to_be_left_alone(project: Project) -> None:
    project.write({"data.txt": "22"})

    report = diff()

    assert (report.tests.found_by, report.tests.skip) == ("nothing", ())
    assert any("nothing was recorded yet" in note for note in report.notes)


def test_nothing_is_left_behind(project: Project) -> None:
    edit(project, SRC, "self.size = 8", "self.size = 16")
    before, status = sorted(project.root.rglob("*")), git(project.root, "status", "--porcelain")
    index = (project.root / ".git" / "index").read_bytes()

    diff("HEAD")

    assert (project.root / ".git" / "index").read_bytes() == index
    assert sorted(project.root.rglob("*")) == before
    assert git(project.root, "status", "--porcelain") == status
