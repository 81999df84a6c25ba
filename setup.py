"""Builds what pyproject.toml can't say: one compiled module for one version of Python, and the start file."""

import shutil
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

# Optional: without a compiler, tracing falls back to sys.setprofile, which is slower.
FRAMES = Extension("wiremap.tracing._frames", ["src/wiremap/tracing/_frames.c"], optional=True)

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


is_cpython_311 = sys.implementation.name == "cpython" and sys.version_info[:2] == (3, 11)
setup(ext_modules=[FRAMES] if is_cpython_311 else [], cmdclass={"build_py": BuildWithStartFile})
