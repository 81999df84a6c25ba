"""`wiremap rules`: what hand-kept rules miss, and what they list in vain."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from wiremap.cli.output import Subparsers, say, write, write_file, write_json
from wiremap.rules.findings import Doubt, Evidence, Miss
from wiremap.use_cases.rule_audit import JudgedRule, Layout, RuleAudit, audit_rules
from wiremap.wording import counted

_SHOWN = 10


def configure(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "rules",
        help="say what hand-kept rules of CI miss, and what they list in vain",
        description="Compare the lists of files by which CI chooses its steps (`source_file_dependencies` of a "
        "Buildkite pipeline, `paths` and `paths-ignore` of a GitHub workflow) with what the tests of each step depend "
        "on, by what was recorded, and else by imports. Runs nothing. Exit code 1 if there are findings.",
    )
    parser.add_argument("file", metavar="PIPELINE.yaml", type=Path, help="the file that holds the rules")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: schema wiremap.rules/1")
    parser.add_argument("--fix", action="store_true", help="correct the lists in the file; nothing else of it changes")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write the corrected file to FILE instead")
    parser.add_argument("--all", action="store_true", help=f"show everything, not the first {_SHOWN} of each kind")
    parser.add_argument(
        "--working-dir",
        metavar="FOLDER",
        default="",
        help="where commands begin of which it is not said, from the root",
    )
    parser.add_argument(
        "--workspace", metavar="PATH", help="the absolute path at which commands find the root, such as /workspace"
    )
    parser.add_argument(
        "--whole-names",
        action="store_true",
        help="take `a/b` of a pipeline for the file or folder of that name, not for all paths that begin so",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the findings, and correct the file if that is asked for; return 1 if there are findings."""
    audit = audit_rules(options.file, Layout(options.workspace, options.working_dir, options.whole_names))
    if options.format == "json":
        write_json(_document(audit))
    else:
        for line in _lines(audit, limit=None if options.all else _SHOWN):
            write(line)
        for note in audit.notes:
            say(f"note: {note}")
    target = options.output or (options.file if options.fix else None)
    if target is not None:
        _write(audit, target)
    return 1 if any(one.findings for one in audit.judged) else 0


def _write(audit: RuleAudit, target: Path) -> None:
    write_file(str(target), audit.correction.text)
    say(f"wrote {target}")
    for note in audit.correction.notes:
        say(f"note: {note}")


# JSON


def _document(audit: RuleAudit) -> dict[str, object]:
    return {
        "schema": "wiremap.rules/1",
        "file": audit.file,
        "steps": [_step(one) for one in audit.judged],
        "notes": list(audit.notes),
    }


def _step(one: JudgedRule) -> dict[str, object]:
    evidence = one.evidence
    return {
        "label": one.rule.label,
        "line": one.rule.line,
        "list": one.rule.key,
        "judged": one.rule.node is not None,
        "evidence": {
            "recorded": evidence.num_recorded,
            "inferred": list(evidence.inferred),
            "on_everything": list(evidence.on_everything),
            "not_understood": [{"command": each.command, "reason": each.reason} for each in evidence.not_understood],
            "unevaluated": list(evidence.unevaluated),
        },
        "misses": [
            {"file": each.file, "test": each.test, "excluded_by": each.excluded_by} for each in one.findings.misses
        ],
        "in_vain": [_doubt(each) for each in one.findings.in_vain],
        "unsure": [_doubt(each) for each in one.findings.unsure],
        "notes": list(one.rule.notes),
    }


def _doubt(doubt: Doubt) -> dict[str, object]:
    return {"pattern": doubt.pattern, "line": doubt.line, "reason": doubt.reason}


# Text


def _lines(audit: RuleAudit, limit: int | None) -> Iterator[str]:
    with_list = [one for one in audit.judged if one.rule.node is not None]
    found = [one for one in with_list if one.findings]
    misses = sum(len(one.findings.misses) for one in found)
    vain = sum(len(one.findings.in_vain) for one in found)
    told = f"{counted(misses, 'file')} missed, {counted(vain, 'pattern')} in vain"
    yield f"{audit.file}: {told} in {len(found)} of {counted(len(with_list), 'list')}."
    without = len(audit.judged) - len(with_list)
    if without:
        yield f"{counted(without, 'step')} without a list {'is' if without == 1 else 'are'} not judged."
    for one in with_list:
        yield ""
        yield f"line {one.rule.line}  {one.rule.label}"
        yield from _labelled("evidence", list(_evidence(one.evidence)), None)
        yield from _labelled("misses", _misses(one.findings.misses), limit)
        yield from _labelled("in vain", _doubts(one.findings.in_vain), limit)
        yield from _labelled("unsure", _doubts(one.findings.unsure), limit)
        yield from _labelled("note", list(one.rule.notes), None)


def _evidence(evidence: Evidence) -> Iterator[str]:
    known = []
    if evidence.num_recorded:
        known.append(f"{counted(evidence.num_recorded, 'recorded test')}")
    if evidence.inferred:
        known.append(f"inferred from the imports of {counted(len(evidence.inferred), 'test file')}")
    yield "; ".join(known) or "none: no test of the step is known"
    if evidence.on_everything:
        first, count = evidence.on_everything[0], counted(len(evidence.on_everything), "test")
        yield f"{count} did something unseen and may depend on every file: {first}"
    for one in evidence.unevaluated:
        yield f"{one} is not evaluated: all tests of its paths are counted"
    for each in evidence.not_understood:
        yield f"not understood: `{each.command}`: {each.reason}"


def _misses(misses: Sequence[Miss]) -> list[str]:
    width = max((len(one.file) for one in misses), default=0)
    return [
        f"{one.file:<{width}}  {one.test}{f'  (taken out by {one.excluded_by})' if one.excluded_by else ''}"
        for one in misses
    ]


def _doubts(doubts: Sequence[Doubt]) -> list[str]:
    width = max((len(one.pattern) for one in doubts), default=0)
    return [f"{one.pattern:<{width}}  line {one.line}: {one.reason}" for one in doubts]


def _labelled(label: str, lines: Sequence[str], limit: int | None) -> Iterator[str]:
    shown = (
        lines
        if limit is None or len(lines) <= limit
        else [*lines[:limit], f"… and {len(lines) - limit} more, see --all"]
    )
    for place, line in enumerate(shown):
        yield f"  {label if place == 0 else '':<9} {line}"
