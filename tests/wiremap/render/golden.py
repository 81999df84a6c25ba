"""Compares what users see with files under ``tests/golden``.

A mismatch is written to ``build/golden`` for a look at the difference. ``WIREMAP_ACCEPT_GOLDEN=1 pytest``
accepts whatever is rendered now; the change then shows in the commit.
"""

import os
from pathlib import Path

_ROOT = Path(__file__).parents[3]


def assert_golden(name: str, text: str) -> None:
    golden = _ROOT / "tests" / "golden" / name
    if os.environ.get("WIREMAP_ACCEPT_GOLDEN"):
        golden.write_text(text, encoding="utf-8", newline="\n")
    expected = golden.read_text(encoding="utf-8") if golden.exists() else ""
    if text != expected:
        actual = _ROOT / "build" / "golden" / name
        actual.parent.mkdir(parents=True, exist_ok=True)
        actual.write_text(text, encoding="utf-8", newline="\n")
    assert text == expected, f"compare build/golden/{name} with tests/golden/{name}"
