import json

from wiremap.selection.changes import Change
from wiremap.selection.components import ComponentIndex
from wiremap.selection.report import Report
from wiremap.selection.verdicts import Reason, Verdict


def report(*verdicts: Verdict, changes: tuple[Change, ...] = ()) -> Report:
    return Report(changes, verdicts, gone=("old",), notes=("a note",), components=ComponentIndex([]))


RUNS = Verdict("b", (Reason("changed", "it rests on m.py::f, which changed", "m.py::f"),))


def test_run_and_skip_hold_every_verdict_once() -> None:
    found = report(Verdict("c"), RUNS, Verdict("a"))

    assert [verdict.test for verdict in found.run] == ["b"]
    assert found.skip == ["c", "a"]


def test_the_kind_is_the_widest_of_the_changes() -> None:
    changes = (Change("m.py", "", "cosmetic", ""), Change("n.py", "", "topology", ""))

    assert report(changes=changes).kind == "topology"
    assert report().kind == "none"


def test_the_document_is_sorted_and_plain() -> None:
    new = Verdict("z", (Reason("new", "it has no recorded run"),))
    found = report(Verdict("c", (), ("m.py::wire",)), new, RUNS, Verdict("a", (), ("m.py::wire",)))

    document = found.as_document()

    assert json.loads(json.dumps(document)) == {
        "schema": "wiremap.verdict/1",
        "kind": "none",
        "changes": [],
        "cut_off": [{"unit": "m.py::wire", "tests": ["a", "c"]}],
        "run": [
            {
                "test": "b",
                "reasons": [{"rule": "changed", "detail": "it rests on m.py::f, which changed", "unit": "m.py::f"}],
            },
            {"test": "z", "reasons": [{"rule": "new", "detail": "it has no recorded run", "unit": None}]},
        ],
        "skip": ["a", "c"],
        "gone": ["old"],
        "notes": ["a note"],
    }


def test_a_change_names_its_file_unit_component_kind_and_line() -> None:
    document = report(changes=(Change("m.py", "m.py::f", "local", "function body changed", 3),)).as_document()

    assert document["changes"] == [
        {
            "file": "m.py",
            "unit": "m.py::f",
            "component": None,
            "kind": "local",
            "detail": "function body changed",
            "line": 3,
        }
    ]
