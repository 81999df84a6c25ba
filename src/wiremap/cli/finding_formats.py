"""Findings as other programs read them: JSON, annotations of GitHub, SARIF."""

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from wiremap import __version__
from wiremap.checks.allowances import Judged
from wiremap.checks.findings import RULES, Finding

_SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_NUMBERS = {rule: number for number, rule in enumerate(RULES)}


def check_document(judged: Judged, notes: Sequence[str]) -> dict[str, Any]:
    """Return the document of schema `wiremap.check/1`."""
    return {
        "schema": "wiremap.check/1",
        "findings": [_entry(finding) for finding in judged.findings],
        "allowed": [_entry(finding) | {"reason": allowance.reason} for finding, allowance in judged.allowed],
        "notes": list(notes),
    }


def _entry(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "file": finding.file,
        "line": finding.line,
        "message": finding.message,
        "fix": finding.fix,
        "subjects": list(finding.subjects),
    }


# GitHub


def github_commands(judged: Judged) -> Iterator[str]:
    """Yield a workflow command for each finding, which GitHub shows at its line."""
    for finding in judged.findings:
        properties = {"file": finding.file, "line": str(finding.line), "title": f"wiremap: {finding.rule}"}
        told = ",".join(f"{name}={_escaped_property(value)}" for name, value in properties.items())
        yield f"::error {told}::{_escaped(_told(finding))}"


def _escaped(text: str) -> str:
    """Return *text* as the data of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    """Return *text* as a property of a workflow command, which more characters would end."""
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def _told(finding: Finding) -> str:
    return f"{finding.message}\n{finding.fix}"


# SARIF


def sarif_log(judged: Judged) -> dict[str, Any]:
    """Return a log of SARIF 2.1.0; what is allowed is in it as suppressed, with the reason."""
    rules = [{"id": rule, "shortDescription": {"text": text}} for rule, text in RULES.items()]
    results = [_result(finding) for finding in judged.findings]
    results += [
        _result(finding) | {"suppressions": [{"kind": "external", "justification": allowance.reason}]}
        for finding, allowance in judged.allowed
    ]
    run = {
        "tool": {"driver": {"name": "wiremap", "version": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: Finding) -> dict[str, Any]:
    uri = quote(finding.file.encode("utf-8", "surrogateescape"))
    place = {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}, "region": {"startLine": finding.line}}
    return {
        "ruleId": finding.rule,
        "ruleIndex": _NUMBERS[finding.rule],
        "level": "error",
        "message": {"text": _told(finding)},
        "locations": [{"physicalLocation": place}],
    }
