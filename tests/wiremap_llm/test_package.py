"""What importing the package costs and gives."""

import subprocess
import sys

import pytest

import wiremap_llm
from wiremap_llm.llm_engine import LLMEngine
from wiremap_llm.request import SamplingParams


@pytest.mark.parametrize("module", ["scheduler", "block_manager", "batch", "request", "config", "errors"])
def test_scheduling_and_block_accounting_load_no_torch(module: str) -> None:
    # While tests are recorded, wiremap is there before: it records the child, too.
    script = f"""
import sys
before = set(sys.modules)
import wiremap_llm.{module}
print(sorted({{"torch", "wiremap"}} & (set(sys.modules) - before)))
"""

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_public_names_are_found_on_first_use() -> None:
    assert wiremap_llm.LLMEngine is LLMEngine
    assert wiremap_llm.SamplingParams is SamplingParams


def test_other_names_are_refused_as_usual() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = wiremap_llm.nothing
