"""The documents say what the code does: lists are complete, and what is shown is what is printed."""

import doctest
import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
import yaml

from tests.wiremap.projects import Project
from tests.wiremap.repositories import new_repository
from wiremap.cli.explain import WORDS
from wiremap.selection.changes import Kind

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (ROOT / "src" / "wiremap", ROOT / "llm" / "src" / "wiremap_llm")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def modules_in_source() -> set[str]:
    names = set()
    for package in PACKAGES:
        for file in package.rglob("*.py"):
            parts = [*file.relative_to(package.parent).with_suffix("").parts]
            names.add(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def shown_output(command: str) -> str:
    """Return what the README shows below `$ command`."""
    (block,) = re.findall(rf"^```\n\$ {re.escape(command)}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    return str(block)


def printed(folder: Path, *command: str, expected: int | None = 0) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert expected is None or done.returncode == expected, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the example whose tests are recorded, and in which a function is edited."""
    folder = tmp_path_factory.mktemp("example") / "shop"
    shutil.copytree(ROOT / "examples" / "shop", folder, ignore=shutil.ignore_patterns(".wiremap", "__pycache__"))
    printed(folder, "-m", "pytest", "--wiremap", "-q", "-p", "no:cacheprovider")
    money = folder / "shop" / "money.py"
    text = money.read_text(encoding="utf-8").replace("round(amount, 2)", "round(amount, 1)")
    money.write_text(text, encoding="utf-8")
    return folder


def test_the_architecture_page_lists_every_module_and_no_other() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")

    listed = re.findall(r"^ *- `(wiremap[\w.]*)`: ", page, flags=re.MULTILINE)

    assert sorted(listed) == sorted(modules_in_source())


def test_the_readme_shows_what_affected_prints(shop: Path) -> None:
    assert printed(shop, "-m", "wiremap", "affected") == shown_output("wiremap affected")


def test_the_readme_shows_what_explain_prints(shop: Path) -> None:
    test = "tests/test_checkout.py::test_pay"

    assert printed(shop, "-m", "wiremap", "explain", test) == shown_output(f"wiremap explain {test}")


def test_the_page_on_diff_shows_what_it_prints(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "diff.md").read_text(encoding="utf-8")
    project = _wiring_repository(tmp_path / "project")
    printed(project.root, "-m", "pytest", "--wiremap", "-q", "-p", "no:cacheprovider")
    text = (project.root / "wiring.py").read_text(encoding="utf-8").replace("num_free = 8", "num_free = 16")
    line = '    orch.register(blocks, "num_free", scheduler)\n'
    project.write({"wiring.py": text.replace(line, line + line.replace("scheduler", "engine"))})

    shown, markdown = (printed(project.root, "-m", "wiremap", "diff", *form) for form in ([], ["--format=markdown"]))

    (block,) = re.findall(r"^```\n\$ wiremap diff\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    (picture,) = re.findall(r"^```mermaid\n.*?^```$", page, flags=re.MULTILINE | re.DOTALL)
    assert re.sub(r"\([0-9a-f]{10}\)", "(0000000000)", shown) == block
    assert picture in markdown


def _wiring_repository(root: Path) -> Project:
    """Return a repository of the wiring example, with its recipe named."""
    files = {name: (ROOT / "examples" / name).read_bytes() for name in ("wiring.py", "test_wiring.py")}
    settings = '[tool.wiremap]\nrecipes = ["wiring"]\n'
    return new_repository(root, {".gitignore": ".wiremap\n__pycache__\n", "pyproject.toml": settings, **files})


def test_the_readme_shows_the_wiring_example_and_its_graph() -> None:
    recipe, fixture = re.findall(r"^```python\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)

    assert recipe in (ROOT / "examples" / "wiring.py").read_text(encoding="utf-8")
    assert fixture in (ROOT / "examples" / "test_wiring.py").read_text(encoding="utf-8")
    assert printed(ROOT / "examples", "-m", "wiremap", "graph", "wiring") == shown_output("wiremap graph wiring")


@pytest.mark.parametrize("page", ["wiring.md", "graph.md"])
def test_every_block_of_the_wiring_guides_does_what_it_shows(page: str) -> None:
    failed, tried = doctest.testfile(str(ROOT / "docs" / page), module_relative=False, verbose=False)

    assert (failed, tried > 20) == (0, True)


def test_the_page_on_checks_shows_what_the_commands_print(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")
    block = r"^(?:`([\w.]+)`[^\n]*:\n\n)?```(\w*)\n(.*?)^```$"
    shown = []
    for file, _, text in re.findall(block, page, flags=re.MULTILINE | re.DOTALL):
        if file:
            (tmp_path / file).write_text(text, encoding="utf-8")
        elif text.startswith("$ cat"):
            printed(tmp_path, "-m", "wiremap", "lock")
            shown.append((text, (tmp_path / "wiremap.lock").read_text(encoding="utf-8")))
        elif text.startswith("$ "):
            *first, last = text.partition("\n")[0].removeprefix("$ ").split(" && ")
            for command in first:
                printed(tmp_path, "-m", *command.split())
            shown.append((text, printed(tmp_path, "-m", *last.split(), expected=None)))

    assert [text.partition("\n")[2] for text, _ in shown] == [output for _, output in shown]
    assert len(shown) == 3


def test_the_hooks_for_pre_commit_are_commands() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))

    assert [(hook["id"], hook["entry"]) for hook in hooks] == [
        ("wiremap-lock", "wiremap lock"),
        ("wiremap-check", "wiremap check"),
    ]
    for hook in hooks:
        assert {"id", "name", "entry", "language"} <= hook.keys()
        assert (hook["language"], hook["pass_filenames"]) == ("system", False)
        assert all(re.search(hook["files"], file) for file in ("a/b.py", "pyproject.toml", "wiremap.lock"))


def test_the_wiring_of_this_repository_is_as_it_is_locked() -> None:
    assert printed(ROOT, "-m", "wiremap", "check", "--format", "json").startswith("{")


def test_the_page_on_rules_shows_what_is_printed_and_corrected(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    pipeline, mended = re.findall(r"^```yaml\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    (shown,) = re.findall(r"^```\n\$ wiremap rules pipeline.yaml\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    folder = tmp_path / "shop"
    shutil.copytree(ROOT / "examples" / "shop", folder, ignore=shutil.ignore_patterns(".wiremap", "__pycache__"))
    (folder / "pipeline.yaml").write_text(pipeline, encoding="utf-8")
    printed(folder, "-m", "pytest", "--wiremap-record", "-q", "-p", "no:cacheprovider")

    found = printed(folder, "-m", "wiremap", "rules", "pipeline.yaml", "--fix", expected=1)

    assert found == shown
    assert mended in (folder / "pipeline.yaml").read_text(encoding="utf-8")


def test_the_page_on_adapters_shows_the_graph_of_its_example(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
    (settings,) = re.findall(r"^```toml\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    (source,) = re.findall(r"^```python\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    (shown,) = re.findall(r"^```\n\$ wiremap graph engine\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    (tmp_path / ".git").mkdir()
    (tmp_path / "engine").mkdir()
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
    (tmp_path / "engine" / "__init__.py").touch()
    (tmp_path / "engine" / "backends.py").write_text(source, encoding="utf-8")
    (tmp_path / "engine" / "torch_backend.py").write_text("class Torch: ...\n", encoding="utf-8")

    assert printed(tmp_path, "-m", "wiremap", "graph", "engine") == shown
    assert "  component  Flash\n" in printed(tmp_path, "-m", "wiremap", "where", "engine/backends.py:14")


def test_the_wiring_example_runs() -> None:
    assert printed(ROOT / "examples", "wiring.py") == "blocks: [0, 1]\n"


def test_the_overriding_example_passes() -> None:
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir=.", "test_wiring.py"]

    assert "1 passed" in printed(ROOT / "examples", *command)


def test_every_relative_link_of_the_documents_leads_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "llm" / "README.md"]
    missing = [
        f"{page.name}: {link}"
        for page in pages
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
        if not (page.parent / link).exists()
    ]
    assert missing == []


def test_the_page_on_answers_has_every_rule_kind_of_change_and_word_of_a_proof() -> None:
    page = (ROOT / "docs" / "answers.md").read_text(encoding="utf-8")

    missing = [
        word for word in (*get_args(Kind), "failed", "changed", "unseen", "new", "error") if f"`{word}`" not in page
    ]
    missing += [one for one, _ in WORDS.values() if one not in page]

    assert missing == []


def test_the_demo_edits_what_is_in_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "demo"))
    edit = importlib.import_module("demo").EDIT_OF_ENGINE
    assert (ROOT / edit.file).read_text(encoding="utf-8").count(edit.old) == 1
