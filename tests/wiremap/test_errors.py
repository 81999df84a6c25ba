"""Errors as a whole: their codes, their manual, and that they survive a process boundary."""

import ast
import inspect
import pickle
import re
from collections import Counter
from pathlib import Path

import pytest

import wiremap.errors
from wiremap import WiremapError, WiringError, WiringWarning
from wiremap.errors import BindingSite, TwoProvidersError, UnknownComponentError

_Told = WiremapError | WiringWarning
MANUAL = Path(__file__).parents[2] / "docs" / "errors.md"


@pytest.fixture(scope="module")
def errors() -> list[type[_Told]]:
    return sorted(
        (
            cls
            for cls in vars(wiremap.errors).values()
            if isinstance(cls, type) and issubclass(cls, _Told) and cls not in (WiremapError, WiringWarning)
        ),
        key=lambda cls: cls.code,
    )


def test_every_error_is_defined_in_one_place(errors: list[type[_Told]]) -> None:
    """Modules are read, not imported: some refuse to run on some interpreters."""
    names = {"WiremapError", "WiringWarning", *(cls.__name__ for cls in errors)}
    elsewhere = [
        f"{path}: {node.name}"
        for path in Path(wiremap.__path__[0]).rglob("*.py")
        if path.name != "errors.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and names & {ast.unparse(base).split(".")[-1] for base in node.bases}
    ]

    assert elsewhere == []


def test_every_error_has_a_code_of_its_own(errors: list[type[_Told]]) -> None:
    codes = Counter(cls.code for cls in errors)

    assert [code for code, count in codes.items() if count > 1] == []
    assert [code for code in codes if not re.fullmatch(r"[a-z]+(-[a-z]+)*", code)] == []
    assert [cls.__name__ for cls in errors if "code" not in vars(cls)] == []


def test_the_manual_has_exactly_the_codes_of_the_source(errors: list[type[_Told]]) -> None:
    entries = re.findall(r"^### `([a-z-]+)`$", MANUAL.read_text(encoding="utf-8"), re.MULTILINE)

    assert sorted(entries) == [cls.code for cls in errors]


def test_every_entry_of_the_manual_shows_its_cause_cure_and_message() -> None:
    entries = re.split(r"^### ", MANUAL.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]

    for entry in entries:
        code = entry.partition("`\n")[0].strip("`")
        assert "**Cause.**" in entry, code
        assert "**Cure.**" in entry, code
        assert f"[{code}]" in entry, code


def _example(cls: type[_Told]) -> _Told:
    """Make an error with a plausible value for every parameter, by the parameter's annotation."""
    values: list[object] = []
    parameters = inspect.signature(cls).parameters if inspect.isfunction(cls.__init__) else {}
    for parameter in parameters.values():
        text = str(parameter.annotation)
        number = re.fullmatch(r"<class '(int|float)'>|int|float", text)
        site = BindingSite("a", "x", "b", "f.py:1")
        if "BindingSite" in text:
            values.append([site, site] if "Iterable" in text else site)
        elif text.startswith("tuple[str, str"):
            values.append(("a", "x", "f.py:1")[: text.count("str")])
        elif "tuple[str, str]" in text:
            values.append([("a", "f.py:1"), ("b", "f.py:2")])
        elif "WiremapError" in text:
            values.append([UnknownComponentError("a", ["b"])])
        elif "Iterable" in text or "Sequence" in text or "tuple" in text:
            values.append(["one", "two"])
        else:
            values.append(3 if number else "text")
    return cls(*values)


def test_every_error_survives_pickling_with_its_text(errors: list[type[_Told]]) -> None:
    for cls in errors:
        error = _example(cls)

        again = pickle.loads(pickle.dumps(error))  # noqa: S301 -- our own bytes

        assert type(again) is cls
        assert str(again) == str(error)
        assert str(error).endswith(f"[{cls.code}]")


def test_the_faults_of_a_wiring_can_be_taken_apart() -> None:
    faults = [TwoProvidersError([BindingSite("P", "x", "C", "f.py:1")]), UnknownComponentError("a", [])]

    error = pickle.loads(pickle.dumps(WiringError(faults)))  # noqa: S301 -- our own bytes

    assert [fault.code for fault in error.faults] == ["two-providers", "unknown-component"]
