"""Two streams: what was asked for goes to standard output, all talk to standard error."""

import sys


def say(message: str) -> None:
    """Tell the user something that is not the result."""
    sys.stderr.write(f"wiremap_llm: {message}\n")
    sys.stderr.flush()


def write(text: str) -> None:
    """Write a piece of the result, at once."""
    sys.stdout.write(text)
    sys.stdout.flush()
