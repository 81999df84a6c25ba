from pathlib import Path

import pytest

from tests.wiremap.projects import Project, new_project
from wiremap.errors import RuleFileError
from wiremap.use_cases.rule_audit import JudgedRule, Layout, audit_rules

FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": "def total(prices):\n    from shop.money import rounded\n    return rounded(sum(prices))\n",
    "shop/money.py": "def rounded(amount):\n    return round(amount)\n",
    "shop/plugin.py": "def value():\n    return 1\n",
    "conftest.py": "",
    "tests/test_cart.py": """\
        import pytest
        from shop.cart import total

        def test_total():
            assert total([1]) == 1

        def test_data():
            assert open("tests/data.json").read()

        def test_plugin():
            import importlib
            assert importlib.import_module("shop." + "plugin").value() == 1
        """,
    "tests/test_gpu.py": """\
        import pytest
        from shop.money import rounded

        @pytest.mark.skipif(True, reason="no device")
        def test_on_device():
            assert rounded(1.0) == 1
        """,
    "tests/test_child.py": """\
        import subprocess

        def test_child():
            subprocess.run(["ls"], check=True)
        """,
    "tests/data.json": "{}",
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = new_project(tmp_path_factory.mktemp("recorded"), FILES)
    project.record()
    return project


@pytest.fixture(scope="module")
def unrecorded(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return new_project(tmp_path_factory.mktemp("unrecorded"), FILES)


def judged(project: Project, text: str, layout: Layout | None = None) -> list[JudgedRule]:
    project.write({"ci.yaml": text})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project.root)
        return list(audit_rules(Path("ci.yaml"), layout or Layout()).judged)


def missed(project: Project, command: str, *patterns: str) -> dict[str, str]:
    listed = "".join(f"  - {one}\n" for one in patterns)
    (one,) = judged(project, f"steps:\n- command: {command}\n  source_file_dependencies:\n{listed}")
    return {miss.file: miss.test for miss in one.findings.misses}


def test_records_tell_what_is_executed_imported_and_read(recorded: Project) -> None:
    found = missed(recorded, "pytest tests/test_cart.py", "tests/test_", "conftest.py")

    assert found == {
        "shop/__init__.py": "tests/test_cart.py::test_data",
        "shop/cart.py": "tests/test_cart.py::test_data",
        "shop/money.py": "tests/test_cart.py::test_total",
        "shop/plugin.py": "tests/test_cart.py::test_plugin",
        "tests/data.json": "tests/test_cart.py::test_data",
    }


def test_without_records_imports_tell(unrecorded: Project) -> None:
    found = missed(unrecorded, "pytest tests/test_cart.py", "nothing")

    assert found == dict.fromkeys(
        ["conftest.py", "shop/__init__.py", "shop/cart.py", "shop/money.py", "tests/test_cart.py"], "tests/test_cart.py"
    )


def test_a_test_that_was_skipped_tells_nothing_so_imports_do(recorded: Project) -> None:
    (one,) = judged(recorded, "steps: [{command: pytest tests/test_gpu.py, source_file_dependencies: [shop/]}]")

    assert (one.evidence.num_recorded, one.evidence.inferred) == (0, ("tests/test_gpu.py",))
    assert [miss.file for miss in one.findings.misses] == ["conftest.py", "tests/test_gpu.py"]


def test_a_test_that_did_something_unseen_may_depend_on_everything(recorded: Project) -> None:
    (one,) = judged(recorded, "steps: [{command: pytest tests/test_child.py, source_file_dependencies: [shop/, x]}]")

    assert one.evidence.on_everything == ("tests/test_child.py::test_child",)
    assert [doubt.pattern for doubt in one.findings.in_vain] == ["x"]
    assert [doubt.pattern for doubt in one.findings.unsure] == ["shop/"]


def test_commands_that_are_not_understood_are_in_the_evidence(recorded: Project) -> None:
    (one,) = judged(recorded, "steps: [{commands: [make test, pytest $X], source_file_dependencies: [shop/]}]")

    assert [each.command for each in one.evidence.not_understood] == ["make test", "pytest '$X'"]
    assert not one.findings


def test_commands_begin_where_the_step_or_the_layout_says(recorded: Project) -> None:
    text = "steps:\n- {command: pytest test_cart.py, source_file_dependencies: [shop/]}\n"
    text += "- {command: pytest test_cart.py, working_dir: /w/tests, source_file_dependencies: [shop/]}\n"

    root, tests = judged(recorded, text), judged(recorded, text, Layout(working_dir="tests"))

    assert [one.evidence.num_recorded for one in (*root, *tests)] == [0, 3, 3, 3]


def test_a_workflow_is_judged_for_each_of_its_filters(recorded: Project) -> None:
    text = """\
        on:
          push: {paths: ["shop/**", "tests/*.py"]}
          pull_request: {paths-ignore: ["tests/*.json", "docs/**"]}
        jobs:
          test:
            steps:
              - run: |
                  pip install .
                  pytest tests/test_cart.py
        """
    push, pull = judged(recorded, text)

    assert [miss.file for miss in push.findings.misses] == ["conftest.py", "tests/data.json"]
    assert [(miss.file, miss.excluded_by) for miss in pull.findings.misses] == [("tests/data.json", "tests/*.json")]
    assert [doubt.pattern for doubt in pull.findings.in_vain] == ["docs/**"]


def test_node_ids_begin_at_the_folder_of_the_configuration(tmp_path: Path) -> None:
    inner = {f"pack/{path}": text for path, text in FILES.items()}
    project = new_project(tmp_path, {**inner, "pack/pytest.ini": "[pytest]\npythonpath = .\n"})
    project.folder = "pack"
    project.record()
    project.write(
        {
            "ci.yaml": "steps: [{command: cd pack && pytest tests/test_cart.py -k total, "
            "source_file_dependencies: [pack/shop/cart]}]"
        }
    )

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path / "pack")
        (one,) = audit_rules(Path("../ci.yaml"), Layout()).judged

    assert one.evidence.num_recorded == 3
    assert "pack/shop/money.py" in {miss.file for miss in one.findings.misses}


@pytest.mark.parametrize(
    ("text", "reason"),
    [("a: 1\n", "1: there are no steps"), (b"\xff", "1: it is no UTF-8"), (None, "1: no such file")],
)
def test_a_file_without_rules_is_told(tmp_path: Path, text: str | bytes | None, reason: str) -> None:
    if text is not None:
        (tmp_path / "ci.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())

    with pytest.raises(RuleFileError, match=reason):
        audit_rules(tmp_path / "ci.yaml", Layout())
