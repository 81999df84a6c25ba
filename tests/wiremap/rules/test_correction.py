from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiremap.rules.buildkite import pipeline_rules
from wiremap.rules.correction import Correction, corrected, edit_of
from wiremap.rules.findings import Evidence, judge
from wiremap.rules.github import workflow_rules
from wiremap.rules.rule import Rule
from wiremap.rules.yaml_nodes import Mapping, parse_yaml

FILES = ["a/x.py", "a/y.py", "a/in/p.py", "a/in/q.py", "b/z.py", "b/data.json", "root.py"]
NEEDS = ["a/x.py", "b/z.py"]


def rules_in(text: str) -> list[Rule]:
    document = parse_yaml(text, "ci.yaml")
    if isinstance(document, Mapping) and document.get("on"):
        return workflow_rules(document, "ci.yaml")
    return pipeline_rules(document, "ci.yaml")


def mended(text: str, *needs: list[str], is_recorded: bool = True) -> Correction:
    """Return *text* corrected; *needs* are those of each step."""
    edits = []
    for rule, needed in zip(rules_in(text), needs, strict=True):
        files = dict.fromkeys(needed, "test")
        evidence = Evidence(files, num_recorded=1) if is_recorded else Evidence(files, inferred=["test"])
        edits.append((rule, edit_of(rule, evidence, judge(rule, evidence, FILES), FILES)))
    return corrected(text, edits)


def test_only_lines_of_the_list_change() -> None:
    text = dedent("""\
        # how we test
        steps:
        - label:   A  # spaced
          source_file_dependencies:
          # what it needs
          - a/x.py   # this
          - gone/  # no longer

          - root.py
          commands: [pytest]   # all
        """)

    assert mended(text, NEEDS).text == dedent("""\
        # how we test
        steps:
        - label:   A  # spaced
          source_file_dependencies:
          # what it needs
          - a/x.py   # this

          - b/z.py
          commands: [pytest]   # all
        """)


def test_a_list_in_brackets_stays_in_brackets() -> None:
    text = "steps: [{command: pytest, source_file_dependencies: ['a/x.py',  gone/, root.py]}]  # one line\n"

    assert mended(text, NEEDS).text == (
        "steps: [{command: pytest, source_file_dependencies: ['a/x.py',  b/z.py]}]  # one line\n"
    )


def test_a_list_at_the_end_of_a_file_without_a_line_end_gets_one_more_line() -> None:
    text = "steps:\n- command: pytest\n  source_file_dependencies:\n    -  'a/x.py'"

    assert mended(text, NEEDS).text == f"{text}\n    -  'b/z.py'"


def test_line_ends_are_kept() -> None:
    text = "steps:\r\n- command: pytest\r\n  source_file_dependencies:\r\n  - a/x.py\r\n"

    assert mended(text, NEEDS).text == f"{text}  - b/z.py\r\n"


def test_a_folder_takes_the_place_of_files_where_all_in_it_are_needed() -> None:
    text = "steps:\n- command: pytest\n  source_file_dependencies:\n  - root.py\n"

    needs = ["root.py", "a/x.py", "a/in/p.py", "a/in/q.py", "b/z.py"]

    assert mended(text, needs).text.splitlines()[3:] == ["  - root.py", "  - a/in/", "  - a/x.py", "  - b/z.py"]


def test_what_no_import_leads_to_stays_since_one_may_not_have_been_seen() -> None:
    text = "steps:\n- command: pytest\n  source_file_dependencies:\n  - root.py\n  - gone/\n"

    assert mended(text, NEEDS, is_recorded=False).text.splitlines()[3:] == ["  - root.py", "  - a/x.py", "  - b/z.py"]


def test_a_list_that_steps_share_gets_what_any_needs_and_loses_what_none_needs() -> None:
    text = dedent("""\
        steps:
        - command: pytest a
          source_file_dependencies: &files
          - a/x.py
          - gone/
          - root.py
        - command: pytest b
          source_file_dependencies: *files
        """)

    found = mended(text, ["a/x.py"], ["root.py", "b/z.py"]).text

    assert found.splitlines()[3:6] == ["  - a/x.py", "  - root.py", "  - b/z.py"]


def test_a_list_is_not_emptied() -> None:
    text = "steps:\n- command: pytest\n  source_file_dependencies:\n  - gone/\n  - lost/\n"

    found = mended(text, [])

    assert found.text == "steps:\n- command: pytest\n  source_file_dependencies:\n  - lost/\n"
    assert found.notes == ["the last entry of the list in line 4 is left: without any, the list says nothing"]


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("a/x.py", "it is no list of several lines or in brackets"),
        ("[a/x.py, # this\n    root.py]", "it has comments between brackets"),
        ("[a/x.py, *elsewhere]", "an entry of it stands elsewhere"),
    ],
)
def test_a_list_that_can_not_be_edited_is_told(written: str, reason: str) -> None:
    text = f"x: &elsewhere root.py\nsteps:\n- command: pytest\n  source_file_dependencies: {written}\n"

    found = mended(text, NEEDS)

    assert (found.text, found.notes) == (text, [f"the list in line 4 is not corrected: {reason}"])


def test_the_filters_of_a_workflow_get_patterns_of_github() -> None:
    text = "on:\n  push:\n    paths:\n      - '!b/**'\n      - \"a/x.py\"\njobs: {}\n"

    found = mended(text, ["a/x.py", "a/in/p.py", "a/in/q.py", "b/z.py"]).text

    assert found.splitlines()[3:6] == ["      - '!b/**'", '      - "a/x.py"', '      - "a/in/**"']
    assert found.splitlines()[6] == '      - "b/z.py"', "the last that fits counts"


def test_a_pattern_that_lets_needed_files_be_ignored_is_removed() -> None:
    text = "on:\n  push:\n    paths-ignore: ['b/**', 'docs/**', 'a/y.py']\njobs: {}\n"

    assert "paths-ignore: ['a/y.py']" in mended(text, ["b/z.py"]).text


PATTERNS = st.sampled_from([*FILES, "a/", "b/", "a/in", "!a/in/", "!b/", "gone/", "a/x", "r"])


@given(
    patterns=st.lists(PATTERNS, min_size=1, max_size=5), needed=st.sets(st.sampled_from(FILES)), is_flow=st.booleans()
)
def test_a_corrected_list_misses_nothing_but_what_it_takes_out_and_lists_nothing_in_vain(
    patterns: list[str], needed: set[str], *, is_flow: bool
) -> None:
    quoted = [f"'{one}'" for one in patterns]
    written = f" [{', '.join(quoted)}]" if is_flow else "".join(f"\n  - {one}" for one in quoted)
    text = f"steps:\n- command: pytest\n  source_file_dependencies:{written}\n  optional: true\n"
    evidence = Evidence(dict.fromkeys(sorted(needed), "test"), num_recorded=1)

    done = mended(text, sorted(needed))
    (rule,) = rules_in(done.text)
    found = judge(rule, evidence, FILES)

    assert [miss for miss in found.misses if miss.excluded_by is None] == []
    assert done.notes or list(found.in_vain) == []
    assert done.text.endswith("  optional: true\n")
