"""What of a map may travel, as one JSON document (schema `wiremap.map/1`), and the way back.

Left out is what belongs to one machine: time stamps of files and parsed sources. Coming in, a document is data that
anybody may have written: everything is checked before anything is used, and nothing of it is ever executed.
The same contents always make the same document.
"""

import math
import reprlib
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from operator import sub
from typing import Any, get_args

from wiremap.errors import GraphFormatError
from wiremap.graph import Graph
from wiremap.selection.facts import Fact, Outcome, Trace
from wiremap.store.interned import FactTable, Nearest, StoredFacts
from wiremap.store.map import Baseline, Map

SCHEMA = "wiremap.map/1"
_KEYS = frozenset(
    {"schema", "facts", "sets", "tests", "graphs", "builders", "compiled", "units", "calls", "baseline", "outside"}
)
_OUTCOMES = get_args(Outcome)
_LATEST_SEQUENCE = 1 << 53
"""What every reader of JSON can hold; as milliseconds, far in the future."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What of a map may travel.

    Attributes:
        traces: With the sequences that they have in their map.
        graphs: JSON by digest.
        builders: Digests of the graphs that each test built when it ran.
        compiled: Digests of the graphs that each test was compiled to.
        calls: Pairs of caller and callee.
        baseline: The newest that the map knows.
        outside: Names that libraries know; None where that is not known.
    """

    traces: list[Trace] = field(default_factory=list)
    graphs: Mapping[str, str] = field(default_factory=dict)
    builders: Mapping[str, list[str]] = field(default_factory=dict)
    compiled: Mapping[str, list[str]] = field(default_factory=dict)
    calls: frozenset[tuple[str, str]] = frozenset()
    baseline: Baseline | None = None
    outside: frozenset[str] | None = None


def contents_of(store: Map) -> Contents:
    """Return what of *store* may travel."""
    return Contents(
        traces=[one for of_test in store.traces().values() for one in of_test],
        graphs=store.graphs.all(),
        builders=store.graphs.builders("run"),
        compiled=store.graphs.builders("compiled"),
        calls=frozenset((caller, callee) for callee, callers in store.calls().items() for caller in callers),
        baseline=store.newest_baseline(),
        outside=store.outside_names(),
    )


def merge(store: Map, contents: Contents) -> None:
    """Add *contents* to *store*, within its transaction.

    Merging several in any order, any number of times, gives the same map.
    """
    store.add(contents.traces)
    store.graphs.add(contents.graphs, {"run": contents.builders, "compiled": contents.compiled})
    store.record_calls(contents.calls)
    if contents.baseline is not None:
        store.offer_baseline(contents.baseline)
    if contents.traces:
        store.record_outside_names(contents.outside)
    store.tidy()


def to_document(contents: Contents) -> dict[str, object]:
    """Return *contents* as JSON data, in an order that depends on them alone."""
    facts = sorted(
        {fact for one in {id(trace.facts): trace.facts for trace in contents.traces}.values() for fact in one}
    )
    sets = _SetWriter({fact: number for number, fact in enumerate(facts, start=1)})
    tests: dict[str, list[list[object]]] = {}
    for trace in sorted(contents.traces, key=lambda one: one.test):  # those of one test are in order in their map
        row: list[object] = [sets.number(trace), trace.outcome, trace.duration, trace.sequence]
        tests.setdefault(trace.test, []).append(row)
    units = sorted({unit for pair in contents.calls for unit in pair})
    number_of = {unit: number for number, unit in enumerate(units)}
    baseline = contents.baseline
    return {
        "schema": SCHEMA,
        "facts": [list(fact) for fact in facts],
        "sets": sets.written,
        "tests": tests,
        "graphs": dict(sorted(contents.graphs.items())),
        "builders": dict(sorted(contents.builders.items())),
        "compiled": dict(sorted(contents.compiled.items())),
        "units": units,
        "calls": sorted([number_of[caller], number_of[callee]] for caller, callee in contents.calls),
        "baseline": baseline and {"sequence": baseline.sequence, "digests": dict(sorted(baseline.digests.items()))},
        "outside": None if contents.outside is None else sorted(contents.outside),
    }


def from_document(document: object) -> Contents:
    """Return what *document* holds.

    Raises:
        ValueError: It is no such document, or any part of it is not what it should be; says which.
    """
    document = _table(document, "it")
    if document.get("schema") != SCHEMA:
        raise ValueError(
            f"its schema is {reprlib.repr(document.get('schema'))}, and this version of wiremap reads {SCHEMA!r}"
        )
    _require(
        document.keys() == _KEYS,
        f"it lacks {sorted(_KEYS - document.keys())} or has {reprlib.repr(sorted(document.keys() - _KEYS))}",
    )
    graphs = _graphs(document["graphs"])
    return Contents(
        traces=_traces(document["tests"], _sets(document["sets"], _facts(document["facts"]))),
        graphs=graphs,
        builders=_builders(document["builders"], graphs, "`builders`"),
        compiled=_builders(document["compiled"], graphs, "`compiled`"),
        calls=_calls(document["calls"], document["units"]),
        baseline=_baseline(document["baseline"]),
        outside=_names(document["outside"]),
    )


class _SetWriter:
    """Writes sets of facts as `[number of the base or 0, gaps between numbers of facts]`, numbered from 1."""

    def __init__(self, numbers: Mapping[Fact, int]) -> None:
        self.written: list[list[object]] = []
        self._table = FactTable()
        for fact, number in numbers.items():
            self._table.add_fact(number, fact)
        self._nearest = Nearest()

    def number(self, trace: Trace) -> int:
        """Return the number of the set of *trace*, which is written if it is new."""
        ids = frozenset(map(self._table.ids.__getitem__, trace.facts))
        digest = self._table.digest(ids)
        known = self._table.set_with(digest)
        if known is not None:
            return known
        base, difference = self._nearest.difference(ids)
        numbers = sorted(difference)
        self.written.append([base or 0, list(map(sub, numbers, [0, *numbers]))])
        whole = None if base is None else self._table.sets[base]
        stored = StoredFacts(self._table, len(self.written), whole, array("Q", numbers), digest)
        self._table.add_set(stored)
        self._nearest.offer(whole or stored)
        return stored.key


def _require(is_so: bool, otherwise: str) -> None:  # noqa: FBT001 - reads as a sentence
    if not is_so:
        raise ValueError(otherwise)


def _text(value: object, what: str) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError(f"{what} is {reprlib.repr(value)} instead of a text")
    return value


def _number(value: object, what: str, *, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{what} is {reprlib.repr(value)} instead of a number from {least} to {most}")
    return value


def _list(value: object, what: str, *, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or length not in (None, len(value)):
        raise ValueError(
            f"{what} is {reprlib.repr(value)} instead of a list{'' if length is None else f' of {length}'}"
        )
    return value


def _table(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is {reprlib.repr(value)} instead of a table")  # noqa: TRY004 - data is wrong, not code
    for key in value:
        _text(key, f"a key of {what}")
    return value


def _facts(value: object) -> FactTable:
    table = FactTable()
    facts = [
        Fact(*(_text(part, "a part of a fact") for part in _list(one, "a fact", length=3)))
        for one in _list(value, "`facts`")
    ]
    _require(all(before < after for before, after in pairwise(facts)), "its facts are not in order")
    for number, fact in enumerate(facts, start=1):
        _require(_is_inside(fact.path), f"the path {fact.path!r:.60} leads out of the project")
        table.add_fact(number, fact)
    return table


def _is_inside(path: str | None) -> bool:
    """Tell whether *path* is relative: to a project, wherever that lies."""
    return path is None or not (path.startswith(("/", "\\")) or path[1:2] == ":")


def _sets(value: object, table: FactTable) -> FactTable:
    for number, one in enumerate(_list(value, "`sets`"), start=1):
        base, gaps = _list(one, "a set", length=2)
        whole = table.sets.get(_number(base, "the base of a set", least=0, most=number - 1))
        _require(not base or (whole is not None and whole.base is None), "the base of a set has a base itself")
        numbers = array(
            "Q", accumulate(_number(gap, "a gap", least=1, most=len(table.facts)) for gap in _list(gaps, "gaps"))
        )
        _require(not numbers or numbers[-1] <= len(table.facts), "a set holds facts that are not there")
        digest = table.digest(numbers) ^ (whole.digest if whole else 0)
        table.add_set(StoredFacts(table, number, whole, numbers, digest))
    return table


def _traces(value: object, table: FactTable) -> list[Trace]:
    return [
        _trace(test, _list(row, f"a trace of {reprlib.repr(test)}", length=4), table)
        for test, rows in _table(value, "`tests`").items()
        for row in _list(rows, f"the traces of {reprlib.repr(test)}")
    ]


def _trace(test: str, row: list[Any], table: FactTable) -> Trace:
    set_id, outcome, duration, sequence = row
    _number(set_id, "the number of a set", least=1, most=len(table.sets))
    _require(outcome in _OUTCOMES, f"an outcome is {reprlib.repr(outcome)}")
    is_duration = isinstance(duration, int | float) and not isinstance(duration, bool) and 0 <= duration < math.inf
    _require(is_duration, f"a duration is {reprlib.repr(duration)}")
    _number(sequence, "a sequence", least=0, most=_LATEST_SEQUENCE)
    return Trace(test, table.sets[set_id], outcome, float(duration), sequence)


def _graphs(value: object) -> dict[str, str]:
    graphs = _table(value, "`graphs`")
    for digest, text in graphs.items():
        try:
            found = Graph.from_json(_text(text, "a graph")).digest
        except GraphFormatError as error:
            raise ValueError(str(error)) from error
        _require(found == digest, f"a graph is not the one with the digest {reprlib.repr(digest)}")
    return graphs


def _builders(value: object, graphs: Mapping[str, str], what: str) -> dict[str, list[str]]:
    builders = _table(value, what)
    for test, digests in builders.items():
        known = all(
            isinstance(one, str) and one in graphs for one in _list(digests, f"the graphs of {reprlib.repr(test)}")
        )
        _require(known, f"a graph of {reprlib.repr(test)} is not there")
    return builders


def _calls(value: object, units: object) -> frozenset[tuple[str, str]]:
    names = [_text(one, "a unit") for one in _list(units, "`units`")]
    pairs = [_list(pair, "a call", length=2) for pair in _list(value, "`calls`")]
    last = len(names) - 1
    return frozenset(
        (names[_number(caller, "a caller", least=0, most=last)], names[_number(callee, "a callee", least=0, most=last)])
        for caller, callee in pairs
    )


def _names(value: object) -> frozenset[str] | None:
    if value is None:
        return None
    names = frozenset(_text(one, "a name") for one in _list(value, "`outside`"))
    _require(all(map(str.isidentifier, names)), "a name in `outside` is none")
    return names


def _baseline(value: object) -> Baseline | None:
    if value is None:
        return None
    baseline = _table(value, "`baseline`")
    _require(baseline.keys() == {"sequence", "digests"}, "`baseline` has other keys than it should")
    digests = _table(baseline["digests"], "the digests of `baseline`")
    for path, digest in digests.items():
        _text(digest, "a digest")
        _require(_is_inside(path), f"the path {reprlib.repr(path)} leads out of the project")
    return Baseline(_number(baseline["sequence"], "a sequence", least=0, most=_LATEST_SEQUENCE), digests)
