import collections
import json.encoder
from pathlib import Path

from tests.wiremap.registry import parts
from wiremap.registry.origin import Origin, origin_of


class Twice:  # the first of two classes of one name
    def first(self) -> None: ...


First = Twice


class Twice:  # type: ignore[no-redef] # the second
    def second(self) -> None: ...


def test_a_class_is_found_below_its_import_root() -> None:
    assert origin_of(parts.Blocks) == Origin("tests/wiremap/registry/parts.py", 8)
    assert origin_of(json.encoder.JSONEncoder).source_path == "json/encoder.py"


def test_a_class_in_the_file_of_a_package_is_found() -> None:
    assert origin_of(collections.Counter).source_path == "collections/__init__.py"


def test_a_nested_class_is_found() -> None:
    class Inner:
        def method(self) -> None: ...

    line = Inner.method.__code__.co_firstlineno - 1
    assert origin_of(Inner) == Origin("tests/wiremap/registry/test_origin.py", line)


def test_of_two_classes_with_one_name_the_methods_decide() -> None:
    assert origin_of(First).source_line < origin_of(Twice).source_line
    assert origin_of(First).source_line == First.first.__code__.co_firstlineno - 1


def test_of_two_classes_with_one_name_in_different_scopes_each_is_found() -> None:
    text = """
    def no_scope(): ...
class Local:
"""

    class Local:
        declared: int

    class Outer:
        class Local:
            declared: str

    lines = [origin_of(cls).source_line for cls in (_local(), Local, Outer.Local)]

    written = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert [written[line] for line in lines] == [
        "        declared: bool",
        "        declared: int",
        "            declared: str",
    ]
    assert text


def _local() -> type:
    class Local:
        declared: bool

    return Local


def test_what_has_no_source_is_unknown() -> None:
    assert origin_of(int) == Origin("", 0)
    assert origin_of(type("Made", (), {"__module__": "nowhere"})) == Origin("", 0)
