"""Which of pytest's settings may change an outcome, and which only say what to run and how to show it."""

from types import ModuleType

import pytest

from wiremap.project.environment import PytestSettings
from wiremap.project.pytest_section import read_pytest_section

# Options that choose among tests or order them: what runs, and never how it ends.
_CHOOSING = frozenset(
    {
        "wiremap", "wiremap_record", "wiremap_report", "wiremap_order", "wiremap_audit", "wiremap_compile",
        "file_or_dir", "keyword", "markexpr", "deselect", "ignore", "ignore_glob", "collectonly", "pyargs",
        "maxfail", "lf", "last_failed", "failedfirst", "newfirst", "last_failed_no_failures", "stepwise",
        "stepwise_skip", "stepwise_reset", "cacheshow", "cacheclear", "keepduplicates", "continue_on_collection_errors",
        "rootdir", "inifilename", "version", "help", "traceconfig", "debug", "plugins", "override_ini",
        "numprocesses", "maxprocesses", "dist", "tx", "px", "rsyncdir", "rsyncignore", "testrunuid", "maxworkerrestart",
        "maxschedchunk", "loadgroup", "distload", "looponfail", "no_loadscope_reorder", "loadscopereorder", "nodist",
        "basetemp", "shell_completion", "randomly_seed", "randomly_reorganize", "pastebin", "xmlpath",
        "junitprefix", "report_log",
    }
)  # fmt: skip
# Options that shape the report. They change how a test ends only if it reads them.
_SHAPING = frozenset(
    {
        "verbose", "quiet", "no_header", "no_summary", "no_fold_skipped", "fold_skipped", "force_short_summary",
        "reportchars", "disable_warnings", "max_warnings", "showlocals", "tbstyle", "xfail_tb", "showcapture",
        "fulltrace", "color", "code_highlight", "durations", "durations_min", "show_fixtures_per_test", "showfixtures",
        "setupshow", "markers", "trace", "usepdb", "usepdb_cls", "capture", "log_cli_format",
        "log_cli_date_format", "log_file", "log_file_mode", "log_file_format", "log_file_date_format",
        "hypothesis_show_statistics", "hypothesis_verbosity", "hypothesis_explain",
    }
)  # fmt: skip
_SHAPING_PREFIXES = ("cov_", "no_cov")
_HARMLESS_PLUGINS = frozenset({"cacheprovider", "junitxml", "pastebin", "stepwise", "terminalreporter", "terminal"})
# What these say shows in other ways: as options, as tests that are there or not, as the report.
_HARMLESS_INI_VALUES = frozenset(
    {
        "addopts", "testpaths", "norecursedirs", "python_classes", "python_functions", "cache_dir",
        "console_output_style", "junit_suite_name", "junit_logging", "junit_log_passing_tests", "junit_duration_report",
        "junit_family",
    }
)  # fmt: skip


def pytest_settings(config: pytest.Config) -> PytestSettings:
    """Return what of pytest's configuration and command line may change an outcome."""
    values = vars(config.option)
    shaping = {name for name in values if name in _SHAPING or name.startswith(_SHAPING_PREFIXES)}
    return PytestSettings(
        configuration=_ini_values(config),
        options={name: value for name, value in values.items() if name not in _CHOOSING | shaping},
        shaping={name: values[name] for name in shaping},
        choice=choice_of_tests(config),
        plugins=_loaded_plugins(config),
    )


def may_leave_files_out(config: pytest.Config) -> bool:
    """Tell whether each test file is collected as a whole, so that a record can tell what it holds."""
    option = config.option
    names = (
        "lf",
        "last_failed",
        "failedfirst",
        "newfirst",
        "stepwise",
        "doctestmodules",
        "collectonly",
        "keepduplicates",
    )
    chosen_by_history = any(getattr(option, name, False) for name in names)
    return not chosen_by_history and not any("::" in str(argument) for argument in config.args)


def choice_of_tests(config: pytest.Config) -> str:
    """Return how tests are chosen within a file."""
    option = config.option
    chosen = [f"-k {option.keyword}", f"-m {option.markexpr}", *map(str, option.deselect or ())]
    named = [f"{name} = {' '.join(config.getini(name))}" for name in ("python_classes", "python_functions")]
    return "; ".join(chosen + named)


def _ini_values(config: pytest.Config) -> dict[str, object]:
    """Return pytest's own section of its configuration file, and the values given by `-o`, which come after it."""
    section = read_pytest_section(config.inipath) if config.inipath else {}
    nested = section.get("ini_options")  # of a pyproject.toml
    found = {**section, **(nested if isinstance(nested, dict) else {})}
    found.pop("ini_options", None)
    for given in getattr(config.option, "override_ini", None) or ():
        name, _, value = given.partition("=")
        found[name] = value
    return {name: value for name, value in found.items() if name not in _HARMLESS_INI_VALUES}


def _loaded_plugins(config: pytest.Config) -> list[str]:
    """Return the names of the plugin modules that are loaded, conftest files left out."""
    found = []
    for name, plugin in config.pluginmanager.list_name_plugin():
        is_conftest = str(getattr(plugin, "__file__", "")).endswith("conftest.py")
        if isinstance(plugin, ModuleType) and not is_conftest and name not in _HARMLESS_PLUGINS:
            found.append(plugin.__name__)
    return sorted(found)


def collects_everything(config: pytest.Config) -> bool:
    """Tell whether the run is held neither to given files, nor to a folder, nor to an expression."""
    sources = pytest.Config.ArgsSource
    from_root = config.args_source == sources.INVOCATION_DIR and config.invocation_params.dir == config.rootpath
    everywhere = from_root or config.args_source == sources.TESTPATHS
    return everywhere and not (config.option.keyword or config.option.markexpr)
