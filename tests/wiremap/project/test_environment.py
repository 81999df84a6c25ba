import platform
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from wiremap.project.environment import environment_facts
from wiremap.selection.facts import Fact


def facts_of(
    configuration: Mapping[str, object] | None = None,
    options: Mapping[str, object] | None = None,
    *,
    plugins: Sequence[str] = (),
    declared: Mapping[str, str | None] | None = None,
    search_path: str | None = None,
) -> frozenset[Fact]:
    return environment_facts(
        pytest_configuration=configuration or {},
        options=options or {},
        plugins=plugins,
        declared=declared or {},
        search_path=search_path,
    )


def value(facts: frozenset[Fact], key: str) -> str:
    (found,) = [fact.value for fact in facts if fact.key == key]
    return found


def configuration(**values: object) -> str:
    return value(facts_of(values, {}), "pytest configuration")


def test_the_interpreter_is_told_in_words() -> None:
    assert platform.python_version() in value(facts_of({}, {}), "Python interpreter")


def test_the_same_environment_gives_the_same_facts() -> None:
    assert facts_of({"a": 1}, {"b": [2]}) == facts_of({"a": 1}, {"b": [2]})


def test_an_installed_distribution_changes_one_fact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    before = facts_of({}, {})
    (tmp_path / "thing-1.0.dist-info").mkdir()

    after = facts_of({}, {})

    assert {fact.key for fact in after - before} == {"set of installed distributions"}


def test_a_missing_folder_on_the_path_is_no_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "missing")])

    assert facts_of({}, {})


@pytest.mark.parametrize(
    ("after", "key"),
    [
        (facts_of({"x": "1"}), "pytest configuration"),
        (facts_of({}, {"fast": True}), "set of pytest options"),
        (facts_of(plugins=["plug"]), "set of pytest plugins"),
        (facts_of(declared={"MODE": "1"}), "set of declared variables"),
        (facts_of(search_path="lib"), "module search path"),
    ],
)
def test_each_part_of_the_environment_is_one_fact(after: frozenset[Fact], key: str) -> None:
    assert {fact.key for fact in after - facts_of()} == {key}


def test_the_order_of_options_and_of_sets_does_not_matter() -> None:
    assert configuration(a=1, b={"x", "y"}) == configuration(b={"y", "x"}, a=1)


def test_the_order_of_a_list_matters() -> None:
    assert configuration(a=["x", "y"]) != configuration(a=["y", "x"])


def test_the_folder_of_the_project_does_not_matter() -> None:
    assert configuration(a=Path("/one/tests")) == configuration(a=Path("/two/tests"))


def test_an_object_counts_by_its_type() -> None:
    assert configuration(a=object()) == configuration(a=object())
