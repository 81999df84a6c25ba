import pytest

from wiremap.use_cases.collection_errors import error_in_a_line

SYNTAX = """
/site-packages/_pytest/python.py:508: in importtestmodule
    mod = import_path(
E     File "/project/tests/test_a.py", line 3
E       def f(:
E             ^
E   SyntaxError: invalid syntax
"""
IMPORT = """
ImportError while importing test module '/project/test_a.py'.
Traceback:
/usr/lib/python3.11/importlib/__init__.py:126: in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
test_a.py:1: in <module>
    import app
app.py:7: in <module>
    import gone
E   ModuleNotFoundError: No module named 'gone'
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (SYNTAX, "tests/test_a.py:3: SyntaxError: invalid syntax"),
        (IMPORT, "app.py:7: ModuleNotFoundError: No module named 'gone'"),
        ("E   lib.ParseError: bad value\nE   See https://example.org/ParseError", "lib.ParseError: bad value"),
        ("E   OldWarning: use another\nE   \nE   Hint: upgrade", "OldWarning: use another"),
        ("Traceback:\n  File\nValueError: bad\nSee the manual", "ValueError: bad"),
        ("E   KeyError", "KeyError"),
        ("E   some.Odd: thing\nE   See more", "some.Odd: thing"),
        ("import file mismatch:\nimported module 'a' has this\nHINT: rename it", "import file mismatch"),
        ("something else\nwent wrong", "something else"),
        ("", "it could not be collected"),
    ],
)
def test_the_line_says_where_and_what(text: str, line: str) -> None:
    assert error_in_a_line(text, "/project") == line
