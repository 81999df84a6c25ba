"""Tests of this folder wire parts that nothing uses, and look at them from outside: here that is no mistake."""

from pathlib import Path

import pytest

from wiremap import WiringWarning


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    mark = pytest.mark.filterwarnings(f"ignore::{WiringWarning.__module__}.{WiringWarning.__qualname__}")
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(mark, append=False)
