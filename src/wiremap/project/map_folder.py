"""Where a project's map is, for commands that don't start pytest."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from wiremap.project.files import project_root
from wiremap.project.pytest_section import read_pytest_section

_PYTESTS_OWN = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
_SHARED = ("pyproject.toml", "tox.ini", "setup.cfg")


def find_map_folder(folder: Path, name: str) -> Path:
    """Return the folder called *name* of the project that *folder* is part of, whether it exists or not.

    It is the nearest one upwards within the project; without one, it is where pytest would take its root.
    """
    upwards = list(_upwards(folder.resolve()))
    existing = next((one / name for one in upwards if (one / name).is_dir()), None)
    return existing or (_pytest_root(upwards) or upwards[0]) / name


def _upwards(folder: Path) -> Iterator[Path]:
    """Return *folder* and those above it, up to the repository's; without one, up to where pytest has its root.

    Where nothing marks that, they end below the folders that everybody shares: a map in one of these is of other work.
    """
    above = [folder, *folder.parents]
    root = project_root(folder)
    last = root if (root / ".git").exists() else _pytest_root(above)
    shared = _shared_folders() if last is None else frozenset[Path]()
    for one in above:
        if one in shared and one != folder:
            return
        yield one
        if one == last:
            return


def _pytest_root(upwards: list[Path]) -> Path | None:
    """Return the folder that a file marks as pytest's root: its configuration, else what builds the project."""
    configured = (one for one in upwards if _configures_pytest(one))
    built = (one for one in upwards if (one / "pyproject.toml").exists() or (one / "setup.py").exists())
    return next(configured, None) or next(built, None)


def _shared_folders() -> frozenset[Path]:
    # Not Path.home(), which fails where there is none.
    names = (os.path.expanduser("~"), tempfile.gettempdir())
    shared = [Path(name).resolve() for name in names]
    return frozenset(folder for one in shared for folder in (one, *one.parents))


def _configures_pytest(folder: Path) -> bool:
    has_own = any((folder / name).is_file() for name in _PYTESTS_OWN)
    return has_own or any(read_pytest_section(folder / name) for name in _SHARED)


def pytest_section(folder: Path) -> dict[str, object]:
    """Return pytest's section of the first file in *folder* that configures it."""
    own = next((name for name in _PYTESTS_OWN if (folder / name).is_file()), None)
    if own is not None:
        return read_pytest_section(folder / own)
    return next((found for name in _SHARED if (found := read_pytest_section(folder / name))), {})
