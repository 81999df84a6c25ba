import ast
from itertools import islice

import pytest

from bench.mutation.mutants import mutants

CODE = b'''\
"""A module."""

import json
from os import path, sep

LIMIT = 3


class Base:
    colour = "red"

    def paint(self):
        return self.colour


class Child(Base):
    """A class."""


@staticmethod
def grow(by=1):
    """Grow."""
    if by:
        by += 1
    return by
'''


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("body", "    return None\n"),
        ("body", "    if (not (by)):\n"),
        ("body", "    if by:\n        pass\n"),
        ("constant", "LIMIT = 4\n"),
        ("class attribute", "class Base:\n    pass\n"),
        ("class attribute", "    colour = 'redx'\n"),
        ("default", "def grow(by=2):\n"),
        ("deleted function", '    """A class."""\n\n\npass\n'),
        ("deleted function", 'colour = "red"\n\n    pass\n'),
        ("override", '    """A class."""\n\n    def paint(self, *args, **kwargs):\n        return None\n'),
        ("decorator", '    """A class."""\n\n\n\ndef grow('),
        ("import", "\npass\nfrom os import path, sep\n"),
        ("import", "\nfrom os import sep\n"),
    ],
)
def test_each_kind_changes_one_place_and_leaves_the_rest(kind: str, changed: str) -> None:
    assert any(changed in content for content in _contents("app.py", CODE, kind))


@pytest.mark.parametrize("changed", [b"", b"one\n", b"two 2\n", b"ony\n".replace(b"y", b"7") + b"two 2\n", None])
def test_a_data_file_is_removed_or_emptied_or_loses_a_line_or_a_character(changed: bytes | None) -> None:
    made = {mutant.content for mutant in mutants({"data.txt": b"one\ntwo 2\n"})}

    assert changed in made


def test_every_mutant_of_python_compiles_and_differs_by_more_than_layout() -> None:
    for mutant in mutants({"app.py": CODE}):
        assert mutant.content is not None
        assert ast.dump(ast.parse(mutant.content)) != ast.dump(ast.parse(CODE))


def test_names_tell_the_mutants_of_a_project_apart() -> None:
    names = [mutant.name for mutant in mutants({"app.py": CODE, "data.txt": b"one\n"})]

    assert len(names) == len(set(names))


def test_a_text_that_does_not_change_by_a_mutation_gives_no_mutant() -> None:
    assert not [mutant for mutant in mutants({"data.txt": b""}) if mutant.content == b""]


def test_one_seed_gives_the_same_mutants_in_the_same_order() -> None:
    files = {"app.py": CODE, "data.txt": b"one\ntwo\nthree\nfour\n"}

    assert list(mutants(files, seed=1)) == list(mutants(files, seed=1))
    assert list(mutants(files, seed=1)) != list(mutants(files, seed=2))


def test_the_first_mutants_are_one_of_each_kind() -> None:
    first = [mutant.kind for mutant in islice(mutants({"app.py": CODE, "data.txt": b"one\n"}), 9)]

    assert len(set(first)) == 9


def test_files_of_tests_are_not_changed() -> None:
    assert not list(mutants({"tests/test_app.py": CODE, "app_test.py": CODE}))


def test_docstrings_are_not_changed() -> None:
    assert all('"""Grow."""' in content or "def grow" not in content for content in _contents("app.py", CODE, "body"))


def _contents(file: str, content: bytes, kind: str) -> list[str]:
    return [
        mutant.content.decode()
        for mutant in mutants({file: content})
        if mutant.kind == kind and mutant.content is not None
    ]
