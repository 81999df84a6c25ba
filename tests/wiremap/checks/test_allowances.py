import pytest

from wiremap.checks.allowances import Allowance, judged
from wiremap.checks.findings import LOCK_DRIFT, REACHES_INSIDE, UNREGISTERED, UNUSED_ALLOWANCE, Finding

FOUND = Finding(
    "engine/scheduler.py", 7, REACHES_INSIDE, "It reaches.", "Register.", ("Scheduler", "Scheduler -> Pool")
)


@pytest.mark.parametrize("where", ["engine/*", "engine/scheduler.py", "Scheduler", "Sched*", "Scheduler -> *"])
def test_a_finding_is_allowed_by_its_file_or_by_a_subject(where: str) -> None:
    allowance = Allowance(REACHES_INSIDE, where, "as it is")

    found = judged([FOUND], [allowance], (), "pyproject.toml")

    assert found.findings == ()
    assert found.allowed == ((FOUND, allowance),)


@pytest.mark.parametrize(("rule", "where"), [(REACHES_INSIDE, "Pool"), (UNREGISTERED, "Scheduler")])
def test_an_allowance_that_matches_nothing_is_a_finding(rule: str, where: str) -> None:
    found = judged([FOUND], [Allowance(rule, where, "as it is", line=4)], (), "pyproject.toml")

    assert [(one.file, one.line, one.rule) for one in found.findings] == [
        ("engine/scheduler.py", 7, REACHES_INSIDE),
        ("pyproject.toml", 4, UNUSED_ALLOWANCE),
    ]


def test_an_allowance_is_not_called_unused_by_a_rule_that_saw_only_half() -> None:
    assert judged([], [Allowance(REACHES_INSIDE, "Pool", "old")], [REACHES_INSIDE], "pyproject.toml").findings == ()


def test_findings_stand_in_the_order_of_their_places() -> None:
    others = [
        Finding("b.py", 1, LOCK_DRIFT, "", ""),
        Finding("a.py", 10, LOCK_DRIFT, "", ""),
        Finding("a.py", 9, LOCK_DRIFT, "", ""),
    ]

    assert [(one.file, one.line) for one in judged(others, (), (), "").findings] == [
        ("a.py", 9),
        ("a.py", 10),
        ("b.py", 1),
    ]
