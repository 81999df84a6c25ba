"""What README and pages show of the engine is what it prints, with the real model."""

import re
import shlex
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.wiremap_llm.server.running_server import Running, running
from wiremap_llm.cli.main import main
from wiremap_llm.cli.opening import SMOLLM2, model_path
from wiremap_llm.errors import CheckpointError

ROOT = Path(__file__).parents[2]


def shown(page: str, program: str) -> list[tuple[str, str]]:
    """Return the commands of *program* that a page shows, each with the output below it."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```\n(\$ .*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    found = [
        (command, output)
        for block in blocks
        for command, output in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", block, flags=re.MULTILINE)
        if command.startswith(program)
    ]
    assert found
    return found


@pytest.fixture(scope="module")
def smollm2() -> str:
    try:
        return model_path(SMOLLM2)
    except CheckpointError as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module")
def server(smollm2: str) -> Iterator[Running]:
    with ExitStack() as stack:
        yield stack.enter_context(running(smollm2, name=SMOLLM2))


@pytest.mark.usefixtures("smollm2")
def test_the_readme_shows_what_commands_print(capsys: pytest.CaptureFixture[str]) -> None:
    for command, output in shown("llm/README.md", "python -m wiremap_llm"):
        assert main(shlex.split(command)[3:]) == 0
        assert capsys.readouterr().out == output


def test_the_page_on_serving_shows_what_the_server_answers(server: Running) -> None:
    for command, output in shown("docs/serving.md", "curl"):
        assert same(answer_to(server, command)).rstrip("\n") == same(output).rstrip("\n")


def answer_to(server: Running, command: str) -> str:
    """Do what the curl command does."""
    _, _, address, _, body = shlex.split(command)
    url = server.url + address.removeprefix("localhost:8000")
    try:
        with urllib.request.urlopen(url, body.encode()) as answer:  # noqa: S310 - our own address
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        with error:
            return error.read().decode()


def same(text: str) -> str:
    """Leave out what differs each time."""
    return re.sub(r'"id":"(\w+)-\w+","created":\d+', r'"id":"\1","created":0', text)
