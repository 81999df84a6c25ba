import ast
from textwrap import dedent

from wiremap.inference.import_closure import ImportClosure


def files(start: str, sources: dict[str, str]) -> list[str]:
    closure = ImportClosure({path: ast.parse(dedent(text)) for path, text in sources.items()})
    return sorted(closure.files([start]) - {start})


def test_imports_are_followed_with_the_packages_that_they_run_first() -> None:
    sources = {
        "src/shop/__init__.py": "",
        "src/shop/cart.py": "from shop.money import rounded",
        "src/shop/money.py": "",
        "src/shop/other.py": "",
        "tests/test_cart.py": "import shop.cart",
    }

    assert files("tests/test_cart.py", sources) == ["src/shop/__init__.py", "src/shop/cart.py", "src/shop/money.py"]


def test_a_name_from_a_package_may_be_a_module() -> None:
    sources = {"shop/__init__.py": "", "shop/cart.py": "", "t.py": "from shop import cart, nothing"}

    assert files("t.py", sources) == ["shop/__init__.py", "shop/cart.py"]


def test_relative_imports_lead_within_the_package() -> None:
    sources = {
        "a/__init__.py": "from . import x",
        "a/x.py": "from .b import y",
        "a/b/__init__.py": "from ..z import *",
        "a/b/y.py": "",
        "a/z.py": "",
        "t.py": "import a",
    }

    assert files("t.py", sources) == ["a/__init__.py", "a/b/__init__.py", "a/b/y.py", "a/x.py", "a/z.py"]


def test_imports_in_functions_count_and_those_for_type_checkers_do_not() -> None:
    sources = {
        "a.py": "",
        "b.py": "",
        "c.py": "",
        "t.py": """\
            from typing import TYPE_CHECKING
            if TYPE_CHECKING:
                import b
            else:
                import c
            def f():
                import a
            """,
    }

    assert files("t.py", sources) == ["a.py", "c.py"]


def test_a_module_of_the_standard_library_is_none_of_the_project() -> None:
    sources = {"pack/__init__.py": "", "pack/json.py": "", "tests/test_a.py": "import json"}

    assert files("tests/test_a.py", sources) == []


def test_modules_that_import_each_other_are_followed_once() -> None:
    assert files("a.py", {"a.py": "import b", "b.py": "import a"}) == ["b.py"]
