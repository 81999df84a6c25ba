"""What a list misses, what it lists in vain, and what can't be told; data in, data out."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from wiremap.rules.coverage import covering, is_negated, matching
from wiremap.rules.rule import Rule
from wiremap.rules.shell import NotUnderstood

NO_FILE = "it matches no file"
_BUILDS = ("setup.py",)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of the tests of a step.

    Attributes:
        files: Each file that they depend on, with one of them.
        num_recorded: How many of them have a record of a run that passed.
        inferred: Test files of which the imports were followed, for want of records.
        on_everything: Tests that did something unseen, and so rest on every file of the project.
        not_understood: Commands that may run others.
        unevaluated: Markers and keywords that choose among them; all were counted.
    """

    files: Mapping[str, str]
    num_recorded: int = 0
    inferred: Sequence[str] = ()
    on_everything: Sequence[str] = ()
    not_understood: Sequence[NotUnderstood] = ()
    unevaluated: Sequence[str] = ()

    @property
    def is_any(self) -> bool:
        """Whether any test is known."""
        return bool(self.num_recorded or self.inferred)

    @property
    def is_recorded(self) -> bool:
        """Whether all that the step runs was seen while it ran."""
        return bool(self.num_recorded) and not self.inferred and self.is_whole

    @property
    def is_whole(self) -> bool:
        """Whether all that the step runs is known."""
        return self.is_any and not self.not_understood


@dataclass(frozen=True, slots=True)
class Miss:
    """A file that a test depends on, and that no pattern covers.

    Attributes:
        file: The file.
        test: One such test.
        excluded_by: The pattern that takes it out, where one does.
    """

    file: str
    test: str
    excluded_by: str | None = None


@dataclass(frozen=True, slots=True)
class Doubt:
    """A pattern, and what is to be said of it.

    Attributes:
        pattern: The pattern.
        line: Where it stands.
        reason: What is wrong with it, or why that can't be told.
        place: Its place in the list.
    """

    pattern: str
    line: int
    reason: str
    place: int


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found out about one rule."""

    misses: Sequence[Miss] = ()
    in_vain: Sequence[Doubt] = ()
    unsure: Sequence[Doubt] = ()

    def __bool__(self) -> bool:
        return bool(self.misses or self.in_vain)


def judge(rule: Rule, evidence: Evidence, files: Collection[str], *, whole_names: bool = False) -> Findings:
    """Return what the list of *rule* misses and lists in vain; nothing where there is no list.

    Args:
        rule: The rule.
        evidence: What the tests depend on that run by it.
        files: All files of the project.
        whole_names: As for `covering`.
    """
    if rule.node is None:
        return Findings()
    covers = covering(rule.meaning, rule.patterns, whole_names=whole_names)
    misses = [
        Miss(file, test, _excluding(rule, file, whole_names=whole_names))
        for file, test in sorted(evidence.files.items())
        if not covers(file)
    ]
    in_vain: list[Doubt] = []
    unsure: list[Doubt] = []
    for place, entry in enumerate(rule.entries):
        reason, is_sure = _doubt(rule, entry.value, evidence, files, whole_names=whole_names)
        if reason:
            (in_vain if is_sure else unsure).append(Doubt(entry.value, entry.line, reason, place))
    return Findings(misses, in_vain, unsure)


def _excluding(rule: Rule, file: str, *, whole_names: bool) -> str | None:
    """Return the last pattern that takes *file* out."""
    return next(
        (
            pattern
            for pattern in reversed(rule.patterns)
            if is_negated(rule.meaning, pattern) and matching(rule.meaning, pattern, whole_names=whole_names)(file)
        ),
        None,
    )


def _doubt(
    rule: Rule, pattern: str, evidence: Evidence, files: Collection[str], *, whole_names: bool
) -> tuple[str, bool]:
    """Return what is to be said of *pattern*, if anything, and whether it is certain."""
    fits = matching(rule.meaning, pattern, whole_names=whole_names)
    matched = sorted(filter(fits, files))
    if not matched:
        return NO_FILE, True
    # Where no test of the step is known, that is said once.
    if is_negated(rule.meaning, pattern) or not evidence.is_any or any(map(fits, evidence.files)):
        return "", True
    if not evidence.is_whole:
        return "the tests whose commands are understood don't depend on it", False
    unseen = next((file for file in matched if not _is_seen(file)), None)
    if unseen is not None:
        return f"{unseen} is no Python module, so it is not seen who needs it", False
    if evidence.on_everything:
        return "a test did something unseen, and may depend on it", False
    return "no test of the step depends on what it matches", True


def _is_seen(file: str) -> bool:
    return file.endswith(".py") and file.rpartition("/")[2] not in _BUILDS
