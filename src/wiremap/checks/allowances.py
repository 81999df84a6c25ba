"""Findings that a project allows, each for a reason that it gives."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from wiremap.checks.findings import UNUSED_ALLOWANCE, Finding


@dataclass(frozen=True, slots=True)
class Allowance:
    """One entry of `[[tool.wiremap.allow]]`.

    Attributes:
        rule: The rule whose findings are meant.
        where: A pattern, as of `fnmatch`: of a file, or of any subject of a finding.
        reason: Why that is right as it is.
        line: Where it is written in `pyproject.toml`.
    """

    rule: str
    where: str
    reason: str
    line: int = 1

    def covers(self, finding: Finding) -> bool:
        """Tell whether *finding* is allowed by this."""
        names = (finding.file, *finding.subjects)
        return finding.rule == self.rule and any(fnmatchcase(name, self.where) for name in names)


@dataclass(frozen=True, slots=True)
class Judged:
    """Findings apart: those that count, and those that are allowed, with the first allowance that covers each."""

    findings: tuple[Finding, ...]
    allowed: tuple[tuple[Finding, Allowance], ...]


def judged(
    findings: Iterable[Finding], allowances: Sequence[Allowance], half_judged: Collection[str], file: str
) -> Judged:
    """Return which *findings* count; an allowance that covers none is one too.

    Args:
        findings: What the rules found.
        allowances: What the project allows.
        half_judged: Rules that had not all that they need, so that an allowance for one may be used all the same.
        file: Where the allowances are written.
    """
    counting: list[Finding] = []
    allowed: list[tuple[Finding, Allowance]] = []
    used: set[Allowance] = set()
    for finding in sorted(findings):
        covering = [one for one in allowances if one.covers(finding)]
        used.update(covering)
        if covering:
            allowed.append((finding, covering[0]))
        else:
            counting.append(finding)
    idle = [one for one in allowances if one not in used and one.rule not in half_judged]
    return Judged(tuple(sorted([*counting, *(_unused(one, file) for one in idle)])), tuple(allowed))


def _unused(allowance: Allowance, file: str) -> Finding:
    return Finding(
        file=file,
        line=allowance.line,
        rule=UNUSED_ALLOWANCE,
        message=f"Nothing is found by {allowance.rule} at {allowance.where!r}, so that nothing is allowed here.",
        fix="Remove the allowance, or correct its `where`.",
    )
