from hashlib import blake2b

import pytest

from wiremap.tracing.observation import Observation
from wiremap.tracing.variables import Variables


@pytest.fixture(autouse=True)
def _one_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIREMAP_TEST", "secret")


def read(variables: Variables, name: str) -> dict[str, str | None]:
    seen = Observation()
    variables.note_read(name, seen)
    return seen.variables


def test_a_value_is_kept_as_a_digest_only() -> None:
    digest = blake2b(b"secret", digest_size=8).hexdigest()

    assert Variables().digest("WIREMAP_TEST") == digest
    assert read(Variables(), "WIREMAP_TEST") == {"WIREMAP_TEST": digest}


def test_an_unset_variable_has_none_and_an_empty_one_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIREMAP_TEST", "")

    assert Variables().digest("WIREMAP_TEST") is not None
    assert read(Variables(), "WIREMAP_TEST_UNSET") == {"WIREMAP_TEST_UNSET": None}


def test_a_value_that_is_no_text_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIREMAP_TEST", "\udcff")

    assert set(read(Variables(), "WIREMAP_TEST")) == {"WIREMAP_TEST"}


@pytest.mark.parametrize("value", ["other", None])
def test_what_the_process_set_itself_is_its_own_work(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    variables = Variables()
    if value is None:
        monkeypatch.delenv("WIREMAP_TEST")
    else:
        monkeypatch.setenv("WIREMAP_TEST", value)

    assert read(variables, "WIREMAP_TEST") == {}
    assert variables.digest("WIREMAP_TEST") == blake2b(b"secret", digest_size=8).hexdigest()


@pytest.mark.parametrize("name", ["COLUMNS", "PWD", "PYTEST_CURRENT_TEST"])
def test_what_terminals_and_runners_set_is_not_noted(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "1")

    assert read(Variables(), name) == {}
