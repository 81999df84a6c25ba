"""Hand-kept rules compared with what tests depend on, by their records or else by their imports. Runs nothing."""

import ast
import contextlib
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from wiremap.errors import RuleFileError
from wiremap.inference.import_closure import ImportClosure
from wiremap.project.files import project_root, scan
from wiremap.project.map_folder import find_map_folder, pytest_section
from wiremap.rules.buildkite import pipeline_rules
from wiremap.rules.correction import Correction, corrected, edit_of
from wiremap.rules.findings import Evidence, Findings, judge
from wiremap.rules.github import workflow_rules
from wiremap.rules.pytest_targets import PytestSettings, Targets, folders_of, targets_of
from wiremap.rules.rule import Rule
from wiremap.rules.shell import Folders, NotUnderstood, pytest_runs
from wiremap.rules.yaml_nodes import Mapping as MappingNode
from wiremap.rules.yaml_nodes import Node, Sequence, parse_yaml
from wiremap.selection import facts as kinds
from wiremap.selection.facts import Fact, Trace, matching, newest, of_tests
from wiremap.store.map import FOLDER, Map


@dataclass(frozen=True, slots=True)
class Layout:
    """How the rules speak of the project's files, where they don't say it.

    Attributes:
        workspace: The absolute path at which commands find the project's root.
        working_dir: The folder in which commands begin of which it is not said.
        whole_names: Whether a prefix must end where a name in the path does.
    """

    workspace: str | None = None
    working_dir: str = ""
    whole_names: bool = False


@dataclass(frozen=True, slots=True)
class JudgedRule:
    """A rule, what is known of its tests, and what was found out."""

    rule: Rule
    evidence: Evidence
    findings: Findings


@dataclass(frozen=True, slots=True)
class RuleAudit:
    """What was found out about a file of rules.

    Attributes:
        file: The file, as it was named.
        judged: Its rules, in their order.
        correction: The file, corrected.
        notes: What must be told.
    """

    file: str
    judged: tuple[JudgedRule, ...]
    correction: Correction
    notes: tuple[str, ...]


def audit_rules(file: Path, layout: Layout) -> RuleAudit:
    """Return what the rules in *file* miss and list in vain; the project is that of the current folder.

    Raises:
        RuleFileError: The file is not there, or holds no rules.
        YamlMissingError: The library that reads it is not installed.
    """
    text = _text(file)
    rules = _rules(parse_yaml(text, str(file)), str(file))
    folder = find_map_folder(Path.cwd(), FOLDER)
    project = _Project(project_root(folder.parent), folder.parent, layout)
    if folder.is_dir():
        with contextlib.closing(Map(folder)) as store:
            project.learn(of_tests(store.traces()))
            notes = store.notes
    else:
        notes = ["nothing was recorded yet: imports are followed; `wiremap run` records"]
    judged = tuple(project.judged(rule) for rule in rules)
    edits = [(one.rule, edit_of(one.rule, one.evidence, one.findings, project.files)) for one in judged]
    return RuleAudit(str(file), judged, corrected(text, edits), tuple(notes))


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8")
    except OSError as error:
        raise RuleFileError(str(file), 1, (error.strerror or str(error)).lower()) from error
    except UnicodeDecodeError as error:
        raise RuleFileError(str(file), 1, "it is no UTF-8 text") from error


def _rules(document: Node, file: str) -> list[Rule]:
    if isinstance(document, MappingNode) and document.get("on") is not None:
        return workflow_rules(document, file)
    if isinstance(document, Sequence) or (isinstance(document, MappingNode) and document.get("steps") is not None):
        return pipeline_rules(document, file)
    raise RuleFileError(file, document.line, "there are no steps and no workflow in it")


class _Project:
    """A project's files, and what its tests depend on."""

    def __init__(self, root: Path, rootdir: Path, layout: Layout) -> None:
        self.files = tuple(scan(root))
        self._root = root
        self._whole_names = layout.whole_names
        below = rootdir.relative_to(root).as_posix().removeprefix(".")
        self._settings = PytestSettings.of(pytest_section(rootdir), below)
        known = {folder for file in self.files for folder in folders_of(file)}
        self._folders = Folders(known, layout.workspace, layout.working_dir)
        self._recorded: dict[str, Trace] = {}
        self._paths: dict[int, frozenset[str]] = {}

    def learn(self, traces: Mapping[str, Iterable[Trace]]) -> None:
        """Take in the records: of each test the newest that passed, since one that did not may have ended early."""
        below = f"{self._settings.root}/" if self._settings.root else ""
        for test, found in traces.items():
            passed = [trace for trace in found if trace.outcome == "passed"]
            if passed:
                self._recorded[below + test] = newest(passed)

    def judged(self, rule: Rule) -> JudgedRule:
        evidence = self._evidence(rule)
        return JudgedRule(rule, evidence, judge(rule, evidence, self.files, whole_names=self._whole_names))

    def _evidence(self, rule: Rule) -> Evidence:
        targets: list[Targets] = []
        unclear: set[NotUnderstood] = set()
        for shell in rule.shells:
            for run in pytest_runs(shell, self._folders):
                found = (
                    run
                    if isinstance(run, NotUnderstood)
                    else targets_of(run, self._settings, self._folders, self.files)
                )
                if isinstance(found, NotUnderstood):
                    unclear.add(found)
                elif found is not None:
                    targets.append(found)
        tests = sorted(test for test in self._recorded if any(one.hold(test) for one in targets))
        seen = {test.partition("::")[0] for test in tests}
        test_files = {file for one in targets for file in one.test_files(self.files, self._settings)}
        inferred = sorted(test_files - seen)
        return Evidence(
            files=dict(self._dependencies(tests, inferred)),
            num_recorded=len(tests),
            inferred=tuple(inferred),
            on_everything=tuple(test for test in tests if self._is_on_everything(self._recorded[test])),
            not_understood=tuple(sorted(unclear)),
            unevaluated=tuple(dict.fromkeys(word for one in targets for word in one.unevaluated)),
        )

    def _dependencies(self, tests: list[str], test_files: list[str]) -> Iterator[tuple[str, str]]:
        """Yield each file that is needed, with who needs it; the last for a file is the first by name."""
        for file in reversed(test_files):
            start = [file, *self._conftests(file)]
            yield from ((path, file) for path in sorted(self._imports.files(start)))
        for test in reversed(tests):
            yield from ((path, test) for path in sorted(self._needed(self._recorded[test])))

    def _needed(self, trace: Trace) -> frozenset[str]:
        key = id(trace.facts)  # tests share sets
        if key not in self._paths:
            self._paths[key] = frozenset(path for fact in trace.facts for path in self._paths_of(fact))
        return self._paths[key]

    def _paths_of(self, fact: Fact) -> Iterator[str]:
        if fact.kind == kinds.DATA:
            yield from (path for path in self.files if fnmatchcase(path, fact.key))
        elif fact.path is not None and fact.path in self._known_files:
            yield fact.path

    @staticmethod
    def _is_on_everything(trace: Trace) -> bool:
        return bool(matching(trace.facts, _is_about_project))

    def _conftests(self, file: str) -> list[str]:
        around = [f"{folder}/conftest.py" for folder in folders_of(file)]
        return [path for path in ("conftest.py", *around) if path in self._known_files]

    @cached_property
    def _known_files(self) -> frozenset[str]:
        return frozenset(self.files)

    @cached_property
    def _imports(self) -> ImportClosure:
        trees = {path: tree for path in self.files if path.endswith(".py") and (tree := self._tree(path)) is not None}
        return ImportClosure(trees)

    def _tree(self, path: str) -> ast.Module | None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an invalid escape in somebody's string
                return ast.parse((self._root / path).read_bytes())
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _is_about_project(fact: Fact) -> bool:
    return fact.kind == kinds.PROJECT
