import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from wiremap.project.environment import PytestSettings, always_facts, digests, on_demand_facts
from wiremap.project.settings import Settings
from wiremap.selection.environment import CAPTURE, PYTEST_OPTIONS
from wiremap.selection.facts import VARIABLE, Fact
from wiremap.tracing.variables import Variables

ROOT = str(Path("project").absolute())


def facts_of(pytest_settings: PytestSettings | None = None, settings: Settings | None = None) -> dict[str, str]:
    found = always_facts(pytest_settings or PytestSettings(), Variables(), root=ROOT, settings=settings or Settings())
    return {fact.key: fact.value for fact in found}


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


def test_the_interpreter_is_told_in_words() -> None:
    assert platform.python_version() in facts_of()["python"]


def test_the_same_environment_gives_the_same_facts() -> None:
    assert facts_of(PytestSettings({"a": 1}, {"b": [2]})) == facts_of(PytestSettings({"a": 1}, {"b": [2]}))


@pytest.mark.parametrize(
    ("after", "key"),
    [
        (PytestSettings(configuration={"x": "1"}), "pytest configuration"),
        (PytestSettings(options={"fast": True}), "pytest option"),
        (PytestSettings(plugins=["plug"]), "pytest plugin"),
    ],
)
def test_each_part_of_the_environment_is_one_fact(after: PytestSettings, key: str) -> None:
    assert changed(facts_of(), facts_of(after)) == {key}


def test_options_that_shape_the_report_are_facts_for_who_asks_only() -> None:
    verbose = PytestSettings(shaping={"verbose": 1})

    before, after = on_demand_facts(PytestSettings(), ROOT), on_demand_facts(verbose, ROOT)

    assert facts_of(verbose) == facts_of()
    assert before[PYTEST_OPTIONS] != after[PYTEST_OPTIONS]
    assert before[CAPTURE] == after[CAPTURE]


def test_a_declared_variable_is_a_fact_whether_it_is_set_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = Settings(variables=("WIREMAP_TEST_MODE",))
    unset = facts_of(settings=declared)
    monkeypatch.setenv("WIREMAP_TEST_MODE", "1")

    assert changed(unset, facts_of(settings=declared)) == {"WIREMAP_TEST_MODE"}
    assert Fact(VARIABLE, "WIREMAP_TEST_MODE", "absent") not in always_facts(
        PytestSettings(), Variables(), root=ROOT, settings=declared
    )


def test_what_is_declared_to_decide_nothing_is_no_fact() -> None:
    left_out = facts_of().keys() - facts_of(settings=Settings(ignored_environment=("platform", "time zone"))).keys()

    assert left_out == {"platform", "time zone"}


def test_the_order_of_options_and_of_sets_does_not_matter() -> None:
    assert digests({"a": 1, "b": {"x", "y"}}, ROOT) == digests({"b": {"y", "x"}, "a": 1}, ROOT)


def test_the_order_of_a_list_matters() -> None:
    assert digests({"a": ["x", "y"]}, ROOT) != digests({"a": ["y", "x"]}, ROOT)


def test_where_the_project_lies_does_not_matter() -> None:
    assert digests({"a": Path("/one/tests")}, "/one") == digests({"a": "/two/tests"}, "/two")
    assert digests({"a": Path("/one")}, "/one") == digests({"a": Path("/two")}, "/two")


def test_an_object_counts_by_its_type() -> None:
    assert digests({"a": object()}, ROOT) == digests({"a": object()}, ROOT)


def test_values_are_not_shown() -> None:
    assert "secret" not in digests({"token": "secret"}, ROOT)


@pytest.mark.parametrize(
    ("name", "line", "counts"),
    [
        ("patch.pth", "import sys; sys.patched = 1\n", True),
        ("folder.pth", "/somewhere/else\n", False),
        ("__editable__.tool-1.pth", "import __editable___tool_finder\n", False),
        ("a1_coverage.pth", "import coverage\n", False),
    ],
)
def test_code_of_pth_files_counts_but_for_that_of_tools(
    name: str, line: str, *, counts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("site.getsitepackages", lambda: [str(tmp_path)])
    before = facts_of()

    (tmp_path / name).write_text(line)

    assert changed(before, facts_of()) == ({"start-up code"} if counts else set())


def test_a_customisation_of_the_interpreter_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = facts_of()

    module = ModuleType("sitecustomize")
    module.__file__ = str(tmp_path / "sitecustomize.py")
    monkeypatch.setitem(sys.modules, "sitecustomize", module)

    assert changed(before, facts_of()) == {"start-up code"}
