import asyncio
import contextlib
import importlib
import multiprocessing
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from wiremap.errors import RecipeDoesWorkError
from wiremap.registry.work import work_refused


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current directory, with a file and a folder in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("text")
    (tmp_path / "folder").mkdir()
    return tmp_path


def contents(folder: Path) -> dict[str, Any]:
    return {str(path): path.is_file() and (path.read_bytes(), path.stat().st_mode) for path in folder.rglob("*")}


def do_nothing() -> None: ...


def listen() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))


WORK: dict[str, tuple[Callable[[], Any], str]] = {
    "open to write": (lambda: open("new", "w"), "opens 'new' for writing"),  # noqa: PTH123, SIM115 -- both are meant
    "open to append": (lambda: open("file", "ab"), "opens 'file' for writing"),  # noqa: PTH123, SIM115 -- same
    "open to update": (lambda: open("file", "r+"), "opens 'file' for writing"),  # noqa: PTH123, SIM115 -- same
    "os.open": (lambda: os.open("new", os.O_RDONLY | os.O_CREAT), "opens 'new' for writing"),
    "path": (lambda: Path("new").write_text("x"), "opens 'new' for writing"),
    "touch": (lambda: Path("file").touch(), "changes the times of 'file'"),
    "temporary file": (tempfile.TemporaryFile, "opens '"),
    "temporary folder": (tempfile.mkdtemp, "makes the folder '"),
    "copy": (lambda: shutil.copy("file", "copy"), "opens 'copy' for writing"),
    "delete": (lambda: os.remove("file"), "deletes 'file'"),  # noqa: PTH107 -- as users write it
    "rename": (lambda: os.rename("file", "new"), "renames 'file' to 'new'"),  # noqa: PTH104 -- same
    "replace": (lambda: os.replace("file", "new"), "renames 'file' to 'new'"),  # noqa: PTH105 -- same
    "make folder": (lambda: os.makedirs("a/b"), "makes the folder 'a'"),  # noqa: PTH103 -- same
    "delete folder": (lambda: os.rmdir("folder"), "deletes the folder 'folder'"),  # noqa: PTH106 -- same
    "delete tree": (lambda: shutil.rmtree("folder"), "deletes the folder 'folder'"),
    "link": (lambda: os.symlink("file", "new"), "links 'file' to 'new'"),  # noqa: PTH211 -- same
    "mode": (lambda: os.chmod("file", 0), "changes the mode of 'file'"),  # noqa: PTH101 -- same
    "truncate": (lambda: os.truncate("file", 0), "truncates 'file'"),
    "database": (lambda: sqlite3.connect("data.db"), "opens the database 'data.db'"),
    "process": (lambda: subprocess.run(["true"], check=True), "starts the process ['true']"),  # noqa: S607 -- any
    "shell": (lambda: os.system("true"), "runs the command "),  # noqa: S605, S607 -- any
    "fork": (os.fork, "starts a process"),
    "exec": (lambda: os.execv("/bin/true", ["true"]), "starts a process"),  # noqa: S606 -- any
    "forked worker": (lambda: _worker("fork").start(), "starts a process"),
    "spawned worker": (lambda: _worker("spawn").start(), "starts a process"),
    "thread": (lambda: threading.Thread(target=do_nothing).start(), "starts a thread"),
    "pool": (lambda: ThreadPoolExecutor(1).submit(do_nothing), "starts a thread"),
    "connection": (lambda: socket.create_connection(("127.0.0.1", 9)), "looks up the host '127.0.0.1'"),
    "server": (listen, "binds the address ('127.0.0.1', 0)"),
    "signal": (lambda: os.kill(os.getpid(), 0), "sends a signal to a process"),
}


def _worker(method: str) -> Any:
    return multiprocessing.get_context(method).Process(target=do_nothing)  # type: ignore[attr-defined] # of any context


@pytest.mark.parametrize("name", WORK)
def test_work_is_refused_before_it_happens(name: str, folder: Path) -> None:
    work, operation = WORK[name]
    before = contents(folder)

    with pytest.raises(RecipeDoesWorkError) as caught, work_refused("recipes:combine"):
        work()

    assert caught.value.operation.startswith(operation)
    assert caught.value.recipe == "recipes:combine"
    assert contents(folder) == before
    assert multiprocessing.active_children() == []


READING: dict[str, Callable[[], object]] = {
    "file": lambda: Path("file").read_text(),
    "os.open": lambda: os.close(os.open("file", os.O_RDONLY)),
    "folder": lambda: list(Path().iterdir()),
    "nowhere": lambda: Path(os.devnull).write_text("x"),
    "open file": lambda: os.fdopen(os.dup(1), "w").close(),
    "database in memory": lambda: sqlite3.connect(":memory:").close(),
    "folder of temporary files": tempfile.gettempdir,
    "event loop": lambda: asyncio.run(asyncio.sleep(0)),
}


@pytest.mark.parametrize("name", READING)
def test_what_has_no_effect_is_allowed(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    before = contents(folder)

    with work_refused("recipes:combine"):
        READING[name]()

    assert contents(folder) == before


@pytest.mark.usefixtures("folder")
def test_the_error_names_the_recipe_and_the_users_line() -> None:
    def recipe() -> None:
        tempfile.mkdtemp()

    with pytest.raises(RecipeDoesWorkError) as caught, work_refused("recipes:combine"):
        recipe()

    line = recipe.__code__.co_firstlineno + 1
    assert caught.value.where == f"{__file__}:{line}"
    assert re.fullmatch(
        r"The recipe recipes:combine makes the folder '.*' \(at .*\); compiling it stopped before that\. "
        r"A recipe only wires: move this into __post_wire__ .* \[recipe-does-work\]",
        str(caught.value),
    )


@pytest.mark.usefixtures("folder")
def test_an_error_that_the_recipe_swallows_is_reported_all_the_same() -> None:
    def recipe() -> None:
        for name in ("one", "two"):
            with contextlib.suppress(Exception):
                Path(name).touch()

    with pytest.raises(RecipeDoesWorkError, match="of 'one'"), work_refused("recipes:combine"):
        recipe()


@pytest.mark.usefixtures("folder")
def test_an_error_that_the_recipe_turns_into_another_is_reported_all_the_same() -> None:
    def recipe() -> None:
        try:
            Path("one").touch()
        except RecipeDoesWorkError:
            raise KeyError("lost") from None

    with pytest.raises(RecipeDoesWorkError) as caught, work_refused("recipes:combine"):
        recipe()

    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.usefixtures("folder")
def test_other_errors_pass() -> None:
    with pytest.raises(FileNotFoundError), work_refused("recipes:combine"):
        Path("absent").read_text()


def test_an_import_may_write_byte_code_and_prepare_itself(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "late_module.py").write_text("open('cache', 'w').close()")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)

    with work_refused("recipes:combine"):
        importlib.import_module("late_module")

    assert (folder / "cache").exists()
    assert list(folder.glob("__pycache__/late_module.*"))


def test_what_ends_by_itself_meanwhile_is_not_the_recipes(folder: Path) -> None:
    class Temporary:
        def __del__(self) -> None:
            (folder / "file").unlink()

    class Owner: ...

    with work_refused("recipes:combine"):
        temporary, owner = Temporary(), Owner()
        weakref.finalize(owner, os.rmdir, str(folder / "folder"))
        del temporary, owner

    assert contents(folder) == {}


def test_other_threads_and_the_time_after_are_free(folder: Path) -> None:
    go, done = threading.Event(), threading.Event()

    def write() -> None:
        go.wait()
        (folder / "other").touch()
        done.set()

    start = threading.Thread.start
    thread = threading.Thread(target=write)
    thread.start()
    with work_refused("recipes:combine"):
        go.set()
        done.wait()
    thread.join()
    (folder / "after").touch()

    assert threading.Thread.start is start
    assert {path.name for path in folder.iterdir()} == {"file", "folder", "other", "after"}


@pytest.mark.usefixtures("folder")
def test_tasks_of_the_recipe_are_guarded() -> None:
    async def recipe() -> None:
        await asyncio.create_task(work())

    async def work() -> None:
        os.remove("file")  # noqa: PTH107 -- is refused

    with pytest.raises(RecipeDoesWorkError), work_refused("recipes:combine"):
        asyncio.run(recipe())


def test_the_end_of_the_interpreter_is_silent() -> None:
    program = "from wiremap.registry.work import work_refused\nwith work_refused('r'): pass"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")
