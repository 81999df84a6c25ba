"""The pytest plugin's face: its options. pytest imports this at every start, so it imports nothing itself.

The work is in `wiremap.pytest_plugin.session`, which is imported only when an option asks for it.
"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("wiremap", "run the tests that a change can reach (wiremap)")
    group.addoption(
        "--wiremap",
        action="store_true",
        help="run the tests that are not proved unaffected by what changed since they were recorded; record them",
    )
    group.addoption("--wiremap-record", action="store_true", help="record what each test rests on; run them all")
    group.addoption("--wiremap-order", choices=("likeliest", "file"), default="likeliest", help=_ORDER_HELP)
    group.addoption("--wiremap-report", metavar="FILE", help=_REPORT_HELP)
    group.addoption("--wiremap-audit", metavar="FOLDER", help=_AUDIT_HELP)
    group.addoption("--wiremap-compile", metavar="FILE", help=_COMPILE_HELP)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, which means nothing to a run without the options."""
    config.addinivalue_line("markers", _WIRING_HELP)


_WIRING_HELP = (
    "wiring(*patterns): wiremap runs the test when a match of a pattern in the graphs of the project's recipes changes,"
    ' as in wiring("Pool -[allocate]-> Scheduler")'
)
_ORDER_HELP = "run test files that are likeliest to fail first (the default), or keep the order of the files"
_AUDIT_HELP = "run the tests that FOLDER lists and write there how they end (what `wiremap audit` uses)"
_COMPILE_HELP = "follow tests as far as their graphs, and write those to FILE (what `wiremap compile` uses)"
_REPORT_HELP = "write the verdicts to FILE and run nothing (what `wiremap affected` uses)"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> "Generator[None, None, None]":
    """Begin to observe before the first file of the project is imported, when asked to."""
    options = early_config.known_args_namespace
    chosen = (options.wiremap_audit, options.wiremap_compile, options.wiremap_report)
    if any(chosen) or options.wiremap or options.wiremap_record:
        from wiremap.pytest_plugin.own_imports import from_the_library, unrewritten  # noqa: PLC0415 - only if one is given

        with unrewritten(early_config), from_the_library():
            if options.wiremap_audit:
                from wiremap.pytest_plugin.outcomes import begin_audit as begin  # noqa: PLC0415 - as said
            elif options.wiremap_compile:
                from wiremap.pytest_plugin.compiling import begin_compiling as begin  # noqa: PLC0415 - as said
            else:
                from wiremap.pytest_plugin.session import begin  # noqa: PLC0415 - as said

            begin(early_config)
    return (yield)
