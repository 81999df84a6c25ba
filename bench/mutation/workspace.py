"""Folders and processes: the environment, the unpacked projects, copies of them, and programs run in those."""

import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from bench.mutation.mutants import Mutant
from bench.mutation.projects import REQUIREMENTS, Project

REPOSITORY = Path(__file__).parents[2]
_OBSERVER = "mutation_observer"
_LONG = 600.0


@dataclass(frozen=True)
class Finished:
    """How a program ended; `exit_code` is None if it was stopped for taking too long."""

    exit_code: int | None
    stdout: str
    cpu_seconds: float
    wall_seconds: float


class Workspace:
    """All that the benchmark makes lies in *folder*, and may be deleted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._python = self.folder / "venv" / "bin" / "python"
        self._temporary = self.folder / "temporary"

    def make_environment(self) -> None:
        """Install the tools, wiremap from this repository among them, unless that is done."""
        shutil.rmtree(self._temporary, ignore_errors=True)  # what a run that was killed has left
        self._temporary.mkdir(parents=True)
        ready = self.folder / "venv" / "ready"
        if ready.exists():
            return
        _must([sys.executable, "-m", "venv", "--clear", str(self.folder / "venv")])
        self._pip("install", *REQUIREMENTS, str(REPOSITORY))
        plugins = self.folder / "plugins"
        plugins.mkdir(exist_ok=True)
        shutil.copy(Path(__file__).with_name("observer.py"), plugins / f"{_OBSERVER}.py")
        commit = _must(["git", "-C", str(REPOSITORY), "describe", "--always", "--dirty", "--exclude=*"]).strip()
        ready.write_text(commit, encoding="utf-8")

    @property
    def wiremap_commit(self) -> str:
        """The commit of this repository at which wiremap was installed."""
        return (self.folder / "venv" / "ready").read_text(encoding="utf-8")

    def unpack(self, project: Project) -> Path:
        """Return the folder of the clean *project*, a git repository with one commit."""
        clean = self.folder / "projects" / project.name / "clean"
        if clean.exists():
            return clean
        with tempfile.TemporaryDirectory(dir=self._temporary) as temporary:
            pinned = f"{project.name}=={project.version}"
            self._pip("download", "--no-deps", "--no-binary", ":all:", "--dest", temporary, pinned)
            (archive,) = Path(temporary).iterdir()
            with tarfile.open(archive) as tar:
                tar.extractall(temporary, filter="data")
            (unpacked,) = (path for path in Path(temporary).iterdir() if path.is_dir())
            git = ["git", "-C", str(unpacked), "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
            _must([*git, "init", "--quiet"])
            _must([*git, "add", "--all", "--force"])
            _must([*git, "commit", "--quiet", "--message", pinned])
            clean.parent.mkdir(parents=True, exist_ok=True)
            unpacked.rename(clean)
        return clean

    @contextmanager
    def copy(self, original: Path, mutant: Mutant | None = None) -> Iterator[Path]:
        """Give a copy of *original* with the change of *mutant*, and remove it afterwards."""
        with tempfile.TemporaryDirectory(dir=self._temporary) as temporary:
            folder = Path(temporary, "project")
            shutil.copytree(original, folder, symlinks=True)
            if mutant and mutant.content is None:
                (folder / mutant.file).unlink()
            elif mutant:
                (folder / mutant.file).write_bytes(mutant.content or b"")
            yield folder

    def python(self, folder: Path, project: Project, *arguments: str, plugin: str = "") -> Finished:
        """Run the environment's Python in *folder*; pytest loads *plugin* and no other that is installed."""
        return self._run(arguments, folder, {"PYTHONPATH": project.path}, plugin, _LONG)

    def pytest(
        self, folder: Path, project: Project, *arguments: str, plugin: str = "", timeout: float = _LONG
    ) -> tuple[Finished, str | None]:
        """Run pytest likewise; also return what the observer wrote, None if pytest did not come to its end."""
        with tempfile.TemporaryDirectory(dir=self._temporary) as temporary:
            notes = Path(temporary, "notes.json")
            path = os.pathsep.join([project.path, str(self.folder / "plugins")])
            environment = {"PYTHONPATH": path, "MUTATION_OBSERVED": str(notes)}
            command = ["-m", "pytest", "-q", "-p", _OBSERVER, *arguments]
            finished = self._run(command, folder, environment, plugin, timeout)
            return finished, notes.read_text(encoding="utf-8") if notes.exists() else None

    def _run(
        self, arguments: Sequence[str], folder: Path, environment: dict[str, str], plugin: str, timeout: float
    ) -> Finished:
        common = {
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "PYTHONHASHSEED": "0",
            # A mutant's compiled files must not serve another, and all tools compile the same files then.
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_ADDOPTS": f"-p {plugin}" if plugin else "",
        }
        return _run([str(self._python), *arguments], folder, common | environment, timeout)

    def _pip(self, *arguments: str) -> None:
        _must([str(self._python), "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments])


def _must(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def _run(command: Sequence[str], folder: Path, environment: dict[str, str], timeout: float) -> Finished:
    """Run *command* as the leader of its own process group, which ends with it."""
    started, before = time.monotonic(), getrusage(RUSAGE_CHILDREN)
    child = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    exit_code: int | None = None
    try:
        stdout, _ = child.communicate(timeout=timeout)
        exit_code = child.returncode
    except subprocess.TimeoutExpired:
        stdout = ""
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
    after = getrusage(RUSAGE_CHILDREN)
    cpu_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Finished(exit_code, stdout, cpu_seconds, time.monotonic() - started)
