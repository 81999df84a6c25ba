import json
from typing import Any

import pytest

from wiremap.checks.allowances import Allowance, Judged
from wiremap.checks.findings import LOCK_DRIFT, REACHES_INSIDE, RULES, Finding
from wiremap.cli.finding_formats import check_document, github_commands, sarif_log

FOUND = Finding("a b/ü%.py", 3, REACHES_INSIDE, "100 %: it reaches,\r\nfar.", "Register.", ("A", "A -> B"))
ALLOWED = Finding("wiremap.lock", 1, LOCK_DRIFT, "It differs.", "Lock.")
JUDGED = Judged((FOUND,), ((ALLOWED, Allowance(LOCK_DRIFT, "*", "for now")),))

# What the schema of SARIF 2.1.0 says of the objects that are written: which properties are required, and which of the
# others are used, with their types. All these objects forbid properties that the schema does not name.
SHAPES: dict[str, tuple[dict[str, type], dict[str, type]]] = {
    "log": ({"version": str, "runs": list}, {"$schema": str}),
    "run": ({"tool": dict}, {"results": list, "columnKind": str}),
    "tool": ({"driver": dict}, {}),
    "driver": ({"name": str}, {"version": str, "rules": list}),
    "rule": ({"id": str}, {"shortDescription": dict}),
    "text": ({"text": str}, {}),
    "result": (
        {"message": dict},
        {"ruleId": str, "ruleIndex": int, "level": str, "locations": list, "suppressions": list},
    ),
    "location": ({}, {"physicalLocation": dict}),
    "place": ({}, {"artifactLocation": dict, "region": dict}),
    "file": ({}, {"uri": str, "uriBaseId": str}),
    "region": ({}, {"startLine": int}),
    "suppression": ({"kind": str}, {"justification": str}),
}


def check_shape(kind: str, found: dict[str, Any]) -> dict[str, Any]:
    required, others = SHAPES[kind]
    assert required.keys() <= found.keys() <= required.keys() | others.keys()
    for name, value in found.items():
        assert type(value) is (required | others)[name], f"{kind}.{name}"
    return found


def test_sarif_has_the_shape_of_its_schema() -> None:
    log = check_shape("log", json.loads(json.dumps(sarif_log(JUDGED))))
    (run,) = log["runs"]
    driver = check_shape("driver", check_shape("tool", check_shape("run", run)["tool"])["driver"])

    assert log["version"] == "2.1.0"
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    for rule in driver["rules"]:
        check_shape("text", check_shape("rule", rule)["shortDescription"])
    for result in run["results"]:
        check_shape("text", check_shape("result", result)["message"])
        assert result["level"] in ("none", "note", "warning", "error")
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        for location in result["locations"]:
            place = check_shape("place", check_shape("location", location)["physicalLocation"])
            check_shape("file", place["artifactLocation"])
            assert check_shape("region", place["region"])["startLine"] >= 1
        for suppression in result.get("suppressions", []):
            assert check_shape("suppression", suppression)["kind"] in ("inSource", "external")


def test_sarif_names_files_as_uris() -> None:
    places = [one["locations"][0]["physicalLocation"] for one in sarif_log(JUDGED)["runs"][0]["results"]]

    assert [one["artifactLocation"]["uri"] for one in places] == ["a%20b/%C3%BC%25.py", "wiremap.lock"]


def test_sarif_has_what_is_allowed_as_suppressed() -> None:
    results = sarif_log(JUDGED)["runs"][0]["results"]

    assert [one.get("suppressions") for one in results] == [None, [{"kind": "external", "justification": "for now"}]]


def test_every_rule_is_described() -> None:
    rules = sarif_log(Judged((), ()))["runs"][0]["tool"]["driver"]["rules"]

    assert [rule["id"] for rule in rules] == list(RULES)


def test_github_commands_are_escaped_as_the_runner_reads_them() -> None:
    (command,) = github_commands(JUDGED)

    assert command == (
        "::error file=a b/ü%25.py,line=3,title=wiremap%3A reaches-inside::100 %25: it reaches,%0D%0Afar.%0ARegister."
    )


@pytest.mark.parametrize("text", ["a\nb", "a\r\nb", "::error::x", "%0A", "a,b=c:d"])
def test_nothing_in_a_finding_begins_another_command(text: str) -> None:
    (command,) = github_commands(Judged((Finding(text, 1, REACHES_INSIDE, text, text),), ()))

    assert len(command.splitlines()) == 1
    properties, data = command.removeprefix("::error ").split("::", 1)
    assert [one.partition("=")[0] for one in properties.split(",")] == ["file", "line", "title"]
    assert data.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%") == f"{text}\n{text}"


def test_json_has_findings_and_what_is_allowed() -> None:
    document = check_document(JUDGED, ["a note"])

    assert document["schema"] == "wiremap.check/1"
    assert document["findings"][0]["subjects"] == ["A", "A -> B"]
    assert document["allowed"][0]["reason"] == "for now"
    assert document["notes"] == ["a note"]
