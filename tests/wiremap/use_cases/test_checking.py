import os
import sys
from pathlib import Path

import pytest

from tests.wiremap.checks.engines import FAULTY, FILES, new_engine
from wiremap.checks.findings import LOCK_DRIFT, REACHES_INSIDE, UNREGISTERED
from wiremap.use_cases.checking import Checked, check
from wiremap.use_cases.locking import lock


def checked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Checked:
    monkeypatch.chdir(folder)
    return check()


def test_the_rules_are_told_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new_engine(tmp_path).write(FAULTY)

    found = checked(tmp_path, monkeypatch)

    assert {one.rule for one in found.judged.findings} == {LOCK_DRIFT, UNREGISTERED, REACHES_INSIDE}
    assert (found.root, found.num_files) == (tmp_path, 6)


def test_packages_below_a_folder_of_source_are_read_whole_and_tests_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = new_engine(tmp_path)
    extra = {"engine/deep/down.py": "", "engine/tests/helper.py": "", "engine/test_a.py": "", "other.py": ""}
    moved: dict[str, str | bytes | None] = {
        f"src/{path}": text for path, text in {**FILES, **extra}.items() if path.endswith(".py")
    }
    project.write({path: None for path in FILES if path.startswith("engine")} | moved)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["src", os.environ.get("PYTHONPATH", "")]))

    assert checked(tmp_path, monkeypatch).num_files == 7


def test_a_module_in_no_package_stands_for_those_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = new_engine(tmp_path)
    recipe = "from wiremap import *\nclass A: ...\n@recipe\ndef build():\n    orch = RegistryOrchestrator()\n"
    project.write(
        {
            "pyproject.toml": '[tool.wiremap]\nrecipes = ["wires"]\n',
            "wires.py": f"{recipe}    orch.add(A())\n    orch.finalize()\n",
            "beside.py": "from wiremap import Requires\nclass B:\n    x: Requires[int]\n",
            "conftest.py": "from wiremap import Requires\nclass C:\n    x: Requires[int]\n",
        }
    )

    found = checked(tmp_path, monkeypatch)

    assert [one.file for one in found.judged.findings if one.rule == UNREGISTERED] == ["beside.py"]


def test_a_recipe_that_is_called_as_a_folder_is_a_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = new_engine(tmp_path)
    project.write(
        {
            "pyproject.toml": '[tool.wiremap]\nrecipes = ["engine"]\n',
            "engine/__init__.py": "from engine.recipes import combine\n",
        }
    )
    monkeypatch.chdir(tmp_path)

    locked = lock()

    assert locked.graphs["engine"].ids[:2] == ("BlockManager", "Model")


def test_a_file_of_the_project_does_not_stand_in_for_a_module_of_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_engine(tmp_path).write({"json.py": "raise SystemExit('mine')\n"})
    monkeypatch.chdir(tmp_path)

    assert list(lock().graphs) == ["engine.recipes"]


def test_the_caller_imports_nothing_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new_engine(tmp_path)

    checked(tmp_path, monkeypatch)

    assert "engine.recipes" not in sys.modules


def test_an_allowance_for_reaching_may_be_for_calls_that_were_not_recorded_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow = '[[tool.wiremap.allow]]\nrule = "reaches-inside"\nwhere = "X"\nreason = "old"\n'
    project = new_engine(tmp_path)
    project.write({"pyproject.toml": f'[tool.wiremap]\nrecipes = ["engine.recipes"]\n{allow}'})
    monkeypatch.chdir(tmp_path)
    lock()

    assert check().judged.findings == ()
    project.write(
        {"test_one.py": "def test_one():\n    from engine.blocks import BlockManager\n    BlockManager(1).audit()\n"}
    )
    project.record()
    assert [one.rule for one in check().judged.findings] == ["unused-allowance"]


def test_a_call_that_the_source_shows_is_told_once_and_another_besides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = new_engine(tmp_path)
    scheduler = str(FILES["engine/scheduler.py"]) + (
        "\n"
        "            def drain(self, blocks: 'BlockManager', norm):\n"
        "                norm.norm(blocks._free)\n"
        "                return blocks.audit()\n"
    )
    test = (
        "from engine.blocks import BlockManager\nfrom engine.norm import Norm\nfrom engine.scheduler import Scheduler\n"
    )
    call = "def test_it():\n    Scheduler().drain(BlockManager(1), Norm(None))\n"
    imported = scheduler.replace("from wiremap", "from engine.blocks import BlockManager\n        from wiremap")
    project.write({"engine/scheduler.py": imported, "test_one.py": test + call})
    project.record()

    found = [one for one in checked(tmp_path, monkeypatch).judged.findings if one.rule == REACHES_INSIDE]

    assert [one.message.partition(" (")[0] for one in found] == [
        "Scheduler.drain was seen to call Norm.norm",
        "Scheduler.drain reads blocks._free, which is private to BlockManager.",
    ]
