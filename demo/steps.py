"""How the demo shows a step: a line that says what it shows, the command, and its output."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_LONGEST_OUTPUT = 36
_number = 0


class Edit(NamedTuple):
    """A text that occurs once in a file of a project, and the one that takes its place."""

    file: str
    old: str
    new: str


def say_step(text: str) -> None:
    """Print the line that says what the next command shows."""
    global _number  # noqa: PLW0603 - counts the steps of one run
    _number += 1
    print(f"\n{_number}. {text}", flush=True)


def show(command: Sequence[str], *, folder: Path | None = None, path: Sequence[Path] = ()) -> None:
    """Run *command*, print it and its output; end the demo when it fails."""
    print(f"    $ {_readable(command)}", flush=True)
    done = _run(command, folder, path)
    lines = [line for line in (done.stdout + done.stderr).rstrip().splitlines() if not _is_noise(line)]
    for line in _shortened(lines):
        print(f"    {line}")
    sys.stdout.flush()
    if done.returncode != 0:
        sys.exit(f"The demo ends here: the command failed with exit code {done.returncode}.")


def start_repository(folder: Path) -> None:
    """Make *folder* a project root of its own, though it lies within this repository."""
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)  # noqa: S607 - whoever cloned this has git


class Step:
    """Commands in one project folder, with its own sources first on the path."""

    def __init__(self, folder: Path, path: Sequence[Path]) -> None:
        self._folder = folder
        self._path = path

    def pytest(self, *arguments: str) -> None:
        """Show a run of pytest."""
        show([sys.executable, "-m", "pytest", *arguments], folder=self._folder, path=self._path)

    def wiremap(self, *arguments: str) -> None:
        """Show a wiremap command."""
        show([sys.executable, "-m", "wiremap", *arguments], folder=self._folder, path=self._path)

    def edit(self, edit: Edit) -> None:
        """Replace a text in a file of the project, and print the change."""
        file = self._folder / edit.file
        text = file.read_text(encoding="utf-8")
        assert text.count(edit.old) == 1, f"{edit.file} holds the text to be edited {text.count(edit.old)} times"  # noqa: S101
        file.write_text(text.replace(edit.old, edit.new), encoding="utf-8")
        for sign, part in (("-", edit.old), ("+", edit.new)):
            for line in part.splitlines():
                print(f"    {file.name}: {sign} {line.strip()}")

    def first_affected(self, *arguments: str) -> str:
        """Return the first test that would run."""
        command = [sys.executable, "-m", "wiremap", "affected", "--json", *arguments]
        document = json.loads(_run(command, self._folder, self._path).stdout)
        return str(document["run"][0]["test"])


def _run(command: Sequence[str], folder: Path | None, path: Sequence[Path]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def _readable(command: Sequence[str]) -> str:
    words = ["python", *command[1:]] if command[0] == sys.executable else list(command)
    return " ".join(f'"{word}"' if " " in word else word for word in words)


def _is_noise(line: str) -> bool:
    """Tell whether a line is pytest's progress, or a note of pip on where it looks."""
    return line.endswith("%]") or line.startswith("WARNING: Location")


def _shortened(lines: list[str]) -> list[str]:
    if len(lines) <= _LONGEST_OUTPUT:
        return lines
    head, tail = _LONGEST_OUTPUT * 2 // 3, _LONGEST_OUTPUT // 3
    return [*lines[:head], f"… {len(lines) - head - tail} lines …", *lines[-tail:]]
