"""Flags that say how texts are generated."""

import argparse
from collections.abc import Sequence
from typing import Any

from wiremap_llm.cli.flags import add_flags, given
from wiremap_llm.request import SamplingParams

# On a command line the likeliest answer is wanted, and a whole one.
DEFAULTS: dict[str, Any] = {"temperature": 0.0, "max_tokens": 128}


def add_sampling_flags(
    parser: argparse.ArgumentParser, defaults: dict[str, Any], leave_out: Sequence[str] = ()
) -> None:
    """Add a flag for every sampling parameter."""
    add_flags(parser, SamplingParams, "sampling", defaults=defaults, leave_out=leave_out)


def sampling_params(
    options: argparse.Namespace, defaults: dict[str, Any], leave_out: Sequence[str] = ()
) -> SamplingParams:
    """Return what the flags say.

    Raises:
        InvalidSamplingParamsError: Values are out of range; it names all of them.
    """
    return SamplingParams(**given(options, SamplingParams, defaults=defaults, leave_out=leave_out))
