"""The command that serves: what it refuses at once, and how it ends."""

import re
import signal
import subprocess
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec

import openai
import pytest

from wiremap_llm.cli import serve
from wiremap_llm.cli.main import main
from wiremap_llm.server.running import listen


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "70000"], "--port 70000 is no port"),
        (["--max-queue", "-1"], "--max-queue -1 is below 0"),
        (["--stop-timeout", "inf"], "--stop-timeout inf is no number of seconds"),
        (["--host", "no such host", "--port", "0"], "Can't listen on no such host:0"),
    ],
)
def test_what_cannot_serve_is_told_before_a_model_is_loaded(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--model", "nowhere", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_port_that_is_taken_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--model", "nowhere", "--port", str(port)]) == 2

    assert f"Can't listen on 127.0.0.1:{port}: Address already in use" in capsys.readouterr().err


def test_without_the_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def without_starlette(name: str) -> ModuleSpec | None:
        return None if name == "starlette" else find_spec(name)

    monkeypatch.setattr(serve, "find_spec", without_starlette)

    assert main(["serve", "--model", "nowhere"]) == 2
    assert "This needs starlette, not installed here: pip install 'wiremap-llm[serve]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("smollm2", "smollm2"),
        ("models/Qwen3-0.6B/", "Qwen3-0.6B"),
        ("models/a.b.gguf", "a.b"),
        ("/a/Qwen3-1.7B", "Qwen3-1.7B"),
    ],
)
def test_a_model_is_called_by_the_name_of_its_file(model: str, name: str) -> None:
    assert serve._name_of(model) == name


def test_sigterm_ends_it_when_running_requests_have_finished(talking_folder: str) -> None:
    command = [sys.executable, "-m", "wiremap_llm", "serve", "--model", talking_folder, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as started:
        assert started.stderr is not None
        told = started.stderr.readline()
        address = re.search(r"serving talking0 at (http://127\.0\.0\.1:\d+/v1)", told)
        assert address is not None, told + started.stderr.read()
        with openai.OpenAI(base_url=address[1], api_key="none") as client:
            stream = client.chat.completions.create(
                model="talking0", messages=[{"role": "user", "content": "hello"}], stream=True, max_tokens=90
            )
            next(iter(stream))
            started.send_signal(signal.SIGTERM)
            reasons = [chunk.choices[0].finish_reason for chunk in stream]
        out, err = started.communicate(timeout=60)

    assert reasons[-1] in ("length", "stop")
    assert (started.returncode, out, err) == (0, "", "wiremap_llm: stopped\n")
