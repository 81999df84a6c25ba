"""Which parts of the environment a test rests on, given its other facts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from wiremap.selection import facts as kinds
from wiremap.selection.environment import CAPTURE, PYTEST_OPTIONS, EnvironmentResolver, Evidence
from wiremap.selection.facts import ABSENT, Fact
from wiremap.tracing.foreign_use import ForeignUse

PYTHON = Fact(kinds.ENVIRONMENT, "python", "3.x")
ON_DEMAND = {key: Fact(kinds.ENVIRONMENT, key, "1") for key in (PYTEST_OPTIONS, CAPTURE)}


@dataclass
class Site:
    """Distributions by name, each with its modules and what it asks for."""

    modules_of: Mapping[str, Sequence[str]]
    asks: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def providers(self, module: str) -> tuple[str, ...]:
        return tuple(sorted(name for name, modules in self.modules_of.items() if module in modules))

    def requirements(self, name: str) -> tuple[str, ...]:
        return tuple(self.asks.get(name, ()))

    def modules(self, name: str) -> tuple[str, ...]:
        return tuple(self.modules_of.get(name, ()))

    def value(self, kind: str, key: str) -> str:
        if kind == kinds.IMPORT:
            return ", ".join(self.providers(key)) or ("files" if key == "own" else ABSENT)
        return "1.0"


def resolver(
    site: Site, foreign: ForeignUse | None = None, names: Mapping[str, set[str]] | None = None
) -> EnvironmentResolver:
    return EnvironmentResolver(
        Evidence(
            site,
            foreign or ForeignUse(),
            site.value,
            lambda fact: frozenset((names or {}).get(fact.key, ())),
            frozenset({PYTHON}),
            ON_DEMAND,
            frozenset({"verbose"}),
        )
    )


def imports(*names: str) -> frozenset[Fact]:
    return frozenset(Fact(kinds.IMPORT, name, "x") for name in names)


def found(of: EnvironmentResolver, facts: frozenset[Fact]) -> set[str]:
    return {f"{fact.kind} {fact.key}" for fact in of.facts(facts) - {PYTHON}}


def test_every_test_rests_on_what_always_counts() -> None:
    assert PYTHON in resolver(Site({})).facts(frozenset())


def test_a_test_rests_on_who_provides_what_it_imports_and_on_what_that_asks_for() -> None:
    site = Site({"a": ["a"], "b": ["b"], "c": ["c"], "d": ["d"]}, asks={"a": ["b"], "b": ["c", "a"]})

    assert found(resolver(site), imports("a", "a.part")) == {"distribution a", "distribution b", "distribution c"}


def test_what_foreign_code_was_seen_to_import_counts_for_who_uses_it() -> None:
    site = Site({"a": ["a", "_a"], "b": ["b"], "c": ["c"]})
    foreign = ForeignUse(imports={"_a": {"b", "gone", "own"}, "c": {"other"}})

    assert found(resolver(site, foreign), imports("a")) == {"distribution a", "distribution b", "import gone"}


def test_what_foreign_code_looked_up_counts_for_who_uses_it() -> None:
    foreign = ForeignUse(lookups={"a": {"entry points"}})

    assert found(resolver(Site({"a": ["a"]}), foreign), imports("a")) == {"distribution a", "distribution entry points"}


def test_what_was_loaded_before_anybody_watched_counts_for_every_test() -> None:
    foreign = ForeignUse(loaded_before=frozenset({"plugin"}))

    assert found(resolver(Site({"p": ["plugin"]}), foreign), frozenset()) == {"distribution p"}


def test_whoever_did_something_unseen_rests_on_the_set_of_all_distributions() -> None:
    assert found(resolver(Site({})), frozenset({Fact(kinds.PROJECT, "*", "x")})) == {"distribution *"}


def test_modules_that_read_metadata_unseen_make_all_distributions_count() -> None:
    of_all = {"distribution *", "distribution entry points", "distribution s"}

    assert found(resolver(Site({"s": ["pkg_resources"]})), imports("pkg_resources")) == of_all


@pytest.mark.parametrize(
    ("names", "key"),
    [
        ({"request", "config", "getoption"}, PYTEST_OPTIONS),
        ({"config", "option", "verbose"}, PYTEST_OPTIONS),
        ({"pytestconfig", "option", "getattr"}, PYTEST_OPTIONS),
        ({"config", "invocation_params"}, PYTEST_OPTIONS),
        ({"sys", "stdout", "isatty"}, CAPTURE),
        ({"invocation_params"}, None),
        ({"config", "click", "option"}, None),
        ({"verbose", "option"}, None),
        ({"verbose", "config"}, None),
    ],
)
def test_who_asks_how_pytest_was_called_rests_on_the_answer(names: set[str], key: str | None) -> None:
    of = resolver(Site({}), names={"a.py::f": names})

    asked = found(of, frozenset({Fact(kinds.FUNCTION, "a.py::f", "x")}))

    assert asked == ({f"environment {key}"} if key else set())
    assert found(of, frozenset({Fact(kinds.FUNCTION, "a.py::g", "x")})) == set()
