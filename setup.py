"""Builds what pyproject.toml can't say: compiled modules, one of them for one version of Python, and the start file."""

import shutil
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

# Optional: without a compiler, tracing falls back to sys.setprofile on Python 3.11 and to callbacks in Python on later
# ones, and to sys.addaudithook. These are slower.
KNOWN_CODE = ["src/wiremap/tracing/_known_code.h", "src/wiremap/tracing/_repeated_calls.h"]
AUDIT = Extension("wiremap.tracing._audit", ["src/wiremap/tracing/_audit.c"], optional=True)
MONITORING = Extension(
    "wiremap.tracing._monitoring", ["src/wiremap/tracing/_monitoring.c"], depends=KNOWN_CODE, optional=True
)
FRAMES = Extension("wiremap.tracing._frames", ["src/wiremap/tracing/_frames.c"], depends=KNOWN_CODE, optional=True)

# Read by each interpreter that starts in the environment: it lets a child process record itself when it is asked to.
START_FILE = "wiremap_process.pth"


class BuildWithStartFile(build_py):
    """Puts the start file beside the package, where interpreters look for it."""

    def run(self) -> None:
        """Build the package."""
        super().run()
        # An editable wheel holds no modules; what is put where modules would be installed is packed all the same.
        folder = self.get_finalized_command("install").install_lib if self.editable_mode else self.build_lib
        Path(folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(START_FILE, folder)


is_cpython = sys.implementation.name == "cpython"
modules = [AUDIT, MONITORING if sys.version_info >= (3, 12) else FRAMES]
setup(ext_modules=modules if is_cpython else [], cmdclass={"build_py": BuildWithStartFile})
