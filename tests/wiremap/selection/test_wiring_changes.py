"""What became of a changed recipe for a test that executed it."""

import json
from collections.abc import Iterable

from wiremap.selection.facts import FUNCTION, RECIPE, UNSTABLE, Fact, Trace
from wiremap.selection.verdicts import StaleFacts, verdict
from wiremap.selection.wiring_changes import Wiring, WiringChanges
from wiremap.source.units import SourceUnits, parse_units

BEFORE = "def wire(kind):\n    if kind:\n        return Moe(4)\n    return Dense()\n"
KEY = "recipes.py::wire"
DENSE, MOE = [[0, False]], [[0, True]]


class Sources:
    """Files as texts."""

    def __init__(self, **files: str) -> None:
        self._files = {f"{name}.py": text for name, text in files.items()}

    def units(self, path: str) -> SourceUnits:
        text = self.text(path)
        return SourceUnits({}) if text is None else parse_units(text)

    def text(self, path: str) -> bytes | None:
        return self._files[path].encode() if path in self._files else None

    def is_own(self, path: str) -> bool:
        return path == "own.py"


def function(text: str) -> Fact:
    return Fact(FUNCTION, KEY, parse_units(text.encode()).units["wire"].fingerprint)


def trace(branches: Iterable[list[int]], *more: Fact, source: str = BEFORE) -> Trace:
    way = Fact(RECIPE, KEY, json.dumps({"source": source, "branches": list(branches)}))
    return Trace("t", frozenset({function(BEFORE), way, *more}), "passed", 1.0)


def judged(one: Trace, now: str, **files: str) -> Wiring | None:
    return WiringChanges(Sources(recipes=now, **files)).judge(one, [function(BEFORE)]).get(function(BEFORE))


def test_a_branch_that_was_not_taken_is_the_same_for_the_test() -> None:
    now = BEFORE.replace("Moe(4)", "Moe(8)")

    assert judged(trace(DENSE), now) == Wiring("same")
    assert judged(trace(MOE), now) == Wiring(
        "other", "the component Moe(4) is Moe(8) now; first, `return Moe(8)` stands where `return Moe(4)` did"
    )


def test_what_is_new_or_gone_is_told() -> None:
    longer = BEFORE.replace("    return Dense()", "    Sampler()\n    return Dense()")

    assert judged(trace(DENSE), longer) == Wiring(
        "other", "the component Sampler() is new; first, `Sampler()` stands where `return Dense()` did"
    )
    assert judged(trace(DENSE), BEFORE.replace("return Dense()", "pass")) == Wiring(
        "other", "the component Dense() is gone; first, `pass` stands where `return Dense()` did"
    )


def test_what_differs_elsewhere_is_told_where_it_shows() -> None:
    before = "def wire(kind):\n    a = A()\n    b = A()\n    f(a)\n"
    one = Trace(
        "t",
        frozenset({function(before), Fact(RECIPE, KEY, json.dumps({"source": before, "branches": []}))}),
        "passed",
        1.0,
    )
    now = before.replace("    a = A()\n    b = A()", "    b = A()\n    a = A()")

    found = WiringChanges(Sources(recipes=now)).judge(one, [function(before)])

    assert [wiring.result for wiring in found.values()] == ["other"]


def test_without_its_way_nothing_is_said() -> None:
    bare = Trace("t", frozenset({function(BEFORE)}), "passed", 1.0)

    assert judged(bare, BEFORE.replace("4", "8")) is None


def test_a_fact_that_never_held_is_not_judged() -> None:
    unstable = Fact(FUNCTION, KEY, UNSTABLE)

    assert WiringChanges(Sources(recipes=BEFORE)).judge(trace(DENSE), [unstable]) == {}


def test_source_that_is_not_what_was_recorded_proves_nothing() -> None:
    assert judged(trace(DENSE, source=BEFORE + "    pass"), BEFORE) == Wiring(
        "unproved", "its earlier source is not known"
    )


def test_another_kind_of_definition_proves_nothing() -> None:
    lost = Wiring("unproved", "it is no single function any more")
    assert judged(trace(DENSE), "") == lost
    assert judged(trace(DENSE), f"async {BEFORE}") == lost
    assert judged(trace(DENSE), BEFORE + BEFORE) == lost
    assert judged(trace(DENSE), "if x:\n    def wire(kind): pass\n" + BEFORE) == lost
    assert judged(trace(DENSE), BEFORE.replace("kind):", "kind=1):")) == Wiring(
        "unproved", "what can be seen of it without a call changed"
    )


def test_whoever_may_look_at_its_code_proves_nothing() -> None:
    now = BEFORE.replace("Moe(4)", "Moe(8)")
    spy = Fact(FUNCTION, "spy.py::look", "")

    assert judged(trace(DENSE, spy), now, spy="def look(one): return one.__code__") == Wiring(
        "unproved", "spy.py::look may look at code or variables"
    )
    assert judged(trace(DENSE, spy), now, spy="def look(one): return one\ndef f(one): one.__code__") == Wiring("same")
    assert judged(trace(DENSE, Fact("source", "own.py", "")), now, own="x.__code__") == Wiring("same")


def test_a_test_is_cut_off_and_says_from_what() -> None:
    now = BEFORE.replace("Moe(4)", "Moe(8)")
    changed = function(now).value
    stale = StaleFacts(lambda _kind, _key: changed, judge=WiringChanges(Sources(recipes=now)).judge)

    dense = verdict("t", [trace(DENSE)], stale)
    moe = verdict("t", [trace(MOE)], stale)

    assert (dense.runs, dense.cut_off) == (False, (KEY,))
    assert [(reason.rule, reason.unit) for reason in moe.reasons] == [("topology", KEY)]
