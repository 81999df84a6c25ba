import ast
import sys
from collections.abc import Iterator
from textwrap import dedent
from types import CodeType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wiremap.source.programs import programs, with_one_token_changed, with_other_layout
from wiremap.source.units import MODULE_UNIT, SourceUnits, Unit, parse_units, unit_of_qualname


def parse(text: str) -> SourceUnits:
    return parse_units(dedent(text).encode())


def fingerprints(source: SourceUnits) -> dict[str, str]:
    return {name: unit.fingerprint for name, unit in source.units.items()}


def only_function(text: str) -> Unit:
    (unit,) = [unit for name, unit in parse(text).units.items() if name != MODULE_UNIT]
    return unit


# Which units there are.


def test_functions_and_methods_are_units_and_the_rest_is_the_module() -> None:
    source = parse(
        """
        LIMIT = 3

        def top(): ...

        class Outer:
            def method(self): ...

            class Inner:
                async def deep(self): ...
        """
    )

    assert set(source.units) == {MODULE_UNIT, "top", "Outer.method", "Outer.Inner.deep"}


@pytest.mark.parametrize(
    "block",
    [
        "if x:\n    def f(): ...",
        "if x: ...\nelse:\n    def f(): ...",
        "try:\n    def f(): ...\nfinally: ...",
        "try: ...\nexcept E:\n    def f(): ...",
        "try: ...\nexcept* E:\n    def f(): ...",
        "try: ...\nfinally:\n    def f(): ...",
        "with x:\n    def f(): ...",
        "for x in y:\n    def f(): ...",
        "while x:\n    def f(): ...",
        "match x:\n    case 1:\n        def f(): ...",
    ],
)
def test_a_function_below_a_compound_statement_is_a_unit(block: str) -> None:
    assert "f" in parse(block).units


def test_a_nested_function_belongs_to_the_function_around_it() -> None:
    before = parse("def outer():\n    def inner(): return 1\n    return inner\n")
    after = parse("def outer():\n    def inner(): return 2\n    return inner\n")

    assert set(before.units) == {MODULE_UNIT, "outer"}
    assert before.units["outer"].fingerprint != after.units["outer"].fingerprint


def test_a_getter_and_its_setter_are_one_unit() -> None:
    template = """
        class C:
            @property
            def size(self): return self._size

            @size.setter
            def size(self, value): self._size = {value}
        """

    before, after = parse(template.format(value="value")), parse(template.format(value="int(value)"))

    assert before.units["C.size"].fingerprint != after.units["C.size"].fingerprint


def test_a_unit_begins_at_its_first_decorator() -> None:
    unit = only_function("\n@first\n@second\ndef f(): ...\n")

    assert unit.line == 2


# What a fingerprint notices.


@given(st.data())
def test_layout_and_comments_change_no_fingerprint(data: st.DataObject) -> None:
    program = data.draw(programs())

    other = data.draw(with_other_layout(program))

    assert fingerprints(parse_units(other.encode())) == fingerprints(parse_units(program.encode()))


@given(st.data())
def test_a_changed_token_changes_the_unit_that_holds_it_and_no_other_function(data: st.DataObject) -> None:
    program = data.draw(programs())
    changed, line = data.draw(with_one_token_changed(program))

    before, after = fingerprints(parse_units(program.encode())), fingerprints(parse_units(changed.encode()))
    differing = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}

    holders = {name for name, lines in _spans(program) if line in lines} & before.keys()
    assert differing
    assert holders <= differing
    assert {_original(name) for name in differing} - _renamed_class(program, line) <= {*holders, MODULE_UNIT}


@given(programs(), st.integers(1, 3))
def test_moving_everything_down_moves_lines_and_changes_no_fingerprint(program: str, shift: int) -> None:
    before = parse_units(program.encode())

    after = parse_units(b"\n" * shift + program.encode())

    assert fingerprints(after) == fingerprints(before)
    for name, unit in before.units.items():
        assert after.units[name].line == unit.line + (0 if name == MODULE_UNIT else shift)


@pytest.mark.parametrize(
    "after", ["def f(a, b=2): return a", "def f(a, *, b=1): return a", "def f(a, b: int = 1): return a"]
)
def test_a_changed_parameter_changes_the_signature(after: str) -> None:
    before = only_function("def f(a, b=1): return a")

    assert only_function(after).signature != before.signature


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters came with Python 3.12")
def test_a_changed_type_parameter_changes_the_signature() -> None:
    assert only_function("def f[T: int](a: T): ...").signature != only_function("def f[T: str](a: T): ...").signature


def test_a_changed_body_keeps_the_signature() -> None:
    assert only_function("def f(a): return a").signature == only_function("def f(a): return a + 1").signature


def test_defaults_and_decorators_run_at_import_and_count_for_the_module_too() -> None:
    before = parse("@register(1)\ndef f(a=1): ...")
    other_decorator, other_default = parse("@register(2)\ndef f(a=1): ..."), parse("@register(1)\ndef f(a=2): ...")

    assert before.units[MODULE_UNIT].fingerprint != other_decorator.units[MODULE_UNIT].fingerprint
    assert before.units[MODULE_UNIT].fingerprint != other_default.units[MODULE_UNIT].fingerprint


def test_a_function_body_does_not_count_for_the_module() -> None:
    before, after = parse("def f(): return 1"), parse("def f(): return 2")

    assert before.units[MODULE_UNIT] == after.units[MODULE_UNIT]


def test_the_order_of_two_definitions_of_one_name_counts() -> None:
    before, after = parse("def f(): return 1\ndef f(): return 2"), parse("def f(): return 2\ndef f(): return 1")

    assert before.units["f"].fingerprint != after.units["f"].fingerprint


def test_where_a_function_stands_is_not_in_its_fingerprint() -> None:
    assert only_function("def f(): return 1").fingerprint == only_function("\n\ndef f(): return 1").fingerprint


# Text that is no Python, or hardly.


@given(st.binary(max_size=200))
def test_any_bytes_give_units(text: bytes) -> None:
    source = parse_units(text)

    assert MODULE_UNIT in source.units


@given(st.text(max_size=80), st.sampled_from(("utf-8", "latin-1", "utf-16", "rot13", "nonsense")))
def test_any_encoding_cookie_gives_units(text: str, cookie: str) -> None:
    source = parse_units(f"# coding: {cookie}\n{text}\n".encode())

    assert MODULE_UNIT in source.units


def test_text_that_does_not_parse_is_one_opaque_unit_with_the_fault() -> None:
    source = parse_units(b"def f(:\n")

    assert set(source.units) == {MODULE_UNIT}
    assert source.fault
    assert source.units[MODULE_UNIT].fingerprint != parse_units(b"def f(:\n\n").units[MODULE_UNIT].fingerprint


@pytest.mark.parametrize("text", ["(" * 5000 + ")" * 5000, "-" * 100_000 + "1", "x" + ".a" * 20_000])
def test_source_that_is_nested_too_deeply_is_opaque(text: str) -> None:
    source = parse_units(text.encode())

    assert source.fault
    assert set(source.units) == {MODULE_UNIT}


def test_the_encoding_cookie_counts() -> None:
    source = parse_units("# coding: latin-1\nCITY = 'Zürich'\n".encode("latin-1"))

    assert source.fault is None
    assert source.units[MODULE_UNIT].fingerprint == parse("CITY = 'Zürich'\n").units[MODULE_UNIT].fingerprint


def test_a_lone_surrogate_in_a_string_is_fine() -> None:
    assert parse(r"x = '\ud800'").fault is None


def test_a_warning_about_the_source_is_no_fault() -> None:
    """Warnings are errors here, as in many a project."""
    assert parse(r"x = '\d'").fault is None


# What a unit may import.


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("import a.b", {"a.b"}),
        ("import a as x, b", {"a", "b"}),
        ("from a import b, c", {"a", "a.b", "a.c"}),
        ("from . import b", {".", ".b"}),
        ("from ..a import b", {"..a", "..a.b"}),
        ("import_module('store.mem')", {"store.mem"}),
        ("load('store.mem:Store')", {"store.mem"}),
        ("say('a word.')", set()),
        ("say('plain')", set()),
    ],
)
def test_imports_are_statements_and_strings_that_may_name_a_module(statement: str, names: set[str]) -> None:
    assert only_function(f"def f():\n    {statement}\n").imports == names
    assert parse(statement).units[MODULE_UNIT].imports == names


def test_what_a_function_imports_is_not_imported_by_the_module() -> None:
    assert parse("def f():\n    import a\n").units[MODULE_UNIT].imports == frozenset()


def test_names_are_identifiers_and_attributes() -> None:
    assert only_function("def f(a): return a.b(c)").names == {"a", "b", "c"}


# What may be carried from one call to the next; more of it in `test_lasting_state.py`.


@pytest.mark.parametrize(
    ("decorator", "memory"),
    [
        ("lru_cache", "certain"),
        ("functools.cache", "certain"),
        ("lru_cache(maxsize=None)", "certain"),
        ("functools.cached_property", "certain"),
        ("their_own", "possible"),
        ("property", ""),
        ("abc.abstractmethod", ""),
        ("pytest.fixture(scope='session')", ""),
        ("pytest.mark.slow", ""),
    ],
)
def test_a_decorator_may_remember_unless_it_is_known_not_to(decorator: str, memory: str) -> None:
    assert only_function(f"@{decorator}\ndef f(): ...").memory == memory


def test_a_function_that_is_handed_to_a_cache_remembers() -> None:
    assert (
        only_function("import functools\ndef f(): ...\nget = functools.lru_cache(maxsize=9)(f)\n").memory == "certain"
    )


# Units and code objects.


@given(programs())
def test_code_inside_a_function_belongs_to_its_unit(program: str) -> None:
    source = parse_units(program.encode())
    bodies = [(name, lines) for name, lines in _bodies(program)]

    for code in _code_objects(compile(program, "program.py", "exec")):
        inside = [name for name, lines in bodies if code.co_firstlineno in lines]
        if inside:
            assert unit_of_qualname(code.co_qualname) == inside[0]
            assert inside[0] in source.units


@given(programs())
def test_code_outside_of_functions_is_the_module_a_class_body_or_a_function_itself(program: str) -> None:
    units = parse_units(program.encode()).units

    for code in _code_objects(compile(program, "program.py", "exec")):
        unit = unit_of_qualname(code.co_qualname)
        assert unit in units or any(name.startswith(f"{unit}.") for name in units)


@pytest.mark.parametrize(
    ("qualname", "unit"),
    [
        ("<module>", MODULE_UNIT),
        ("f", "f"),
        ("C.m", "C.m"),
        ("f.<locals>.g", "f"),
        ("C.m.<locals>.<lambda>", "C.m"),
        ("<lambda>", MODULE_UNIT),
        ("C.<lambda>", MODULE_UNIT),
        ("<listcomp>", MODULE_UNIT),
    ],
)
def test_a_qualified_name_leads_to_its_unit(qualname: str, unit: str) -> None:
    assert unit_of_qualname(qualname) == unit


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters came with Python 3.12")
def test_generic_functions_and_classes_are_units_like_others() -> None:
    program = "def f[T](x: T) -> T:\n    return x\nclass C[T]:\n    def m(self):\n        return 1\n"
    units = parse(program).units

    found = {unit_of_qualname(code.co_qualname) for code in _code_objects(compile(program, "p.py", "exec"))}

    assert {"f", "C.m"} <= found
    assert found <= {*units, "C"}


def _code_objects(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_objects(constant)


def _bodies(program: str) -> Iterator[tuple[str, range]]:
    """Yield the lines of the body of each outermost function, by its qualified name."""
    for name, node in _outermost(ast.parse(program).body, ""):
        yield name, range(node.body[0].lineno, (node.end_lineno or 0) + 1)


def _spans(program: str) -> Iterator[tuple[str, range]]:
    for name, node in _outermost(ast.parse(program).body, ""):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        yield name, range(first, (node.end_lineno or 0) + 1)


def _outermost(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _outermost(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If):
            yield from _outermost(node.body, prefix)


def _original(name: str) -> str:
    """Undo the renaming of a function or class by `with_one_token_changed`."""
    return name.replace("_changed", "")


def _renamed_class(program: str, line: int) -> set[str]:
    """Return the units of the class whose head stands on *line*: renaming the class renames them all."""
    for node in ast.parse(program).body:
        if isinstance(node, ast.ClassDef) and node.lineno == line:
            return {name for name, _ in _outermost([node], "")}
    return set()


def test_what_the_compiler_alone_refuses_is_one_unit_with_the_reason() -> None:
    source = parse("def f():\n    break\n")

    assert set(source.units) == {MODULE_UNIT}
    assert "outside loop" in (source.fault or "")


def test_what_the_compiler_warns_of_is_told_when_the_module_is_imported() -> None:
    silent, told = parse("def f(x): return x is None"), parse("def f(x): return x is 0")

    assert silent.units[MODULE_UNIT].fingerprint != told.units[MODULE_UNIT].fingerprint
    assert silent.top is not None
    assert told.top is not None
    assert silent.top.effects != told.top.effects
