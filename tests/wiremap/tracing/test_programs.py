import os
import sys
from pathlib import Path

import pytest

from wiremap.tracing.programs import Kind, Program, program_of, search

PYTHON = sys.executable


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A folder with programs: `bin/NAME` is a script that begins with the text below."""
    (tmp_path / "bin").mkdir()
    for name, start in {
        "tool": f"#!{PYTHON}\n",
        "isolated": f"#! {PYTHON} -I\n",
        "by_env": "#!/usr/bin/env python3\n",
        "by_options_of_env": "#!/usr/bin/env -S python3 -I\n",
        "shell": "#!/bin/sh\n",
        "python3.9": "#!/bin/bash\n",  # as version managers put into the search path
        "text": "no program\n",
    }.items():
        (tmp_path / "bin" / name).write_text(start)
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "bin" / "text").chmod(0o644)
    (tmp_path / "bin" / "python3").symlink_to(os.path.realpath(PYTHON))
    return str(tmp_path)


def of(folder: str, *arguments: str, **environment: str) -> Program:
    variables = {"PATH": f"{folder}/bin", **environment}
    return program_of(search(arguments[0], variables.get), arguments, variables.get, folder)


def by_shell(folder: str, text: str) -> Program:
    return of(folder, "/bin/sh", "-c", text)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((PYTHON, "x.py"), (PYTHON, "x.py")),
        (("python3", "-m", "x"), ("python3", "-m", "x")),
        (("bin/tool", "-v"), (PYTHON, "bin/tool", "-v")),
        (("bin/isolated",), (PYTHON, "-I", "bin/isolated")),
        (("bin/by_env",), ("python3", "bin/by_env")),
    ],
)
def test_python_is_known_however_it_is_started(folder: str, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    found = of(folder, *arguments)

    assert (found.kind, found.words, found.is_direct) == (Kind.PYTHON, words, True)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (["-IE", "-S", "x.py"], Kind.OTHER),
        (["-IS", "x.py"], Kind.OTHER),
        (["-W", "error", "-vc", ""], Kind.OTHER),
        (["-X", "importtime", "x.py"], Kind.OTHER),
        (["-Ximporttime", "x.py"], Kind.OTHER),
        (["-X", "dev", "-W", "-S", "x.py", "-S"], Kind.PYTHON),
        (["-c", "-S"], Kind.PYTHON),
        (["-mS"], Kind.PYTHON),
        (["-Ec-S"], Kind.PYTHON),
        (["--help"], Kind.PYTHON),
        (["-"], Kind.PYTHON),
        (["-W"], Kind.PYTHON),
    ],
)
def test_python_that_reads_no_start_file_or_shows_its_imports_is_left_alone(
    folder: str, options: list[str], kind: Kind
) -> None:
    assert of(folder, PYTHON, *options).kind is kind


@pytest.mark.parametrize("name", ["bin/shell", "python3.9", "bin/by_options_of_env", "/bin/ls"])
def test_other_programs_are_told_apart(folder: str, name: str) -> None:
    assert of(folder, name).kind is Kind.OTHER


@pytest.mark.parametrize("name", ["nothing", "bin/nothing", "bin/text", "bin"])
def test_what_cannot_run_is_absent(folder: str, name: str) -> None:
    assert of(folder, name).kind is Kind.ABSENT


def test_a_name_is_looked_for_in_the_search_path_only(folder: str) -> None:
    assert of(folder, "tool").kind is Kind.PYTHON
    assert of(folder, "tool", PATH="/nowhere").kind is Kind.ABSENT


def test_a_program_that_reads_what_it_is_told_says_what(folder: str) -> None:
    assert of(folder, "/bin/cat", "a.txt").words == ("/bin/cat", "a.txt")
    assert of(folder, "/bin/cat", "a.txt").kind is Kind.READER
    assert of(folder, "/bin/true").kind is Kind.HARMLESS


@pytest.mark.parametrize(
    ("arguments", "environment", "kind"),
    [
        (("-RX",), {}, Kind.READER),
        ((), {"LESS": "-R"}, Kind.READER),
        (("-k", "keys"), {}, Kind.OTHER),
        (("--lesskey-src=keys",), {}, Kind.OTHER),
        ((), {"LESSOPEN": "|run %s"}, Kind.OTHER),
        ((), {"LESS": "-kkeys"}, Kind.OTHER),
    ],
)
def test_less_reads_what_it_is_told_unless_it_is_told_to_do_more(
    folder: str, arguments: tuple[str, ...], environment: dict[str, str], kind: Kind
) -> None:
    less = Path(folder, "bin", "less")
    less.symlink_to("/bin/cat")

    assert of(folder, "bin/less", *arguments, **environment).kind is kind


@pytest.mark.parametrize(
    "text",
    ["python3 x.py", " python3\t'x.py' ", f'"{PYTHON}" x.py', "bin/tool --size=1 a:b", "python3 -c 'f(1); g(*a)'"],
)
def test_a_shell_that_only_starts_python_is_python(folder: str, text: str) -> None:
    found = by_shell(folder, text)

    assert (found.kind, found.is_direct) == (Kind.PYTHON, False)


@pytest.mark.parametrize(
    "text",
    [
        "", "nothing", "python3 x.py; ls", "python3 x.py | sort", "python3 x.py && true", "python3 x.py > out",
        "python3 < in", "python3 x.py &", "(python3 x.py)", "python3 $X", "python3 `x`", "python3 *.py",
        "python3 ~/x.py", "A=1 python3 x.py", "python3 x.py\nls", "python3 {a,b}", "exec python3 x.py", ". ./x",
        "python3 'x", "python3 a\\ b", "python3 x.py # why", "python3 [a]", "/bin/sh -c 'python3 x.py'", '"python3 $X"',
    ],
)  # fmt: skip
def test_a_shell_that_does_more_is_another_program(folder: str, text: str) -> None:
    assert by_shell(folder, text).kind is Kind.OTHER


def test_a_shell_is_the_systems(folder: str) -> None:
    Path(folder, "sh").symlink_to("/bin/sh")

    assert of(folder, "./sh", "-c", "python3 x.py").kind is Kind.OTHER
    assert of(folder, "/bin/sh", "x.sh").kind is Kind.OTHER
