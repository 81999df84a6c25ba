import ast
from textwrap import dedent

import pytest

from wiremap.checks.source_classes import ClassName, SourceCode, SourceFile


def code(**modules: str) -> SourceCode:
    """Return the source of modules; in a name `__` stands for a dot, and `__init__` at its end for a package."""
    files = []
    for name, text in modules.items():
        path = name.removesuffix("__init__").replace("__", "/") + (
            "/__init__.py" if name.endswith("__init__") else ".py"
        )
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        files.append(SourceFile(module, path, dedent(text).encode()))
    return SourceCode(files)


def meaning(text: str, source: SourceCode, module: str = "user") -> ClassName | None:
    return source.meaning(ast.parse(text, mode="eval").body, module)


def test_classes_are_found_also_below_conditions_and_in_classes() -> None:
    found = code(
        parts="""\
            class A:
                class Inner: ...
            if True:
                class B: ...
            else:
                class C: ...
            try:
                class D: ...
            except ImportError:
                pass
            def f():
                class Local: ...
            """
    )

    assert [name.name for name in found.classes] == ["A", "A.Inner", "B", "C", "D"]


@pytest.mark.parametrize(
    ("imported", "text"),
    [
        ("from parts import A", "A"),
        ("from parts import A as B", "B"),
        ("import parts", "parts.A"),
        ("import parts as p", "p.A"),
        ("from parts import A", "'A'"),
        ("from parts import A", "A | None"),
        ("from parts import A", "None | A"),
        ("from parts import A\nfrom typing import Optional", "Optional[A]"),
        ("from parts import A\nfrom typing import Annotated", "Annotated[A, 1]"),
        ("from parts import A", "A[int]"),
        ("def f():\n    from parts import A", "A"),
    ],
)
def test_a_name_means_what_is_imported(imported: str, text: str) -> None:
    assert meaning(text, code(parts="class A: ...", user=imported)) == ("parts", "A")


def test_what_a_package_hands_on_is_followed() -> None:
    source = code(pkg__init__="from .parts import A", pkg__parts="class A: ...", user="from pkg import A")

    assert meaning("A", source) == ("pkg.parts", "A")


def test_a_name_that_goes_round_in_circles_means_something_and_ends() -> None:
    source = code(one="from two import A", two="from one import A", user="from one import A")

    assert meaning("A", source) is not None


@pytest.mark.parametrize("text", ["unknown", "f()", "'not a ('", "3", "x[0]"])
def test_what_is_not_known_means_nothing(text: str) -> None:
    assert meaning(text, code(user="")) is None


def test_ancestors_are_followed_over_modules() -> None:
    source = code(parts="class A: ...", user="from parts import A\nclass B(A): ...\nclass C(B): ...")

    assert {name.name for name in source.ancestors(ClassName("user", "C"))} == {"A", "B", "C"}


def test_a_class_that_derives_from_itself_ends() -> None:
    source = code(user="class A(B): ...\nclass B(A): ...")

    assert ClassName("user", "B") in source.ancestors(ClassName("user", "A"))


def test_a_file_that_does_not_parse_is_told() -> None:
    source = code(user="class A(:")

    assert list(source.unread) == ["user.py"]
    assert source.classes == {}
