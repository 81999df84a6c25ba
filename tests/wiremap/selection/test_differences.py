import pytest

from wiremap.selection import facts as kinds
from wiremap.selection.differences import difference, is_of_environment
from wiremap.selection.facts import ABSENT, Fact


@pytest.mark.parametrize(
    ("kind", "key", "before", "now", "sentence"),
    [
        (kinds.DISTRIBUTION, "click", "8.1.7 ab", "8.1.8 cd", "click 8.1.7 -> 8.1.8"),
        (kinds.DISTRIBUTION, "click", "8.1.7 ab", "8.1.7 cd", "files of click 8.1.7 changed"),
        (kinds.DISTRIBUTION, "click", "8.1.7 ab", ABSENT, "click 8.1.7 -> none"),
        (kinds.DISTRIBUTION, "*", "1", "2", "the set of installed distributions, or what is in them, changed"),
        (kinds.DISTRIBUTION, "entry points", "1", "2", "the entry points of installed distributions changed"),
        (kinds.DISTRIBUTION, "module six", "1", "2", "module six, which belongs to no distribution changed"),
        (kinds.ENVIRONMENT, "python", "CPython 3.11.7", "CPython 3.11.9", "python 3.11.7 -> 3.11.9"),
        (kinds.ENVIRONMENT, "time zone", "UTC", "Asia/Tokyo", "time zone UTC -> Asia/Tokyo"),
        (kinds.ENVIRONMENT, "accelerators", "", "nvidia0", "accelerators none -> nvidia0"),
        (
            kinds.ENVIRONMENT, "pytest option", '{"strict_markers":"a"}', '{"strict_markers":"b"}',
            "pytest option --strict-markers changed",
        ),
        (
            kinds.ENVIRONMENT, "pytest plugin", '{"a":"x","b":"x"}', '{"b":"x","c":"x"}',
            "pytest plugin a, c changed",
        ),
        (kinds.ENVIRONMENT, "variable of native code", "{}", '{"LD_PRELOAD":"a"}', "variable LD_PRELOAD changed"),
        (kinds.VARIABLE, "DATABASE_URL", "1", "2", "variable DATABASE_URL changed"),
        (kinds.VARIABLE, "*", "1", "2", "the set of environment variables changed"),
        (kinds.LIBRARY, "/usr/lib/libssl.so.3", "1", "2", "library /usr/lib/libssl.so.3 changed"),
        (kinds.DATA, "schemas/*", "1", "2", "data schemas/* changed"),
    ],
)  # fmt: skip
def test_the_sentence_names_what_changed(kind: str, key: str, before: str, now: str, sentence: str) -> None:
    fact = Fact(kind, key, before)

    assert is_of_environment(fact)
    assert difference(fact, now) == sentence


@pytest.mark.parametrize("now", ["", "no object", "[1]", ABSENT])
def test_a_value_that_is_no_list_of_names_is_told_as_it_is(now: str) -> None:
    fact = Fact(kinds.ENVIRONMENT, "pytest option", '{"a":"b"}')

    assert difference(fact, now) == f'pytest option {{"a":"b"}} -> {now or "none"}'
