"""Module-level names end to end: who may read a name that changed runs, and who can't does not.

The cases are in `names/`, each a small project of `app.py`, `test_app.py` and perhaps more, and what changes in it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.wiremap.test_safety import answer_after

_FOLDER = Path(__file__).with_name("names")


@dataclass
class Case:
    """A project and a change.

    Attributes:
        title: What it shows.
        before: The files, by path.
        after: Those that change, as they are then.
    """

    title: str
    before: dict[str, str] = field(default_factory=dict)
    after: dict[str, str] = field(default_factory=dict)

    def runs(self, root: Path) -> set[str]:
        """Return the names of the test functions that run after the change."""
        return {test.rpartition("::")[2].partition("[")[0] for test in answer_after(root, self.before, self.after).run}


def cases(name: str) -> Iterator[Case]:
    """Read the cases of a file: `=== title`, then `--- path` with a text, and `+++ path` with what it becomes."""
    _, *parts = (_FOLDER / name).read_text(encoding="utf-8").split("\n=== ")
    for part in parts:
        title, _, text = part.partition("\n")
        case = Case(title)
        for line in text.splitlines():
            if line.startswith(("--- ", "+++ ")):
                files, path = (case.before if line[0] == "-" else case.after), line[4:]
                files[path] = ""
            elif line:
                files[path] += f"{line}\n"
        yield case


@pytest.mark.parametrize("case", list(cases("unread.txt")), ids=lambda case: case.title)
def test_what_nobody_reads_runs_nothing(case: Case, tmp_path: Path) -> None:
    assert case.runs(tmp_path) == set()


@pytest.mark.parametrize("case", list(cases("read.txt")), ids=lambda case: case.title)
def test_who_may_read_it_runs(case: Case, tmp_path: Path) -> None:
    assert case.runs(tmp_path) == {"test_it"}


def test_who_unpickles_reads_the_modules_as_wholes_and_nobody_else_does(tmp_path: Path) -> None:
    tests = """
import copy, pickle, app
def test_unpickles(): assert pickle.loads(pickle.dumps(app.C()))
def test_plain(): assert app.C()
"""
    case = Case("", {"app.py": "class C: ...\n", "test_app.py": tests}, {"app.py": "class C: ...\ndef f(): ...\n"})

    assert case.runs(tmp_path) == {"test_unpickles"}
