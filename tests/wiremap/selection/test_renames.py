from hashlib import blake2b

from hypothesis import given
from hypothesis import strategies as st

from wiremap.selection.renames import renamed_data, renamed_sources
from wiremap.source.units import parse_units

EMPTY = blake2b(b"", digest_size=12).hexdigest()
TEXTS = ("", "X = 1\n", "def f(): return 1\n", "def f(): return 1\nX = 1\n", "def f(): return 2\nX = 1\n", "def (\n")


def of_sources(before: dict[str, str], now: dict[str, str]) -> dict[str, str]:
    """Return the renames; a text is its own digest."""
    return renamed_sources(
        before, now, lambda text: parse_units(text.encode()), lambda path: parse_units(now[path].encode())
    )


def test_one_content_at_another_path_is_a_rename() -> None:
    assert renamed_data({"a": "1", "kept": "2"}, {"b": "1", "kept": "2"}) == {"b": "a"}


def test_of_several_with_one_content_those_with_one_name_belong_together() -> None:
    found = renamed_data({"a/x": "1", "a/y": "1"}, {"b/x": "1", "b/y": "1"})

    assert found == {"b/x": "a/x", "b/y": "a/y"}


def test_what_could_be_either_is_none() -> None:
    assert renamed_data({"a": "1"}, {"b": "1", "c": "1"}) == {}


def test_empty_files_are_the_same_by_name_only() -> None:
    assert renamed_data({"a.py": EMPTY, "p/__init__.py": EMPTY}, {"b.py": EMPTY, "q/__init__.py": EMPTY}) == {
        "q/__init__.py": "p/__init__.py"
    }


def test_half_of_what_is_defined_makes_an_edited_file_the_same() -> None:
    base = "def f(): return 1\ndef g(): return 1\n"

    assert of_sources({"a.py": base}, {"b.py": base.replace("g(): return 1", "g(): return 2")}) == {"b.py": "a.py"}
    assert of_sources({"a.py": base}, {"b.py": base.replace("return 1", "return 2")}) == {}


def test_the_most_alike_belong_together() -> None:
    base = "def f(): return 1\ndef g(): return 1\ndef h(): return 1\n"
    less = base.replace("g(): return 1", "g(): return 2")

    found = of_sources({"a.py": base}, {"b.py": less, "c.py": base + "X = 1\n"})

    assert found == {"c.py": "a.py"}


@given(*[st.dictionaries(st.sampled_from(("a.py", "b.py", "c/a.py", "d.py")), st.sampled_from(TEXTS))] * 2)
def test_each_file_comes_from_one_that_is_gone_and_becomes_one_that_is_new(
    before: dict[str, str], now: dict[str, str]
) -> None:
    found = of_sources(before, now)

    assert found.keys() <= now.keys() - before.keys()
    assert set(found.values()) <= before.keys() - now.keys()
    assert len(set(found.values())) == len(found)
