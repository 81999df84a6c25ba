"""The command line tells one error in one line, and loads no torch before a model is asked for."""

import subprocess
import sys

import pytest

from wiremap_llm.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("generate --model nowhere x", "nowhere: no such file or folder"),
        ("generate --model nowhere --max-tokens 0 --temperature -1 x", "temperature is -1.0, not a finite number"),
        ("generate --model {folder} --max-num-seqs 0 x", "max_num_seqs is 0, not a whole number from 1 up"),
        ("generate --model {folder} --recipe tests.nothing x", "'tests.nothing' is no recipe: No module named"),
        ("generate --model {folder} --recipe json x", "'json' is no recipe: it has no function combine()"),
        ("generate --model {folder} --recipe .a x", "'.a' is no recipe: that is no name of a module"),
        ("generate --model {folder} --file nowhere.txt", "nowhere.txt can't be read: No such file or directory"),
        ("chat --model nowhere", "nowhere: no such file or folder"),
        ("bench --model {folder} --rounds 0 --requests 1 -2", "--requests -2, --rounds 0: numbers from 1 up"),
        ("bench --model {folder} --prompt-tokens 300", "300 tokens, and at most 127 fit"),
        ("graph --model nowhere", "nowhere: no such file or folder"),
        ("graph --recipe tests.nothing", "'tests.nothing' is no recipe"),
    ],
)
def test_what_cannot_be_used_is_told_in_one_line(
    arguments: str, message: str, talking_folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(arguments.format(folder=talking_folder).split())

    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert message in err


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["generate", "--model", "x", "--no-such-flag"]])
def test_wrong_usage_ends_with_two(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ending:
        main(arguments)

    assert ending.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_help_loads_no_torch() -> None:
    script = """
import sys
before = set(sys.modules)
from wiremap_llm.cli.main import main
try:
    main(["generate", "--help"])
except SystemExit:
    pass
print(sorted({"torch", "starlette", "uvicorn"} & (set(sys.modules) - before)), file=sys.stderr)
"""

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stderr == "[]\n"


def test_output_that_nobody_reads_ends_the_program_quietly(talking_folder: str) -> None:
    command = [sys.executable, "-m", "wiremap_llm", "generate", "--model", talking_folder, "hello"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.close()
        err = started.stderr.read()

    assert started.returncode == 1
    assert err == b""
