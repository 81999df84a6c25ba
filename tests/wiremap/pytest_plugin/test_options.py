import pytest

from wiremap.pytest_plugin.options import pytest_settings


def test_options_that_choose_tests_never_count(pytestconfig: pytest.Config) -> None:
    found = pytest_settings(pytestconfig)

    choosing = {"keyword", "maxfail", "wiremap", "numprocesses", "file_or_dir"}
    assert choosing.isdisjoint(found.options)
    assert choosing.isdisjoint(found.shaping)


def test_options_that_shape_the_report_are_told_apart(pytestconfig: pytest.Config) -> None:
    found = pytest_settings(pytestconfig)

    assert {"verbose", "capture", "tbstyle"} <= found.shaping.keys()
    assert found.options.keys().isdisjoint(found.shaping)


def test_an_option_that_nobody_knows_may_change_an_outcome(pytestconfig: pytest.Config) -> None:
    pytestconfig.option.of_a_plugin = "x"
    try:
        found = pytest_settings(pytestconfig)
    finally:
        del pytestconfig.option.of_a_plugin

    assert found.options["of_a_plugin"] == "x"


def test_the_configuration_is_pytests_own_section(pytestconfig: pytest.Config) -> None:
    found = pytest_settings(pytestconfig)

    assert {"xfail_strict", "filterwarnings"} <= found.configuration.keys()
    assert found.configuration.keys().isdisjoint({"addopts", "testpaths", "ini_options"})


def test_plugins_are_told_by_name_without_conftest_files(pytestconfig: pytest.Config) -> None:
    plugins = pytest_settings(pytestconfig).plugins

    assert "_pytest.fixtures" in plugins
    assert not [name for name in plugins if name.endswith("conftest")]
