from textwrap import dedent

import pytest

from wiremap.errors import RuleFileError
from wiremap.rules.buildkite import pipeline_rules
from wiremap.rules.rule import Rule
from wiremap.rules.yaml_nodes import parse_yaml


def rules_in(text: str) -> list[Rule]:
    return pipeline_rules(parse_yaml(dedent(text), "ci.yaml"), "ci.yaml")


def test_a_step_has_a_list_commands_and_a_folder() -> None:
    (rule,) = rules_in("""\
        group: Core
        steps:
        - label: Core Test # 10min
          working_dir: "/workspace/tests"
          optional: true
          source_file_dependencies:
          - shop/
          - "!shop/docs/"
          commands:
          - export A=1
          - pytest core
        """)

    assert (rule.label, rule.line, rule.patterns) == ("Core Test", 3, ["shop/", "!shop/docs/"])
    (shell,) = rule.shells
    assert (shell.folder, [one.text for one in shell.commands]) == ("/workspace/tests", ["export A=1", "pytest core"])


def test_steps_of_groups_count_and_steps_that_run_nothing_do_not() -> None:
    rules = rules_in("""\
        - wait
        - block: Go?
        - group: A
          steps:
          - {label: one, command: pytest one}
        - command: pytest two
          name:
        """)

    assert [(rule.label, rule.node) for rule in rules] == [("one", None), ("pytest two", None)]


def test_a_list_that_a_merge_key_brings_is_the_one_that_is_shared() -> None:
    one, two = rules_in("""\
        common: &common
          source_file_dependencies: [shop/]
        steps:
        - {<<: *common, command: pytest one}
        - {<<: *common, command: pytest two}
        """)

    assert one.node is two.node is not None


def test_a_mirror_with_a_list_of_its_own_is_told() -> None:
    (rule,) = rules_in("steps: [{command: pytest, mirror: {amd: {source_file_dependencies: [a/]}, b: {device: x}}}]")

    assert rule.notes == ("its mirror 'amd' keeps a list of its own, which is not judged",)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("steps: 3", 1),
        ("steps:\n- command: pytest\n  source_file_dependencies:\n    a: b\n", 4),
        ("steps:\n- commands:\n  - pytest\n  - [a]\n", 4),
    ],
)
def test_what_is_no_step_is_told_with_its_line(text: str, line: int) -> None:
    with pytest.raises(RuleFileError, match=rf"^ci\.yaml:{line}: .* must be a list"):
        rules_in(text)
