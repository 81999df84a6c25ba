"""The public names mean the same, whatever was imported before them."""

import subprocess
import sys
from types import ModuleType

import pytest

import wiremap
import wiremap.registry


@pytest.mark.parametrize("package", [wiremap, wiremap.registry])
def test_no_public_name_is_hidden_by_a_module_that_the_others_import(package: ModuleType) -> None:
    names = ", ".join(sorted(package.__all__))
    program = f"""
from types import ModuleType
from {package.__name__} import {names}
print([one for one in ({names}) if isinstance(one, ModuleType)])
"""

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
