import pytest

from wiremap.rules.coverage import covering, matching


@pytest.mark.parametrize(
    ("file", "is_covered"),
    [("a/b.py", True), ("a/bc.py", True), ("a/b/c.py", True), ("a/x/b.py", False), ("a/b/out/c.py", False)],
)
def test_an_entry_of_a_pipeline_is_the_beginning_of_a_path_unless_it_takes_out(file: str, is_covered: bool) -> None:  # noqa: FBT001 - a parameter of a test
    assert covering("prefixes", ["!a/b/out/", "a/b"])(file) == is_covered


def test_whole_names_end_where_a_name_ends() -> None:
    covers = covering("prefixes", ["a/b"], whole_names=True)

    assert [covers(file) for file in ("a/b", "a/b/c.py", "a/bc.py")] == [True, True, False]


@pytest.mark.parametrize(
    ("pattern", "fitting", "other"),
    [
        ("*", ["README.md"], ["docs/a.md"]),
        ("**", ["README.md", "docs/a.md"], []),
        ("**.js", ["a.js", "src/js/a.js"], ["a.jsx"]),
        ("docs/*", ["docs/a.md"], ["docs/b/a.md", "docs"]),
        ("docs/**", ["docs/a.md", "docs/b/a.md"], ["adocs/a.md"]),
        ("docs/**/*.md", ["docs/a.md", "docs/b/c/a.md"], ["docs/a.txt"]),
        ("**/docs/**", ["docs/a.md", "x/docs/y/a.md"], ["doc/a.md"]),
        ("**/README.md", ["README.md", "js/README.md"], ["js/README.md.txt"]),
        ("*.jsx?", ["a.js", "a.jsx"], ["a.jsxx"]),
        ("a+.py", ["a.py", "aaa.py"], [".py"]),
        ("[ab].py", ["a.py"], ["c.py"]),
        ("?a", ["?a"], ["a"]),
        ("[.py", ["[.py"], ["a.py"]),
    ],
)
def test_patterns_of_a_workflow_are_those_of_github(pattern: str, fitting: list[str], other: list[str]) -> None:
    fits = matching("globs", pattern)

    assert [fits(file) for file in fitting + other] == [True] * len(fitting) + [False] * len(other)


def test_of_the_patterns_of_a_workflow_the_last_that_fits_counts() -> None:
    covers = covering("globs", ["src/**", "!src/docs/**", "src/docs/build.py"])

    assert [covers(file) for file in ("src/a.py", "src/docs/a.py", "src/docs/build.py")] == [True, False, True]


def test_what_is_ignored_is_not_covered_and_all_else_is() -> None:
    covers = covering("ignored globs", ["docs/**"])

    assert [covers(file) for file in ("docs/a.md", "src/a.py")] == [False, True]
