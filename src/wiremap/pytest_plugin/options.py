"""Which of pytest's settings may change an outcome, and which only say what to run and how to show it."""

from types import ModuleType

import pytest

from wiremap.project.pytest_section import read_pytest_section

# Options that choose among tests, order them, or shape the report. Any other option counts, known or not.
_HARMLESS = frozenset(
    {
        "wiremap", "wiremap_record", "wiremap_report", "wiremap_audit",
        "file_or_dir", "keyword", "markexpr", "deselect", "ignore", "ignore_glob", "collectonly", "pyargs",
        "maxfail", "lf", "last_failed", "failedfirst", "newfirst", "last_failed_no_failures", "stepwise",
        "stepwise_skip", "stepwise_reset", "cacheshow", "cacheclear", "keepduplicates", "continue_on_collection_errors",
        "confcutdir", "rootdir", "inifilename", "version", "help", "traceconfig", "debug",
        "verbose", "no_header", "no_summary", "no_fold_skipped", "force_short_summary", "reportchars",
        "disable_warnings",
        "showlocals", "tbstyle", "xfail_tb", "showcapture", "fulltrace", "color", "code_highlight", "durations",
        "durations_min", "pastebin", "xmlpath", "junitprefix", "report_log", "show_fixtures_per_test", "showfixtures",
        "setupshow", "markers", "trace", "usepdb", "usepdb_cls", "basetemp", "capture",
        "numprocesses", "maxprocesses", "dist", "tx", "px", "rsyncdir", "rsyncignore", "testrunuid", "maxworkerrestart",
        "maxschedchunk", "loadgroup", "distload", "looponfail", "no_loadscope_reorder", "loadscopereorder",
        "override_ini", "strict_config", "quiet", "fold_skipped", "max_warnings", "logger_disable",
        "log_cli_level", "log_cli_format", "log_cli_date_format", "log_file", "log_file_mode", "log_file_level",
        "log_file_format", "log_file_date_format", "hypothesis_show_statistics", "hypothesis_verbosity",
        "hypothesis_explain", "strict_markers", "strict", "shell_completion", "plugins", "nodist",
    }
)  # fmt: skip
# `plugins` and `override_ini` show in other ways: as loaded plugins, and as ini values.
_HARMLESS_PLUGINS = frozenset({"cacheprovider", "junitxml", "pastebin", "stepwise", "terminalreporter", "terminal"})


def decisive_options(config: pytest.Config) -> dict[str, object]:
    """Return the command-line options that may change an outcome, by name."""
    values = vars(config.option)
    return {name: value for name, value in values.items() if name not in _HARMLESS and not name.startswith("cov_")}


def ini_values(config: pytest.Config) -> dict[str, object]:
    """Return pytest's own section of its configuration file, with the values given by `-o`."""
    given = list(getattr(config.option, "override_ini", None) or ())
    return {"file": read_pytest_section(config.inipath) if config.inipath else {}, "-o": given}


def loaded_plugins(config: pytest.Config) -> list[str]:
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
