"""GitHub workflows whose events have `paths` or `paths-ignore`."""

from collections.abc import Iterator

from wiremap.errors import RuleFileError
from wiremap.rules.rule import Command, Meaning, Rule, Shell
from wiremap.rules.yaml_nodes import Mapping, Node, Scalar, Sequence, strings

_FILTERED = ("push", "pull_request", "pull_request_target")
_KEYS: dict[str, Meaning] = {"paths": "globs", "paths-ignore": "ignored globs"}


def workflow_rules(document: Mapping, file: str) -> list[Rule]:
    """Return a rule for each filter by paths; one without a list where there is none.

    All jobs count for each: which of them an event starts depends on expressions that are not evaluated.

    Raises:
        RuleFileError: The workflow is not what it should be.
    """
    shells = tuple(_shells(document, file))
    events = document.get("on")
    found = list(_filters(events, shells, file)) if isinstance(events, Mapping) else []
    without_filter = Rule("on", events.line if events else 1, "paths", "globs", None, (), shells)
    return found or [without_filter]


def _filters(events: Mapping, shells: tuple[Shell, ...], file: str) -> Iterator[Rule]:
    for event, filters in events.pairs:
        if event.value not in _FILTERED or not isinstance(filters, Mapping):
            continue
        for key, meaning in _KEYS.items():
            node = filters.get(key)
            if node is not None:
                label = f"on.{event.value}.{key}"
                entries = tuple(strings(node, file, f"`{label}`"))
                yield Rule(label, node.line, key, meaning, node if entries else None, entries, shells)


def _shells(document: Mapping, file: str) -> Iterator[Shell]:
    jobs = document.get("jobs")
    if not isinstance(jobs, Mapping):
        raise RuleFileError(file, document.line, "the workflow has no `jobs`")
    for _, job in jobs.pairs:
        steps = job.get("steps") if isinstance(job, Mapping) else None
        for step in steps.items if isinstance(steps, Sequence) else ():
            run = step.get("run") if isinstance(step, Mapping) else None
            if isinstance(run, Scalar):
                # Each has a shell of its own.
                folder = _folder(step, "working-directory") or _default(job) or _default(document)
                yield Shell(folder, (Command(run.value, run.line),))


def _default(owner: Node) -> str | None:
    return _folder(owner, "defaults", "run", "working-directory")


def _folder(node: Node | None, *keys: str) -> str | None:
    for key in keys:
        node = node.get(key) if isinstance(node, Mapping) else None
    return node.value if isinstance(node, Scalar) else None
