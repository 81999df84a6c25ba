from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiremap.selection.order import likeliest_first
from wiremap.selection.verdicts import Reason, Verdict

FAILED = Reason("failed", "")
NEW = Reason("new", "")


def changed(unit: str | None) -> Reason:
    return Reason("changed", "", unit)


def ordered(
    tests: Sequence[str], reasons: Mapping[str, Reason] | None = None, seconds: Mapping[str, float] | None = None
) -> list[str]:
    verdicts = {test: Verdict(test, (reason,)) for test, reason in (reasons or {}).items()}
    return [tests[place] for place in likeliest_first(tests, verdicts, seconds or {})]


def test_what_failed_comes_before_what_is_new_and_that_before_what_a_change_reaches() -> None:
    tests = ["a.py::t", "b.py::t", "c.py::t", "d.py::t"]
    reasons = {"a.py::t": Reason("unseen", ""), "b.py::t": changed("x.py::f"), "c.py::t": NEW, "d.py::t": FAILED}

    assert ordered(tests, reasons) == ["d.py::t", "c.py::t", "b.py::t", "a.py::t"]


def test_a_near_change_comes_before_a_far_one() -> None:
    tests = ["a.py::t", "b.py::t", "c.py::t"]
    reasons = {"a.py::t": changed("x.py::<module>"), "b.py::t": changed("x.py::f"), "c.py::t": changed("c.py::t")}

    assert ordered(tests, reasons) == ["c.py::t", "b.py::t", "a.py::t"]


def test_among_equals_the_cheapest_comes_first_and_what_is_not_known_last() -> None:
    tests = ["a.py::t", "b.py::t", "c.py::t"]

    assert ordered(tests, seconds={"b.py::t": 2.0, "c.py::t": 1.0}) == ["c.py::t", "b.py::t", "a.py::t"]


def test_the_tests_of_a_file_stay_as_they_are() -> None:
    tests = ["a.py::write", "a.py::read", "b.py::t"]

    assert ordered(tests, {"a.py::read": FAILED}) == tests
    assert ordered(tests, {"b.py::t": FAILED}) == ["b.py::t", "a.py::write", "a.py::read"]


def test_a_folder_stays_together() -> None:
    tests = ["one/a.py::t", "one/b.py::t", "two/c.py::t", "top.py::t"]

    found = ordered(tests, {"two/c.py::t": NEW, "one/b.py::t": FAILED})

    assert found == ["one/b.py::t", "one/a.py::t", "two/c.py::t", "top.py::t"]


def test_an_order_that_goes_to_and_fro_between_files_stands() -> None:
    tests = ["a.py::t[1]", "b.py::t[1]", "a.py::t[2]", "b.py::t[2]"]

    assert ordered(tests, {"b.py::t[2]": FAILED}) == tests


IDS = st.builds(
    "{}{}.py::{}".format, st.sampled_from(["", "one/", "one/two/"]), st.sampled_from("ab"), st.sampled_from("tuv")
)


@given(st.lists(IDS), st.dictionaries(IDS, st.sampled_from([FAILED, NEW, changed("x.py::f")])))
def test_every_test_runs_once_and_no_file_is_torn_apart(tests: list[str], reasons: dict[str, Reason]) -> None:
    found = ordered(tests, reasons)

    assert sorted(found) == sorted(tests)
    for file in {test.partition("::")[0] for test in tests}:
        assert [test for test in found if test.startswith(f"{file}::")] == [
            test for test in tests if test.startswith(f"{file}::")
        ]


@pytest.mark.parametrize("tests", [[], ["a.py::t"], ["a.py::t", "b.py::t"]])
def test_without_evidence_the_order_is_the_projects(tests: list[str]) -> None:
    assert ordered(tests) == tests
