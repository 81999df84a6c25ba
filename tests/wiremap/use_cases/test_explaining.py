from pathlib import Path

import pytest

from tests.wiremap.projects import Project, clean_environment, new_project
from wiremap.errors import NothingRecordedError, UnknownTestError
from wiremap.use_cases.explaining import explain

WIRED = """
    from wiremap import RegistryOrchestrator
    from money import rounded

    class Till:
        def total(self, prices):
            return rounded(sum(prices))

    class Checkout:
        def pay(self):
            return self.total([1, 2])

    def build():
        orch = RegistryOrchestrator()
        checkout = Checkout()
        orch.register(Till(), "total", checkout)
        orch.finalize()
        return checkout
    """
FILES = {
    "money.py": "def rounded(x):\n    return round(x, 2)\n",
    "shop.py": WIRED,
    "test_a.py": "import shop\ndef test_pay(): assert shop.build().pay() == 3\ndef test_other(): pass\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project in the current folder, with one component that hands a cell to another."""
    made = new_project(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    for name, value in clean_environment().items():
        monkeypatch.setenv(name, value)
    return made


def test_a_changed_function_is_followed_back_along_the_calls(project: Project) -> None:
    project.record()
    project.write({"money.py": "# why\ndef rounded(x):\n    return round(x, 1)\n"})

    explanation = explain("test_a.py::test_pay")

    (cause,) = explanation.causes
    assert explanation.runs
    assert (cause.unit, cause.line) == ("money.py::rounded", 2)
    assert cause.chain == ("test_a.py::test_pay", "shop.py::Checkout.pay", "shop.py::Till.total", "money.py::rounded")


def test_a_changed_cell_is_told_with_component_and_consumers(project: Project) -> None:
    project.record()
    project.write({"shop.py": WIRED.replace("rounded(sum(prices))", "rounded(sum(prices) + 0)")})

    causes = {cause.unit: cause for cause in explain("test_a.py::test_pay").causes}

    cause = causes["shop.py::Till.total"]
    assert (cause.component, cause.cell, cause.consumers) == ("Till", "total", ("Checkout",))


def test_a_test_that_does_not_run_is_told_with_its_evidence(project: Project) -> None:
    project.record()

    explanation = explain("test_a.py::test_pay")

    assert (explanation.runs, explanation.causes, explanation.last_outcome) == (False, (), "passed")
    assert explanation.evidence["function"] >= 4
    assert explanation.evidence["environment"] > 0


def test_a_test_that_does_not_exist_is_told_with_near_names(project: Project) -> None:
    project.record()

    with pytest.raises(UnknownTestError, match=r"Did you mean 'test_a\.py::test_pay'"):
        explain("test_a.py::test_pai")


@pytest.mark.usefixtures("project")
def test_nothing_is_explained_before_anything_was_recorded() -> None:
    with pytest.raises(NothingRecordedError, match=r"wiremap run"):
        explain("test_a.py::test_pay")
