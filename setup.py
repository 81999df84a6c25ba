"""Builds the one compiled module, for the one version of Python that needs it; all else is in pyproject.toml."""

import sys

from setuptools import Extension, setup

# Optional: without a compiler, tracing falls back to sys.setprofile, which is slower.
FRAMES = Extension("wiremap.tracing._frames", ["src/wiremap/tracing/_frames.c"], optional=True)

is_cpython_311 = sys.implementation.name == "cpython" and sys.version_info[:2] == (3, 11)
setup(ext_modules=[FRAMES] if is_cpython_311 else [])
