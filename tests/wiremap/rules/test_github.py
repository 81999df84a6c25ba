from textwrap import dedent

import pytest

from wiremap.errors import RuleFileError
from wiremap.rules.github import workflow_rules
from wiremap.rules.rule import Rule
from wiremap.rules.yaml_nodes import Mapping, parse_yaml


def rules_in(text: str) -> list[Rule]:
    document = parse_yaml(dedent(text), "ci.yaml")
    assert isinstance(document, Mapping)
    return workflow_rules(document, "ci.yaml")


WORKFLOW = """\
    on:
      push:
        branches: [main]
        paths: ["src/**", "!src/docs/**"]
      pull_request:
        paths-ignore:
          - docs/**
      schedule:
        - cron: "0 0 * * *"
    defaults:
      run: {working-directory: all}
    jobs:
      test:
        defaults:
          run:
            working-directory: sub
        steps:
          - uses: actions/checkout@v4
          - run: pytest a
          - run: |
              pytest b
            working-directory: own
      other:
        steps:
          - run: pytest c
    """


def test_each_filter_of_an_event_is_a_rule() -> None:
    push, pull = rules_in(WORKFLOW)

    assert (push.label, push.meaning, push.patterns) == ("on.push.paths", "globs", ["src/**", "!src/docs/**"])
    assert (pull.label, pull.meaning, pull.line) == ("on.pull_request.paths-ignore", "ignored globs", 7)


def test_each_command_has_a_shell_in_the_folder_that_is_said_nearest_to_it() -> None:
    push, _ = rules_in(WORKFLOW)

    assert [(shell.folder, shell.commands[0].text) for shell in push.shells] == [
        ("sub", "pytest a"),
        ("own", "pytest b\n"),
        ("all", "pytest c"),
    ]


@pytest.mark.parametrize("events", ["push", "[push, pull_request]", "{push: }", "{push: {branches: [main]}}"])
def test_a_workflow_without_filters_has_nothing_to_judge(events: str) -> None:
    (rule,) = rules_in(f"on: {events}\njobs: {{}}\n")

    assert rule.node is None


def test_a_workflow_without_jobs_is_refused() -> None:
    with pytest.raises(RuleFileError, match="has no `jobs`"):
        rules_in("on: push\n")
