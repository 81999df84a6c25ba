from pathlib import Path

import pytest

from wiremap.checks.allowances import Allowance
from wiremap.errors import SettingsError
from wiremap.project.settings import Settings, read_settings
from wiremap.source.adapters import Adapter


def settings(folder: Path, text: str) -> Settings:
    (folder / "pyproject.toml").write_text(text)
    return read_settings(folder)


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert read_settings(tmp_path) == Settings()


def test_without_a_table_the_defaults_hold(tmp_path: Path) -> None:
    assert settings(tmp_path, "[tool.other]\nvariables = 3\n") == Settings()


def test_declared_variables_are_sorted(tmp_path: Path) -> None:
    found = settings(tmp_path, '[tool.wiremap]\nvariables = ["B", "A"]\n')

    assert found.variables == ("A", "B")


def test_components_keep_the_order_in_which_they_are_written(tmp_path: Path) -> None:
    found = settings(tmp_path, '[tool.wiremap.components]\nB = "b/*.py"\nA = ["a.py", "c.py::C*"]\n')

    assert list(found.components.items()) == [("B", ("b/*.py",)), ("A", ("a.py", "c.py::C*"))]
    assert "components" not in found.by_key, "they decide no outcome"


@pytest.mark.parametrize("table", ["components = 3", "components.A = 3", "components.A = []", 'components."" = "a"'])
def test_a_component_is_declared_by_patterns(tmp_path: Path, table: str) -> None:
    with pytest.raises(SettingsError, match="`components"):
        settings(tmp_path, f"[tool.wiremap]\n{table}\n")


def test_recipes_are_sorted_and_told_once(tmp_path: Path) -> None:
    found = settings(tmp_path, '[tool.wiremap]\nrecipes = ["b.dense", "a.moe:combine", "b.dense"]\n')

    assert found.recipes == ("a.moe:combine", "b.dense")
    assert "recipes" not in found.by_key, "they decide no outcome"


@pytest.mark.parametrize("recipe", ["a/b.py", "a.b:", ":f", "a b", "a..b", "a:f:g", "-m"])
def test_a_recipe_is_a_module_or_a_function_in_one(tmp_path: Path, recipe: str) -> None:
    with pytest.raises(SettingsError, match="`recipes` takes"):
        settings(tmp_path, f'[tool.wiremap]\nrecipes = ["{recipe}"]\n')


def test_allowances_know_their_lines(tmp_path: Path) -> None:
    entry = 'rule = "lock-drift"\nwhere = "a"\nreason = "b"\n'

    found = settings(tmp_path, f"# first\n[[tool.wiremap.allow]]\n{entry}\n[[tool.wiremap.allow]]\n{entry}")

    assert found.allow == (Allowance("lock-drift", "a", "b", 2), Allowance("lock-drift", "a", "b", 7))


def test_allowances_in_one_value_have_its_line(tmp_path: Path) -> None:
    entry = '{rule = "lock-drift", where = "a", reason = "b"}'

    found = settings(tmp_path, f"[tool.wiremap]\nallow = [{entry}, {entry}]\n")

    assert [one.line for one in found.allow] == [2, 2]


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ("{}", "entry 1 of `allow` needs a rule; entry 1 of `allow` needs a where; entry 1 of `allow` needs a reason"),
        ('{rule = "lock-drift", where = "a", reason = " "}', "has the reason ' ', which is no text"),
        ('{rule = "lock-drift", where = 3, reason = "b"}', "has the where 3, which is no text"),
        (
            '{rule = "unused-allowance", where = "a", reason = "b"}',
            "has the rule 'unused-allowance'; known: lock-drift",
        ),
        ('{rule = "lock-drift", where = "a", reason = "b", till = "May"}', "has an unknown key 'till'"),
        ("3", "`allow` must be a list of tables"),
    ],
)
def test_an_allowance_says_what_where_and_why(tmp_path: Path, entry: str, fault: str) -> None:
    with pytest.raises(SettingsError) as caught:
        settings(tmp_path, f"[tool.wiremap]\nallow = [{entry}]\n")

    assert fault in str(caught.value)


def test_an_adapter_says_how_things_get_into_a_registry(tmp_path: Path) -> None:
    found = settings(
        tmp_path, '[[tool.wiremap.adapters]]\nregistry = "B"\ncalls = ["register"]\nentry-points = ["shop.plugins"]\n'
    )

    assert found.adapters == (Adapter("B", calls=("register",), entry_points=("shop.plugins",)),)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("adapters = 3", "must be a list of tables"),
        ("adapters = [3]", "must be a list of tables"),
        ('adapters = [{calls = ["x"]}]', "must have a `registry`, its name, not None"),
        ('adapters = [{registry = "B", call = ["x"]}]', "unknown key 'call' in `adapters`"),
        ('adapters = [{registry = "B", calls = "x"}]', "`adapters.calls` must be a list of strings"),
        ('adapters = [{registry = "B"}]', "the registry 'B' of `adapters` says in no way"),
        ('adapters = [{registry="B", enums=["x"]}, {registry="B", enums=["y"]}]', "registry 'B' more than once"),
    ],
)
def test_a_wrong_adapter_is_told(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(SettingsError, match=fault):
        settings(tmp_path, f"[tool.wiremap]\n{text}\n")


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        settings(tmp_path, '[tool.wiremap]\nvariabels = []\nspeed = 9\nvariables = "HOME"\n')

    message = str(caught.value)
    assert "unknown key 'speed'" in message
    assert "unknown key 'variabels'" in message
    assert "`variables` must be a list of strings" in message


def test_a_part_of_the_environment_that_cannot_be_ignored_is_refused_with_those_that_can(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"knows platform, .*, start-up code, not 'python'"):
        settings(tmp_path, '[tool.wiremap]\nignored-environment = ["python"]\n')


@pytest.mark.parametrize("text", ["[tool]\nwiremap = 3\n", "[tool.wiremap]\nvariables = [1]\n", "tool = \n", "\xff"])
def test_what_is_no_table_of_settings_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_bytes(text.encode("latin-1"))

    with pytest.raises(SettingsError, match=r"pyproject\.toml"):
        read_settings(tmp_path)


@pytest.mark.parametrize("text", ["tool = 3\n", "tool = []\n"])
def test_a_tool_entry_that_is_no_table_is_refused_in_words(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError):
        settings(tmp_path, text)
