import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiremap.source.modules import ModuleIndex, absolute_name, dotted_name, with_parents

PATHS = ("src/shop/__init__.py", "src/shop/money.py", "tools/money.py", "money/__init__.py", "top.py")


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("shop", ("src/shop/__init__.py",)),
        ("shop.money", ("src/shop/money.py",)),
        ("src.shop.money", ("src/shop/money.py",)),
        ("money", ("money/__init__.py", "src/shop/money.py", "tools/money.py")),
        ("top", ("top.py",)),
        ("op", ()),
        ("missing", ()),
    ],
)
def test_a_name_means_every_file_that_ends_in_it(name: str, paths: tuple[str, ...]) -> None:
    assert ModuleIndex(PATHS).candidates(name) == paths


def test_the_order_of_the_files_does_not_matter() -> None:
    assert ModuleIndex(reversed(PATHS)).candidates("money") == ModuleIndex(PATHS).candidates("money")


def test_an_init_file_at_the_root_answers_to_no_name() -> None:
    index = ModuleIndex(["__init__.py"])

    assert index.candidates("") == ()


parts = st.lists(st.sampled_from("abc"), min_size=1, max_size=4)


@given(st.lists(parts, max_size=6), parts)
def test_every_file_is_found_by_every_ending_of_its_name(paths: list[list[str]], wanted: list[str]) -> None:
    path = "/".join(wanted) + ".py"
    index = ModuleIndex({path, *("/".join(one) + ".py" for one in paths)})

    for start in range(len(wanted)):
        assert path in index.candidates(".".join(wanted[start:]))


def test_a_package_is_named_by_its_folder() -> None:
    assert dotted_name("src/shop/__init__.py") == "src.shop"
    assert dotted_name("src/shop/money.py") == "src.shop.money"


@pytest.mark.parametrize(
    ("name", "importer", "absolute"),
    [
        ("a.b", "src/shop/cart.py", "a.b"),
        (".", "src/shop/cart.py", "src.shop"),
        (".money", "src/shop/cart.py", "src.shop.money"),
        ("..tax.rate", "src/shop/cart.py", "src.tax.rate"),
        (".money", "src/shop/__init__.py", "src.shop.money"),
        (".money", "cart.py", "money"),
    ],
)
def test_leading_dots_count_from_the_importer(name: str, importer: str, absolute: str) -> None:
    assert absolute_name(name, importer) == absolute


def test_an_import_runs_the_packages_around_it() -> None:
    assert with_parents("a.b.c") == ["a", "a.b", "a.b.c"]
