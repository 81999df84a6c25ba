"""Facts of the environment that every test rests on, and those that only some ask for."""

import json
import locale
import os
import platform
import re
import site
import sys
import sysconfig
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from wiremap.project.distributions import InstalledDistributions
from wiremap.project.settings import Settings
from wiremap.selection.environment import CAPTURE, CHOICE, PYTEST_OPTIONS
from wiremap.selection.facts import ABSENT, ENVIRONMENT, VARIABLE, Fact
from wiremap.tracing.variables import Variables

_ACCELERATOR = re.compile(r"nvidia\d+|kfd|accel\d+|davinci\d+|habanalabs")
# Variables that native code reads, so that nobody sees it: of the loader, of allocators, of numeric libraries.
_READ_BY_NATIVE_CODE = re.compile(
    r"PYTHON(?:HASHSEED|MALLOC|IOENCODING|UTF8|INTMAXSTRDIGITS)"
    r"|(?:LD|DYLD|MALLOC|GLIBC|OMP|KMP|MKL|OPENBLAS|BLIS|CUDA|CUBLAS|CUDNN|NVIDIA|NCCL|HIP|ROCR|HSA|PYTORCH|OPENSSL)_\w+"
)
# What runs for tools, not for tests: lines that find editable installations and namespaces, that give `distutils`
# to setuptools, and that follow child processes.
_START_OF_TOOLS = re.compile(
    r"(?:__editable__|_editable_impl|_virtualenv|distutils-precedence|\w*coverage|\w*_cov_|pytest-cov|wiremap_process)"
    r".*\.pth|.*-nspkg\.pth"
)
_LOCAL_TIME = "/etc/localtime"
_UTC = frozenset({"", "UTC", "Etc/UTC", "UTC0", "Universal", "Etc/Universal", "Zulu", "Etc/Zulu"})


@dataclass(frozen=True, slots=True)
class Environment:
    """The environment as it was before the project's code began to run.

    Attributes:
        always: What every test rests on.
        on_demand: What a test rests on that asks pytest how it was called, by key.
        distributions: What is installed.
        option_names: The names of pytest's options.
    """

    always: frozenset[Fact] = frozenset()
    on_demand: Mapping[str, Fact] = field(default_factory=dict)
    distributions: InstalledDistributions = field(default_factory=lambda: InstalledDistributions([]))
    option_names: frozenset[str] = frozenset()

    @property
    def values(self) -> dict[str, str]:
        """The value of each fact of kind `ENVIRONMENT`, by key."""
        facts = (*self.always, *self.on_demand.values())
        return {fact.key: fact.value for fact in facts if fact.kind == ENVIRONMENT}


@dataclass(frozen=True, slots=True)
class PytestSettings:
    """How pytest was called and configured.

    Attributes:
        configuration: Its ini values; other sections of the file don't count.
        options: Options that may change an outcome.
        shaping: Options that choose tests or shape the report, and change an outcome only for who reads them.
        choice: How tests are chosen within a file.
        plugins: Names of the plugins that are active.
    """

    configuration: Mapping[str, object] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)
    shaping: Mapping[str, object] = field(default_factory=dict)
    choice: str = ""
    plugins: Sequence[str] = ()


def always_facts(
    pytest: PytestSettings,
    variables: Variables,
    *,
    root: str,
    settings: Settings,
) -> frozenset[Fact]:
    """Return the facts of this interpreter, machine and configuration.

    Args:
        pytest: How pytest was called.
        variables: The environment variables that the process was started with.
        root: Where the project lies: paths below it are told relative to it.
        settings: What the project declares.
    """
    values = {
        "python": _python(),
        "platform": _platform(),
        "locale": f"{locale.getencoding()} {sys.getfilesystemencoding()}".lower(),
        "time zone": _time_zone(variables.value("TZ")),
        "accelerators": " ".join(_accelerators()),
        "interpreter option": digests(_interpreter_options(), root),
        "start-up code": digests(_start_up_code(), root),
        "variable of native code": digests(_native_variables(variables), root),
        "module search path": _search_path(variables.value("PYTHONPATH"), root),
        "pytest configuration": digests(pytest.configuration, root),
        "pytest option": digests(pytest.options, root),
        "pytest plugin": digests(dict.fromkeys(pytest.plugins, "active"), root),
        "[tool.wiremap]": digests(settings.by_key, root),
    }
    facts = {Fact(ENVIRONMENT, key, value) for key, value in values.items() if key not in settings.ignored_environment}
    return frozenset(facts | {Fact(VARIABLE, name, variables.digest(name) or ABSENT) for name in settings.variables})


def on_demand_facts(pytest: PytestSettings, root: str) -> dict[str, Fact]:
    """Return the facts that a test rests on only if it asks how pytest was called."""
    values = {
        PYTEST_OPTIONS: digests({**pytest.options, **pytest.shaping}, root),
        CHOICE: pytest.choice,
        CAPTURE: str(pytest.shaping.get("capture", "")),
    }
    return {key: Fact(ENVIRONMENT, key, value) for key, value in values.items()}


def digests(values: Mapping[str, object], root: str) -> str:
    """Return *values* as JSON by name, each as a digest, since it may be a secret."""
    found = {name: _digest(_portable(value, root)) for name, value in sorted(values.items())}
    return json.dumps(found, separators=(",", ":"))


def _python() -> str:
    flavour = f"{sys.abiflags}{' debug' if hasattr(sys, 'gettotalrefcount') else ''}" if sys.platform != "win32" else ""
    return f"{platform.python_implementation()} {platform.python_version()} {flavour}".strip()


def _platform() -> str:
    try:
        library = os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, ValueError, OSError):
        library = ""
    return f"{sys.platform} {platform.machine()} {library}".strip()


def _time_zone(variable: str | None) -> str:
    """Return the zone that C code takes as the local one: its name, and a digest of the rules that the system has."""
    if variable is not None:
        return "UTC" if variable.removeprefix(":") in _UTC else variable
    try:
        with open(_LOCAL_TIME, "rb") as file:
            rules = file.read()
    except OSError:
        return "UTC" if time.timezone == 0 and not time.daylight else " ".join(time.tzname)
    name = os.path.realpath(_LOCAL_TIME).partition("zoneinfo/")[2] or " ".join(time.tzname)
    return "UTC" if name in _UTC or name == "UTC UTC" else f"{name} {blake2b(rules, digest_size=4).hexdigest()}"


def _accelerators() -> list[str]:
    try:
        return sorted(name for name in os.listdir("/dev") if _ACCELERATOR.fullmatch(name))
    except OSError:
        return []


def _interpreter_options() -> dict[str, object]:
    flags = {
        name: getattr(sys.flags, name) for name in dir(sys.flags) if name[0] != "_" and name not in ("count", "index")
    }
    shown = {name: value for name, value in flags.items() if isinstance(value, int) and not name.startswith("n_")}
    # The flag utf8_mode tells of that one, which the command line passes on where the locale had set it.
    given = sorted(str(option) for option in sys._xoptions.items() if option[0] != "utf8")  # noqa: SLF001 - documented
    return {**shown, "-X": given, "-W": list(sys.warnoptions)}


def _start_up_code() -> dict[str, object]:
    """Return what the interpreter runs before anything can be recorded: lines of `.pth` files, and custom modules."""
    folders = [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
    found: dict[str, object] = {}
    for folder in map(Path, folders):
        for file in folder.glob("*.pth"):
            lines = [] if _START_OF_TOOLS.fullmatch(file.name) else _imports_of(file)
            found.update({file.name: lines} if lines else {})
    own = sysconfig.get_path("stdlib")  # what the interpreter came with
    for name in ("sitecustomize", "usercustomize"):
        file_of_module = getattr(sys.modules.get(name), "__file__", None)
        if file_of_module and os.path.dirname(file_of_module) != own:
            found[name] = "runs"
    return found


def _imports_of(file: Path) -> list[str]:
    """Return the lines of a `.pth` file that are code; the others name folders."""
    try:
        lines = file.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    return [line for line in lines if line.startswith(("import ", "import\t"))]


def _native_variables(variables: Variables) -> dict[str, object]:
    return {name: value for name, value in variables.at_start.items() if _READ_BY_NATIVE_CODE.fullmatch(name)}


def _search_path(variable: str | None, root: str) -> str:
    folders = variable.split(os.pathsep) if variable else []
    return os.pathsep.join(str(_portable(folder, root)) for folder in folders)


def _portable(value: object, root: str) -> object:
    if isinstance(value, Mapping):
        return sorted((str(key), _portable(one, root)) for key, one in value.items())
    if isinstance(value, set | frozenset):
        return [_portable(one, root) for one in sorted(value, key=repr)]
    if isinstance(value, list | tuple):
        return [_portable(one, root) for one in value]
    if isinstance(value, str | Path):
        return _portable_path(str(value), root)
    if value is None or isinstance(value, int | float | bool):
        return value
    text = getattr(value, "value", None)  # an ini value with its origin, as newer versions of pytest keep it
    return _portable(text, root) if text is not None else type(value).__name__


def _portable_path(text: str, root: str) -> str:
    # Where the project lies is not part of what it is.
    return text.replace(root.rstrip(os.sep) + os.sep, "").replace(root, ".") if os.path.isabs(root) else text


def _digest(value: object) -> str:
    return blake2b(json.dumps(value).encode(), digest_size=4).hexdigest()
