"""What a test rests on outside of the project, end to end: installed distributions, settings, the machine."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.wiremap.projects import Answer, Project, new_project

THING = {"thing/__init__.py": "def f(): return 1\n"}


class Site:
    """A folder of installed distributions, beside the project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def install(
        self,
        name: str,
        version: str = "1.0",
        files: Mapping[str, str] | None = None,
        requires: str = "",
        more: str = "",
    ) -> None:
        """Install a distribution in place of an earlier version; *more* is its `entry_points.txt`."""
        for old in self.folder.glob(f"{name}-*.dist-info"):
            old.rename(self.folder / f"{name}-{version}.dist-info")
        metadata = self.folder / f"{name}-{version}.dist-info"
        metadata.mkdir(exist_ok=True)
        given = files or {f"{name}.py": "def f(): return 1\n"}
        for path, text in given.items():
            (self.folder / path).parent.mkdir(exist_ok=True)
            (self.folder / path).write_text(text)
        asked = f"Requires-Dist: {requires}\n" if requires else ""
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{asked}\n")
        (metadata / "entry_points.txt").write_text(more)
        (metadata / "RECORD").write_text("".join(f"{path},sha256=x,{len(text)}\n" for path, text in given.items()))


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "site")


def recorded(site: Site, files: Mapping[str, str], *arguments: str, env: Mapping[str, str] | None = None) -> Project:
    project = new_project(site.folder.parent / "project", files)
    project.environment = {"PYTHONPATH": str(site.folder), **(env or {})}
    project.record(*arguments)
    return project


def names(answer: Answer) -> set[str]:
    return {test.rpartition("::")[2] for test in answer.run}


# Distributions.


def test_an_edit_of_source_is_told_of_which_tests_import_an_installed_copy(site: Site) -> None:
    source = {f"src/{path}": text for path, text in THING.items()}
    site.install("thing", files=THING)
    inside = site.folder.parent / "project" / ".venv" / "site"
    inside.parent.mkdir(parents=True)
    site.folder.rename(inside)
    (inside.parent / "pyvenv.cfg").touch()
    test = "import thing\ndef test_f(): thing.f()\n"
    project = recorded(site, {**source, "tests/test_a.py": test}, env={"PYTHONPATH": str(inside)})
    project.write({"src/thing/__init__.py": "def f(): return 22\n"})

    answer = project.affected()

    assert answer.run == set()
    assert answer.document["notes"] == [
        "no test was seen to import src/thing/__init__.py: tests import the installed thing, which is a copy"
    ]


def test_an_upgrade_is_told_no_more_when_all_that_exists_was_recorded_with_it(site: Site) -> None:
    site.install("thing", files=THING)
    test = "import thing, time, pytest\n@pytest.mark.parametrize('now', [time.time_ns()])\ndef test_f(now): thing.f()\n"
    project = recorded(site, {"test_a.py": test, "test_b.py": "import thing\ndef test_other(): pass\n"})
    site.install("thing", "2.0", files=THING)
    before = project.affected()
    project.record()

    after = project.affected()

    assert [change["detail"] for change in before.document["changes"]] == ["thing 1.0 -> 2.0"]
    assert after.document["changes"] == []
    assert after.document["gone"]


def test_a_new_version_runs_who_imports_the_distribution_and_names_both_versions(site: Site) -> None:
    site.install("thing", "1.0")
    project = recorded(
        site,
        {
            "app.py": "import thing\ndef f(): return 1\n",
            "test_a.py": "import app\ndef test_f(): app.f()\n",
            "test_b.py": "def test_g():\n    import thing\ndef test_h(): pass\n",
        },
    )

    site.install("thing", "1.1")
    answer = project.affected()

    assert names(answer) == {"test_f", "test_g"}
    assert answer.details("test_a.py::test_f") == "thing 1.0 -> 1.1"
    assert [change["detail"] for change in answer.document["changes"]] == ["thing 1.0 -> 1.1"]
    assert answer.document["kind"] == "environment"


def test_a_new_version_of_what_a_distribution_asks_for_counts(site: Site) -> None:
    site.install("inner", "1.0")
    site.install("outer", "1.0", requires="inner>=1; python_version > '3'")
    project = recorded(site, {"test_a.py": "import outer\ndef test_f(): pass\n", "test_b.py": "def test_g(): pass\n"})

    site.install("inner", "2.0")
    answer = project.affected()

    assert names(answer) == {"test_f"}
    assert answer.details("test_a.py::test_f") == "inner 1.0 -> 2.0"


FORKED = """
def forked(text):
    pid = os.fork()
    if not pid:
        exec(text)
        os._exit(0)
    os.wait()
"""


@pytest.mark.parametrize(
    "program",
    [
        "import thing",
        "import outer",
        "import importlib; importlib.import_module('thing')",
        "import importlib.metadata; importlib.metadata.version('thing')",
        "import outer; outer.version()",
    ],
)
@pytest.mark.parametrize("start", ["subprocess.run([sys.executable, '-c', {!r}], check=True)", "forked({!r})"])
def test_what_a_child_process_imports_and_looks_up_counts(site: Site, program: str, start: str) -> None:
    looks_up = "\ndef version():\n    import importlib.metadata\n    return importlib.metadata.version('thing')\n"
    site.install("thing", "1.0")
    site.install("outer", files={"outer.py": f"try:\n    import thing\nexcept ImportError: pass\n{looks_up}"})
    test = f"import os, subprocess, sys\n{FORKED}def test_f(): {start.format(program)}\ndef test_g(): pass\n"
    project = recorded(site, {"test_a.py": test})

    site.install("thing", "1.1")

    assert names(project.affected()) == {"test_f"}


@pytest.mark.parametrize("namespace", ["", ", {}", ", {'__name__': 'made_up'}"])
def test_what_code_made_from_a_text_imports_counts(site: Site, namespace: str) -> None:
    site.install("thing", "1.0")
    files = {"test_a.py": f"def test_f(): exec('import thing'{namespace})\ndef test_g(): pass\n"}
    project = recorded(site, files)

    site.install("thing", "1.1")

    assert names(project.affected()) == {"test_f"}


OPTIONAL = "try:\n    import extra\nexcept ImportError:\n    extra = None\n"


def test_what_a_distribution_imports_without_asking_for_it_counts_when_it_is_there_and_when_not(site: Site) -> None:
    site.install("outer", files={"outer.py": OPTIONAL})
    files = {"test_a.py": "import outer\ndef test_f(): pass\n", "test_b.py": "def test_g(): pass\n"}
    project = recorded(site, files)

    site.install("extra", "1.0")
    appeared = project.affected()
    project.record()
    site.install("extra", "1.1")
    changed = project.affected()

    assert names(appeared) == names(changed) == {"test_f"}
    assert changed.details("test_a.py::test_f") == "extra 1.0 -> 1.1"


@pytest.mark.parametrize(
    "text",
    [
        OPTIONAL + "def test_f(): assert extra is None\n",
        "import pytest\ndef test_f(): pytest.importorskip('extra')\n",
        "import importlib.util\ndef test_f(): assert importlib.util.find_spec('extra') is None\n",
    ],
    ids=["try", "importorskip", "find_spec"],
)
def test_a_module_that_was_not_installed_runs_who_looked_for_it_when_it_is(site: Site, text: str) -> None:
    project = recorded(site, {"test_a.py": text, "test_b.py": "def test_g(): pass\n"})

    site.install("called_otherwise", files={"extra/__init__.py": "", "extra/part.py": ""})
    answer = project.affected()

    assert names(answer) == {"test_f"}
    assert "imports extra, which was not there and is now" in answer.details("test_a.py::test_f")


def test_a_distribution_that_is_no_longer_there_runs_who_imported_it(site: Site) -> None:
    site.install("thing")
    project = recorded(site, {"test_a.py": "def test_f():\n    import thing\n", "test_b.py": "def test_g(): pass\n"})

    (site.folder / "thing.py").unlink()
    for file in (site.folder / "thing-1.0.dist-info").iterdir():
        file.unlink()
    (site.folder / "thing-1.0.dist-info").rmdir()

    assert "thing 1.0 -> none" in project.affected().details("test_a.py::test_f")


def test_files_of_a_distribution_that_were_edited_in_place_run_who_imports_it(site: Site) -> None:
    site.install("thing", files={"thing/__init__.py": "", "thing/data.txt": "1"})
    project = recorded(site, {"test_a.py": "import thing\ndef test_f(): pass\n", "test_b.py": "def test_g(): pass\n"})

    (site.folder / "thing/data.txt").write_text("12")
    answer = project.affected()

    assert names(answer) == {"test_f"}
    assert answer.details("test_a.py::test_f") == "files of thing 1.0 changed"


LOOK_UPS = {
    "a version": "import importlib.metadata\ndef test_f(): importlib.metadata.version('thing')\n",
    "all of them": "import importlib.metadata\ndef test_f(): list(importlib.metadata.distributions())\n",
}


@pytest.mark.parametrize("text", LOOK_UPS.values(), ids=LOOK_UPS)
def test_who_asks_for_metadata_rests_on_it(site: Site, text: str) -> None:
    site.install("thing", "1.0")
    project = recorded(site, {"test_a.py": text, "test_b.py": "def test_g(): pass\n"})

    site.install("thing", "1.1")

    assert names(project.affected()) == {"test_f"}


def test_who_reads_entry_points_rests_on_their_set_and_not_on_versions(site: Site) -> None:
    site.install("thing", "1.0", more="[plugins]\na = thing:f\n")
    text = "from importlib.metadata import entry_points\ndef test_f(): entry_points(group='plugins')\n"
    project = recorded(site, {"test_a.py": text, "test_b.py": "def test_g(): pass\n"})

    site.install("thing", "1.1", more="[plugins]\na = thing:f\n")
    same = project.affected()
    site.install("thing", "1.1", more="[plugins]\na = thing:g\n")
    other = project.affected()

    assert names(same) == set()
    assert names(other) == {"test_f"}
    assert other.details("test_a.py::test_f") == "the entry points of installed distributions changed"


def test_a_distribution_that_nobody_imports_runs_nothing(site: Site) -> None:
    project = recorded(site, {"test_a.py": "def test_f(): pass\n"})

    site.install("thing")

    assert project.affected().run == set()


# The machine.


@pytest.mark.parametrize(
    ("before", "after", "detail"),
    [
        ({"TZ": "UTC"}, {"TZ": "Asia/Tokyo"}, "time zone UTC -> Asia/Tokyo"),
        ({"PYTHONHASHSEED": "0"}, {"PYTHONHASHSEED": "1"}, "variable PYTHONHASHSEED changed"),
        ({}, {"OMP_NUM_THREADS": "1"}, "variable OMP_NUM_THREADS changed"),
        ({}, {"PYTHONOPTIMIZE": "1"}, "interpreter option optimize changed"),
        ({}, {"PYTHONWARNINGS": "error"}, "interpreter option -W changed"),
        ({}, {"PYTHONPATH": "lib"}, "module search path none -> lib"),
    ],
)
def test_what_native_code_reads_rules_over_every_test(
    tmp_path: Path, before: Mapping[str, str], after: Mapping[str, str], detail: str
) -> None:
    project = new_project(tmp_path, {"test_a.py": "def test_f(): pass\n"})
    project.record(env=before)

    assert project.affected(env=before).run == set()
    assert detail in project.affected(env=after).details("test_a.py::test_f")


def test_two_names_of_one_time_zone_are_one(tmp_path: Path) -> None:
    project = new_project(tmp_path, {"test_a.py": "def test_f(): pass\n"})
    project.record(env={"TZ": "UTC"})

    assert project.affected(env={"TZ": "Etc/UTC"}).run == set()


def test_who_takes_the_locale_of_the_user_rests_on_its_variables(tmp_path: Path) -> None:
    text = "import locale\ndef test_f(): locale.setlocale(locale.LC_TIME, '')\ndef test_g(): pass\n"
    project = new_project(tmp_path, {"test_a.py": text})
    project.record(env={"LC_TIME": "C"})

    answer = project.affected(env={"LC_TIME": "C.UTF-8"})

    assert names(answer) == {"test_f"}
    assert answer.details("test_a.py::test_f") == "variable LC_TIME changed"


# How pytest was called and configured.


@pytest.mark.parametrize(
    ("option", "body"),
    [
        ("-v", "def test_f(request): request.config.getoption('verbose')"),
        ("-v", "def test_f(pytestconfig): pytestconfig.option.verbose"),
        ("-s", "def test_f():\n    import sys\n    sys.stdout.isatty()"),
    ],
)
def test_an_option_that_shapes_the_report_counts_for_who_reads_it(tmp_path: Path, option: str, body: str) -> None:
    project = new_project(tmp_path, {"test_a.py": f"{body}\ndef test_g(): pass\n"})
    project.record()

    answer = project.affected(option)

    assert names(answer) == {"test_f"}
    assert answer.details("test_a.py::test_f").startswith("pytest option --")


def test_the_reason_names_the_option_and_the_ini_value_that_changed(tmp_path: Path) -> None:
    project = new_project(tmp_path, {"test_a.py": "def test_f(): pass\n"})
    project.record()

    option = project.affected("--strict-markers").details("test_a.py::test_f")
    project.write({"pytest.ini": "[pytest]\npythonpath = .\nxfail_strict = true\n"})
    ini_value = project.affected().details("test_a.py::test_f")

    assert option.replace("_", "-").endswith("strict-markers changed")  # an option that is an ini value since pytest 9
    assert ini_value == "pytest configuration xfail_strict changed"


@pytest.mark.parametrize("ini", ["addopts = -v", "testpaths = .", "python_functions = test_* check_*"])
def test_ini_values_that_choose_tests_or_shape_the_report_run_nothing(tmp_path: Path, ini: str) -> None:
    project = new_project(tmp_path, {"test_a.py": "def test_f(): pass\n"})
    project.record()

    project.write({"pytest.ini": f"[pytest]\npythonpath = .\n{ini}\n"})

    assert project.affected().run == set()


# What the project declares.


def declared(settings: str) -> dict[str, str]:
    return {"pyproject.toml": f"[tool.wiremap]\n{settings}\n"}


def test_declared_data_counts_for_every_test(tmp_path: Path) -> None:
    project = new_project(
        tmp_path, {**declared("data = ['schemas/*.json']"), "schemas/a.json": "1", "test_a.py": "def test_f(): pass\n"}
    )
    project.record()

    project.write({"schemas/b.json": "2"})
    answer = project.affected()

    assert answer.details("test_a.py::test_f") == "data schemas/*.json changed"
    assert answer.document["kind"] == "data"


def test_ignored_files_and_variables_run_nothing(tmp_path: Path) -> None:
    text = "import os\ndef test_f():\n    open('build.txt').close()\n    os.environ.get('BUILD')\n"
    settings = declared("ignore = ['build.txt']\nignored-variables = ['BUILD']")
    project = new_project(tmp_path, {**settings, "build.txt": "1", "test_a.py": text})
    project.record(env={"BUILD": "1"})

    project.write({"build.txt": "2"})

    assert project.affected(env={"BUILD": "2"}).run == set()


def test_an_ignored_part_of_the_environment_runs_nothing(tmp_path: Path) -> None:
    project = new_project(
        tmp_path, {**declared("ignored-environment = ['time zone']"), "test_a.py": "def test_f(): pass\n"}
    )
    project.record(env={"TZ": "UTC"})

    assert project.affected(env={"TZ": "Asia/Tokyo"}).run == set()


def test_a_change_of_what_is_declared_runs_everything(tmp_path: Path) -> None:
    project = new_project(tmp_path, {**declared("ignore = ['build.txt']"), "test_a.py": "def test_f(): pass\n"})
    project.record()

    project.write(declared(""))

    assert project.affected().details("test_a.py::test_f") == "[tool.wiremap] ignore changed"
