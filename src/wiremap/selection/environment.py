"""Which parts of the environment a test rests on: the distributions that it imports, and what it asked pytest.

A test rests on the distributions that its import closure names, on those that they ask for, and on whatever
their code was seen to import; an import that failed is an absence, of which the name is the fact. What was
loaded before anybody watched, pytest and its plugins, counts for every test.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from wiremap.selection.facts import ABSENT, DISTRIBUTION, IMPORT, PROJECT, Fact
from wiremap.tracing.foreign_use import ForeignUse
from wiremap.tracing.watched_calls import ALL_DISTRIBUTIONS, ENTRY_POINTS

PYTHON = "python"
"""Who answers to the name of a module of the standard library."""
LOOSE = "module "
"""What the name of a module begins with that lies in a folder without belonging to a distribution."""
PYTEST_OPTIONS = "pytest options, all"
CAPTURE = "pytest option --capture"
CHOICE = "choice of tests"
OF_SOME = frozenset({PYTEST_OPTIONS, CAPTURE, CHOICE})
"""Keys of what only some tests rest on."""
# Modules through which entry points and metadata are read unseen.
_METADATA_READERS = frozenset({"pkg_resources", "importlib_metadata", "stevedore"})
# A unit that reads one of these names asks pytest how it was called, or looks at its own terminal.
_OPTION_READERS = frozenset({"getoption", "known_args_namespace"})
_TERMINAL_READERS = frozenset({"isatty", "stdin", "input", "fileno", "getpass", "get_terminal_size"})
# `config.option.verbose`: the name of an option must occur too, or a way to read one by a name that does not.
_CONFIGURATIONS = frozenset({"config", "pytestconfig"})
_READERS_BY_NAME = frozenset({"getattr", "vars", "__dict__"})


class Installed(Protocol):
    """What is asked about installed distributions."""

    def providers(self, module: str) -> tuple[str, ...]:
        """Return who answers to a top-level name."""

    def requirements(self, name: str) -> tuple[str, ...]:
        """Return the installed distributions that *name* asks for."""

    def modules(self, name: str) -> tuple[str, ...]:
        """Return the top-level names that *name* holds."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a session when its tests have run.

    Attributes:
        installed: The distributions.
        foreign: What foreign code was seen to import.
        value: Takes kind and key of a fact, returns its value.
        names: Takes a fact about source, returns the identifiers that the unit reads.
        always: What every test rests on.
        on_demand: What a test rests on that asks for it: `PYTEST_OPTIONS` and `CAPTURE`.
        option_names: The names of pytest's options, as its `config.option` has them.
    """

    installed: Installed
    foreign: ForeignUse
    value: Callable[[str, str], str]
    names: Callable[[Fact], frozenset[str]]
    always: frozenset[Fact]
    on_demand: Mapping[str, Fact]
    option_names: frozenset[str] = frozenset()


class EnvironmentResolver:
    """Finds the parts of the environment for all tests of one session."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._installed = evidence.installed
        self._foreign = evidence.foreign
        # Facts met so far, told apart once, so that for each test sets are intersected and nothing is gone through.
        self._met: set[Fact] = set()
        self._imports: set[Fact] = set()
        self._lookups: set[Fact] = set()
        self._unseen: set[Fact] = set()
        self._asking: dict[str, set[Fact]] = {PYTEST_OPTIONS: set(), CAPTURE: set()}
        self._closures: dict[tuple[frozenset[str], frozenset[str]], frozenset[Fact]] = {}

    def facts(self, of_test: frozenset[Fact]) -> frozenset[Fact]:
        """Return what a test rests on besides *of_test*."""
        self._meet(of_test - self._met)
        modules = frozenset(fact.key for fact in of_test & self._imports)
        distributions = frozenset(fact.key for fact in of_test & self._lookups)
        if not self._unseen.isdisjoint(of_test):
            distributions |= {ALL_DISTRIBUTIONS}  # whoever ran unseen may have imported anything
        if (modules, distributions) not in self._closures:
            self._closures[modules, distributions] = self._closure(modules, distributions)
        asked = {self._evidence.on_demand[key] for key, by in self._asking.items() if not by.isdisjoint(of_test)}
        return self._evidence.always | self._closures[modules, distributions] | asked

    def _meet(self, new: Iterable[Fact]) -> None:
        for fact in new:
            self._met.add(fact)
            if fact.kind == IMPORT and "." not in fact.key:
                self._imports.add(fact)
            elif fact.kind == DISTRIBUTION:
                self._lookups.add(fact)
            elif fact.kind == PROJECT:
                self._unseen.add(fact)
            elif fact.unit is not None:
                self._note_questions(fact)

    def _note_questions(self, fact: Fact) -> None:
        names = self._evidence.names(fact)
        if self._reads_options(names):
            self._asking[PYTEST_OPTIONS].add(fact)
        if not names.isdisjoint(_TERMINAL_READERS):
            self._asking[CAPTURE].add(fact)

    def _reads_options(self, names: frozenset[str]) -> bool:
        if not names.isdisjoint(_OPTION_READERS):
            return True
        if names.isdisjoint(_CONFIGURATIONS):
            return False
        reads_one = "option" in names and not names.isdisjoint(self._evidence.option_names | _READERS_BY_NAME)
        return reads_one or "invocation_params" in names

    def _closure(self, named: frozenset[str], asked: frozenset[str]) -> frozenset[Fact]:
        modules, distributions, missing = set(named), set(asked), set()
        pending = [*named, *self._foreign.loaded_before]
        while pending:
            module = pending.pop()
            if module in _METADATA_READERS:
                distributions |= {ALL_DISTRIBUTIONS, ENTRY_POINTS}
            providers = self._installed.providers(module)
            if not providers:
                missing.add(module)
            new = self._with_requirements(one for one in providers if one != PYTHON) - distributions
            users = {module}.union(*(self._installed.modules(one) for one in new))
            distributions |= new.union(*(self._foreign.lookups.get(one, ()) for one in users))
            imported = {name for one in users for name in self._foreign.imports.get(one, ())} - modules
            modules |= imported
            pending.extend(imported)
        values = ((IMPORT, name, self._evidence.value(IMPORT, name)) for name in missing - named)
        absent = {Fact(*one) for one in values if one[2] == ABSENT}  # else a file of the project answers
        return frozenset(absent | {self._distribution(name) for name in distributions})

    def _distribution(self, name: str) -> Fact:
        return Fact(DISTRIBUTION, name, self._evidence.value(DISTRIBUTION, name))

    def _with_requirements(self, names: Iterable[str]) -> set[str]:
        found: set[str] = set()
        pending = list(names)
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending.extend(self._installed.requirements(name))
        return found
