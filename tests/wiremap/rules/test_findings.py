from wiremap.rules.buildkite import pipeline_rules
from wiremap.rules.findings import Doubt, Evidence, Findings, Miss, judge
from wiremap.rules.shell import NotUnderstood
from wiremap.rules.yaml_nodes import parse_yaml

FILES = ["a/x.py", "a/y.py", "b/z.py", "b/kernel.cu", "setup.py"]


def judged(patterns: list[str], evidence: Evidence) -> Findings:
    text = f"steps: [{{command: pytest, source_file_dependencies: {patterns}}}]"
    (rule,) = pipeline_rules(parse_yaml(text, "ci.yaml"), "ci.yaml")
    return judge(rule, evidence, FILES)


def reasons(doubts: object) -> dict[str, str]:
    assert isinstance(doubts, list)
    return {one.pattern: one.reason for one in doubts if isinstance(one, Doubt)}


def test_a_file_that_no_pattern_covers_is_missed_and_a_test_is_named() -> None:
    evidence = Evidence({"a/x.py": "test_1", "b/z.py": "test_2"}, num_recorded=2)

    assert judged(["a/"], evidence).misses == [Miss("b/z.py", "test_2")]


def test_the_pattern_that_takes_a_file_out_is_told() -> None:
    evidence = Evidence({"a/x.py": "test_1"}, num_recorded=1)

    assert judged(["a/", "!a/x"], evidence).misses == [Miss("a/x.py", "test_1", "!a/x")]


def test_a_pattern_is_in_vain_where_all_that_it_matches_would_have_been_seen() -> None:
    found = judged(["a/x.py", "a/y.py", "c/", "!d/"], Evidence({"a/x.py": "test_1"}, num_recorded=1))

    assert reasons(found.in_vain) == {
        "a/y.py": "no test of the step depends on what it matches",
        "c/": "it matches no file",
        "!d/": "it matches no file",
    }


def test_who_needs_what_is_no_python_module_can_not_be_told() -> None:
    found = judged(["a/x.py", "b/", "setup.py"], Evidence({"a/x.py": "test_1"}, num_recorded=1))

    assert found.in_vain == []
    assert reasons(found.unsure) == {
        "b/": "b/kernel.cu is no Python module, so it is not seen who needs it",
        "setup.py": "setup.py is no Python module, so it is not seen who needs it",
    }


def test_nothing_is_in_vain_while_a_command_is_not_understood_but_what_matches_nothing() -> None:
    evidence = Evidence({"a/x.py": "t"}, num_recorded=1, not_understood=[NotUnderstood("run.sh", "who knows")])
    found = judged(["a/y.py", "c/"], evidence)

    assert reasons(found.in_vain) == {"c/": "it matches no file"}
    assert reasons(found.unsure) == {"a/y.py": "the tests whose commands are understood don't depend on it"}


def test_a_test_that_may_depend_on_everything_leaves_nothing_in_vain() -> None:
    found = judged(["a/y.py"], Evidence({}, num_recorded=1, on_everything=["t"]))

    assert found.in_vain == []
    assert reasons(found.unsure) == {"a/y.py": "a test did something unseen, and may depend on it"}


def test_of_a_step_of_which_no_test_is_known_only_patterns_that_match_nothing_are_told() -> None:
    found = judged(["a/y.py", "c/"], Evidence({}))

    assert (list(reasons(found.in_vain)), found.unsure) == (["c/"], [])
