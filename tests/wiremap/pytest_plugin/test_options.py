import pytest

from wiremap.pytest_plugin.options import decisive_options, ini_values


def test_options_of_the_choice_and_of_the_report_are_not_decisive(pytestconfig: pytest.Config) -> None:
    found = decisive_options(pytestconfig)

    assert found.keys().isdisjoint({"verbose", "keyword", "maxfail", "wiremap", "numprocesses", "file_or_dir"})


def test_an_option_that_nobody_knows_is_decisive(pytestconfig: pytest.Config) -> None:
    pytestconfig.option.of_a_plugin = "x"
    try:
        found = decisive_options(pytestconfig)
    finally:
        del pytestconfig.option.of_a_plugin

    assert found["of_a_plugin"] == "x"


def test_the_configuration_is_pytests_own_section(pytestconfig: pytest.Config) -> None:
    assert ini_values(pytestconfig).keys() == {"file", "-o"}
