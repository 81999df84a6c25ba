"""The distributions that are installed: what they are called, what they hold, what they ask for.

`importlib.metadata` would parse every metadata file with an e-mail parser; here the names of folders and the
beginnings of lines tell the same a hundred times faster.
"""

import functools
import importlib.machinery
import os
import re
import sys
import sysconfig
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b, sha256

from wiremap.selection.environment import LOOSE, PYTHON
from wiremap.selection.facts import ABSENT
from wiremap.tracing.watched_calls import ALL_DISTRIBUTIONS, ENTRY_POINTS

_METADATA_FOLDER = re.compile(r"(?P<name>.+?)(?:-(?P<version>[^-]+)(?:-py[\d.]+)?)?\.(?:dist|egg)-info")
_REQUIREMENT = re.compile(rb"Requires-Dist:\s*([A-Za-z0-9._-]+)([^\r\n]*)")
# What pip, the interpreter and compilers of other projects put beside the code.
_NO_CODE = (".pyc", ".pyi", ".h", ".hpp", ".cuh", ".a", ".lib")
_SUFFIXES = tuple(suffix for suffix in importlib.machinery.all_suffixes() if suffix != ".pyc")
_SUFFIX_BYTES = tuple(suffix.encode() for suffix in _SUFFIXES)
# What a distribution tells of itself, wherever it is installed.
_TOLD = ("/METADATA", "/entry_points.txt", "/top_level.txt")
# Where an editable installation says that the code lies elsewhere: there it is followed as the project's.
_POINTERS = ("__editable__", "_editable_impl", "_virtualenv")
_BUILD_DATA = "_sysconfigdata_"  # followed by the name of the platform
_HASHED_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class _Distribution:
    name: str
    version: str
    folder: str  # where its modules lie
    metadata: str  # the folder of its metadata, or the one file of an old installation


class InstalledDistributions:
    """The distributions in the folders of a search path; the first of a name counts, as for `importlib.metadata`.

    Everything is looked up when it is asked for, once.
    """

    def __init__(self, folders: Iterable[str], is_followed: Callable[[str], bool] = lambda _file: False) -> None:
        """Look into *folders*; one that is not there holds nothing.

        Args:
            folders: Where installed code lies, in the order of the search path.
            is_followed: Tells whether the functions of a file are followed, as those of the project are.
        """
        self._listings = {folder: _listing(folder) for folder in folders}
        self._is_followed = is_followed
        self._requirements: dict[str, tuple[str, ...]] = {}

    def providers(self, module: str) -> tuple[str, ...]:
        """Return who answers to the top-level name *module*: distributions, the interpreter, or loose files."""
        if module in sys.stdlib_module_names or module.startswith(_BUILD_DATA):
            return (PYTHON,)
        found = self._by_module.get(module)
        if found:
            return tuple(sorted(found))
        return (LOOSE + module,) if any(self._loose_names(module)) else ()

    def requirements(self, name: str) -> tuple[str, ...]:
        """Return the installed distributions that *name* asks for, but for those that serve an extra of it."""
        if name not in self._requirements:
            self._requirements[name] = self._read_requirements(name)
        return self._requirements[name]

    def _read_requirements(self, name: str) -> tuple[str, ...]:
        one = self._by_name.get(name)
        if one is None:
            return ()
        header = _read(one, "METADATA", "PKG-INFO").split(b"\n\n", 1)[0]
        asked = {
            normalised(match[1].decode())
            for match in _REQUIREMENT.finditer(header)
            if b"extra" not in match[2].partition(b";")[2]
        }
        return tuple(sorted(asked & self._by_name.keys()))

    def modules(self, name: str) -> tuple[str, ...]:
        """Return the top-level names that the distribution *name* holds."""
        return self._modules_by_name.get(name, ())

    def state(self, name: str) -> str:
        """Return version and a digest of the content of *name*, or `ABSENT`; see the names for all of them."""
        if name == ALL_DISTRIBUTIONS:
            return _digest(self._all_listed())
        if name == ENTRY_POINTS:
            return _digest(f"{one.name} {_read(one, 'entry_points.txt')!r}" for one in self._by_name.values())
        if name.startswith(LOOSE):
            files = [file for file in self._loose_files(name.removeprefix(LOOSE)) if not self._is_followed(file)]
            return _digest(map(_file_state, files)) or ABSENT
        one = self._by_name.get(normalised(name))
        return ABSENT if one is None else f"{one.version} {_digest(_contents(one))}".strip()

    def _all_listed(self) -> Iterator[str]:
        for one in self._by_name.values():
            yield f"{one.name} {one.version}"
            yield from (f"{path},{rest}" for path, rest in _listed(one))

    @functools.cached_property
    def _by_name(self) -> dict[str, _Distribution]:
        found: dict[str, _Distribution] = {}
        for folder, names in self._listings.items():
            for one in _distributions_among(names, folder):
                found.setdefault(one.name, one)
        return dict(sorted(found.items()))

    @functools.cached_property
    def _by_module(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for one in self._by_name.values():
            for module in _modules_of(one):
                found.setdefault(module, set()).add(one.name)
        return found

    @functools.cached_property
    def _modules_by_name(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for module, names in sorted(self._by_module.items()):
            for name in names:
                found.setdefault(name, []).append(module)
        return {name: tuple(modules) for name, modules in found.items()}

    def _loose_files(self, module: str) -> list[str]:
        """Return the files of a module that lies in a folder without belonging to a distribution."""
        found: list[str] = []
        for path in self._loose_names(module):
            found.extend(_files_below(path) if os.path.isdir(path) else [path])
        return sorted(found)

    def _loose_names(self, module: str) -> Iterator[str]:
        """Yield the files and folders that may be imported as *module*."""
        for folder, name in self._names_by_start.get(module.partition(".")[0], ()):
            path = os.path.join(folder, name)
            if name == module:
                yield from [path] if os.path.isdir(path) else []
            elif name.partition(".")[0] == module and name.endswith(_SUFFIXES):
                yield path

    @functools.cached_property
    def _names_by_start(self) -> dict[str, list[tuple[str, str]]]:
        """Folder and name of everything in the folders, by the name up to the first dot."""
        found: dict[str, list[tuple[str, str]]] = {}
        for folder, names in self._listings.items():
            for name in names:
                found.setdefault(name.partition(".")[0], []).append((folder, name))
        return found


def installation_folders(search_path: Iterable[str], root: str) -> list[str]:
    """Return the folders of *search_path* that hold installed code: not the standard library, not the project's own.

    A folder below *root* counts when something is installed in it.
    """
    inside = root.rstrip(os.sep) + os.sep
    standard = {os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    standard |= {os.path.join(folder, "lib-dynload") for folder in standard}
    found = []
    for folder in dict.fromkeys(os.path.realpath(folder) for folder in search_path if folder):
        is_own = folder == root or folder.startswith(inside)
        if folder not in standard and (not is_own or any(name.endswith(".dist-info") for name in _listing(folder))):
            found.append(folder)
    return found


def normalised(name: str) -> str:
    """Return the name of a distribution as it is compared: `Ruamel.YAML_clib` is `ruamel-yaml-clib`."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _distributions_among(names: Iterable[str], folder: str) -> Iterator[_Distribution]:
    for name in names:
        match = _METADATA_FOLDER.fullmatch(name)
        if match:
            metadata = os.path.join(folder, name)
            yield _Distribution(normalised(match["name"]), match["version"] or "", folder, metadata)


def _modules_of(one: _Distribution) -> set[str]:
    record = _read(one, "RECORD")
    if record:
        return {module for line in record.split(b"\n") if (module := _module_of_file(line))}
    told = _read(one, "top_level.txt").decode("utf-8", "replace").split()
    return set(told) or {one.name.replace("-", "_")}


def _module_of_file(line: bytes) -> str:
    """Return the top-level name of one line of a `RECORD`, or nothing for what can't be imported."""
    first, slash, rest = line.partition(b",")[0].partition(b"/")
    if slash:
        # A folder of a package, or of a namespace: whatever may be imported below it.
        name = first.decode("utf-8", "replace")
        return name if rest.endswith(_SUFFIX_BYTES) and name.isidentifier() else ""
    return first.partition(b".")[0].decode("utf-8", "replace") if first.endswith(_SUFFIX_BYTES) else ""


def _contents(one: _Distribution) -> Iterator[str]:
    """Yield what was installed, as its `RECORD` lists it, and every file that was edited since."""
    installed_ns = _mtime_ns(os.path.join(one.metadata, "RECORD"))
    for path, rest in _listed(one):
        checksum, _, size = rest.partition(",")
        yield f"{path},{rest}"
        edit = _edit(os.path.join(one.folder, path.replace("/", os.sep)), checksum, size, installed_ns)
        if edit:
            yield f"{path} edited: {edit}"


def _listed(one: _Distribution) -> Iterator[tuple[str, str]]:
    """Yield the path of each file that counts, with its checksum and size, as the `RECORD` has them."""
    for line in _read(one, "RECORD").decode("utf-8", "replace").split("\n"):
        path, _, rest = line.strip().partition(",")
        if _is_content(path):
            yield path, rest


def _is_content(path: str) -> bool:
    # Scripts hold the path of the interpreter, and the rest of the metadata who installed it and from where.
    if not path or path.startswith(("..", "/", *_POINTERS)) or path.endswith(_NO_CODE):
        return False
    return ".dist-info/" not in path or path.endswith(_TOLD)


def _edit(path: str, checksum: str, size: str, installed_ns: int) -> str:
    """Return what tells an edited file from the installed one, or nothing if it is as it was installed."""
    try:
        stat = os.stat(path)
        # Installers write the record last: a file that is younger was written, or copied, by somebody else.
        if stat.st_mtime_ns <= installed_ns and size in ("", str(stat.st_size)):
            return ""
        if stat.st_size > _HASHED_BYTES:
            return f"{stat.st_size} {stat.st_mtime_ns}"
        with open(path, "rb") as file:
            digest = urlsafe_b64encode(sha256(file.read()).digest()).rstrip(b"=").decode()
    except OSError:
        return ABSENT
    return "" if checksum == f"sha256={digest}" else digest


def _file_state(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return f"{os.path.basename(path)} {blake2b(file.read(), digest_size=8).hexdigest()}"
    except OSError:
        return ABSENT


def _files_below(folder: str) -> list[str]:
    found: list[str] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        found.extend(os.path.join(parent, name) for name in sorted(names) if not name.endswith(_NO_CODE))
    return found


def _listing(folder: str) -> tuple[str, ...]:
    try:
        return tuple(sorted(os.listdir(folder)))
    except OSError:
        return ()


def _read(one: _Distribution, *names: str) -> bytes:
    for name in names:
        try:
            with open(os.path.join(one.metadata, name), "rb") as file:
                return file.read()
        except OSError:
            continue
    return b""


def _mtime_ns(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _digest(parts: Iterable[str]) -> str:
    text = "\n".join(parts)
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=6).hexdigest() if text else ""
