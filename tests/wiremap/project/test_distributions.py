import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from wiremap.project.distributions import InstalledDistributions, installation_folders
from wiremap.selection.facts import ABSENT

Files = Mapping[str, str]


def install(folder: Path, name: str, version: str, files: Files, metadata: Files | None = None) -> Path:
    """Lay out a distribution as an installer does: the record comes last."""
    lines = []
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
        lines.append(f"{path},sha256=unchecked,{len(text)}\n")
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    for path, text in (metadata or {}).items():
        (info / path).write_text(text)
    time.sleep(0.01)
    (info / "RECORD").write_text("".join(lines) + f"{info.name}/RECORD,,\n../../bin/tool,sha256=other,9\n")
    return info


def installed(*folders: Path) -> InstalledDistributions:
    return InstalledDistributions(map(str, folders))


def test_a_module_is_provided_by_the_distribution_whose_record_lists_it(tmp_path: Path) -> None:
    install(tmp_path, "PyYAML", "6.0", {"yaml/__init__.py": "", "_yaml/__init__.py": "", "single.py": ""})

    found = installed(tmp_path)

    assert {name: found.providers(name) for name in ("yaml", "_yaml", "single", "nothing")} == {
        "yaml": ("pyyaml",), "_yaml": ("pyyaml",), "single": ("pyyaml",), "nothing": (),
    }  # fmt: skip


def test_a_namespace_is_provided_by_all_who_hold_a_part(tmp_path: Path) -> None:
    install(tmp_path, "one", "1", {"space/one/__init__.py": ""})
    install(tmp_path, "two", "1", {"space/two/__init__.py": ""})

    assert installed(tmp_path).providers("space") == ("one", "two")


def test_the_standard_library_is_provided_by_the_interpreter(tmp_path: Path) -> None:
    assert installed(tmp_path).providers("json") == ("python",)


def test_without_a_record_the_names_that_the_installer_told_count(tmp_path: Path) -> None:
    info = tmp_path / "old-1.0-py3.11.egg-info"
    info.mkdir()
    (info / "top_level.txt").write_text("first\nsecond\n")
    (tmp_path / "nameless_thing.egg-info").write_text("Name: nameless_thing\n")

    found = installed(tmp_path)

    assert found.providers("second") == ("old",)
    assert found.state("old").startswith("1.0")
    assert found.providers("nameless_thing") == ("nameless-thing",)


def test_a_module_of_no_distribution_is_provided_by_its_files(tmp_path: Path) -> None:
    (tmp_path / "loose.py").write_text("1")
    (provider,) = installed(tmp_path).providers("loose")
    before = installed(tmp_path).state(provider)

    (tmp_path / "loose.py").write_text("2")

    assert installed(tmp_path).state(provider) != before


def test_loose_files_that_are_followed_do_not_count_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "loose.py").write_text("1")
    followed = InstalledDistributions([str(tmp_path)], is_followed=lambda _file: True)

    assert followed.providers("loose") == ("module loose",)
    assert followed.state("module loose") == ABSENT


def test_requirements_are_those_that_are_installed_and_serve_no_extra(tmp_path: Path) -> None:
    asked = "Requires-Dist: Inner_One>=1\nRequires-Dist: gone\nRequires-Dist: extra ; extra == 'fast'\n"
    described = "\nRequires-Dist: extra\n"  # the description is no header
    install(tmp_path, "outer", "1", {}, {"METADATA": f"Name: outer\n{asked}{described}"})
    install(tmp_path, "inner_one", "1", {})
    install(tmp_path, "extra", "1", {})

    assert installed(tmp_path).requirements("outer") == ("inner-one",)


def test_the_state_holds_the_version_and_changes_with_the_content(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    install(one, "thing", "1.0", {"thing.py": "1"})
    install(two, "thing", "1.0", {"thing.py": "12"})

    assert installed(one).state("Thing").partition(" ")[0] == "1.0"
    assert installed(one).state("thing") != installed(two).state("thing")
    assert installed(tmp_path).state("thing") == ABSENT


@pytest.mark.parametrize("told", ["METADATA", "entry_points.txt", "top_level.txt"])
def test_what_it_tells_of_itself_counts_though_the_version_stays(told: str, tmp_path: Path) -> None:
    install(tmp_path / "a", "tool", "1", {f"tool-1.dist-info/{told}": "short"})
    install(tmp_path / "b", "tool", "1", {f"tool-1.dist-info/{told}": "longer"})

    assert installed(tmp_path / "a").state("tool") != installed(tmp_path / "b").state("tool")


def test_the_state_of_all_changes_with_what_one_of_them_holds(tmp_path: Path) -> None:
    install(tmp_path / "a", "tool", "1", {"tool.py": ""})
    install(tmp_path / "b", "tool", "1", {"tool.py": "", "more.py": ""})

    assert installed(tmp_path / "a").state("*") != installed(tmp_path / "b").state("*")


def test_where_and_by_whom_it_was_installed_does_not_count(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    install(one, "thing", "1.0", {"thing.py": "1"}, {"INSTALLER": "pip"})
    install(two, "thing", "1.0", {"thing.py": "1"}, {"INSTALLER": "another"})

    assert installed(one).state("thing") == installed(two).state("thing")


@pytest.mark.parametrize("text", ["9", "longer", None], ids=["same size", "other size", "removed"])
def test_a_file_that_was_edited_after_the_installation_changes_the_state(tmp_path: Path, text: str | None) -> None:
    install(tmp_path, "thing", "1.0", {"thing/data.txt": "1"})
    before = installed(tmp_path).state("thing")

    time.sleep(0.01)
    if text is None:
        (tmp_path / "thing/data.txt").unlink()
    else:
        (tmp_path / "thing/data.txt").write_text(text)

    assert installed(tmp_path).state("thing") != before
    assert installed(tmp_path).state("thing").partition(" ")[0] == "1.0"


def test_a_copied_installation_is_the_same_where_its_checksums_hold(tmp_path: Path) -> None:
    empty = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
    info = install(tmp_path, "thing", "1.0", {"thing.py": ""})
    (info / "RECORD").write_text(f"thing.py,sha256={empty},0\n")
    before = installed(tmp_path).state("thing")

    time.sleep(0.01)
    (tmp_path / "thing.py").touch()

    assert installed(tmp_path).state("thing") == before


def test_the_first_of_a_name_on_the_path_counts(tmp_path: Path) -> None:
    install(tmp_path / "one", "thing", "1.0", {})
    install(tmp_path / "two", "thing", "2.0", {})

    assert installed(tmp_path / "one", tmp_path / "two").state("thing").startswith("1.0")
    assert installed(tmp_path / "missing", tmp_path / "two").state("thing").startswith("2.0")


def test_installed_code_lies_outside_of_the_project_and_of_the_standard_library(tmp_path: Path) -> None:
    project, site, inner = tmp_path / "project", tmp_path / "site", tmp_path / "project" / "vendored"
    install(inner, "thing", "1", {})
    (project / "src").mkdir()
    standard = [path for path in sys.path if path.endswith(("lib-dynload", f"python3.{sys.version_info.minor}"))]

    found = installation_folders(
        ["", str(project), str(project / "src"), str(inner), str(site), *standard], str(project)
    )

    assert found == [str(inner), str(site)]
