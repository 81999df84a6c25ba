from pathlib import Path

import pytest

from tests.wiremap.projects import Project, new_project, work_in
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
    work_in(tmp_path, monkeypatch)
    return made


def test_a_changed_function_is_followed_back_along_the_calls(project: Project) -> None:
    project.record()
    project.write({"money.py": "# why\ndef rounded(x):\n    return round(x, 1)\n"})

    (explanation,) = explain("test_a.py::test_pay")

    (cause,) = explanation.causes
    assert explanation.runs
    assert (cause.unit, cause.line) == ("money.py::rounded", 2)
    assert cause.chain == ("test_a.py::test_pay", "shop.py::Checkout.pay", "shop.py::Till.total", "money.py::rounded")


def test_calls_are_followed_where_the_root_of_pytest_lies_below_the_repository(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.root / "part").mkdir()
    for file in (*FILES, "pytest.ini"):
        (project.root / file).rename(project.root / "part" / file)
    monkeypatch.chdir(project.root / "part")
    inner = Project(project.root / "part")
    inner.record()
    inner.write({"money.py": "def rounded(x):\n    return round(x, 1)\n"})

    (explanation,) = explain("test_a.py::test_pay")

    assert [cause.chain[::3] for cause in explanation.causes] == [
        ("part/test_a.py::test_pay", "part/money.py::rounded")
    ]


def test_what_many_tests_call_is_reached_from_each(project: Project) -> None:
    tests = "\n".join(f"def test_{number}(): assert rounded(1)" for number in range(40))
    project.write({"test_many.py": f"from money import rounded\n{tests}\n"})
    project.record()
    project.write({"money.py": "def rounded(x):\n    return round(x, 10)\n"})

    causes = [explanation.causes[0] for explanation in explain("test_many.py")]

    assert {cause.chain[1:] for cause in causes} == {("money.py::rounded",)}
    assert len({cause.chain[0] for cause in causes if cause.called_by_test}) == 40


def test_a_path_begins_at_a_test_that_stands_in_a_base_class(project: Project) -> None:
    base = "from money import rounded\nclass Base:\n    def test_it(self): assert rounded(1)\n"
    project.write({"base.py": base, "test_sub.py": "from base import Base\nclass TestIt(Base): pass\n"})
    project.record()
    project.write({"money.py": "def rounded(x):\n    return round(x, 10)\n"})

    (explanation,) = explain("test_sub.py::TestIt::test_it")

    (cause,) = explanation.causes
    assert cause.chain == ("base.py::Base.test_it", "money.py::rounded")
    assert cause.called_by_test


def test_a_changed_cell_is_told_with_component_and_consumers(project: Project) -> None:
    project.record()
    project.write({"shop.py": WIRED.replace("rounded(sum(prices))", "rounded(sum(prices) + 0)")})

    causes = {cause.unit: cause for cause in explain("test_a.py::test_pay")[0].causes}

    cause = causes["shop.py::Till.total"]
    assert (cause.component, cause.cell, cause.consumers) == ("Till", "total", ("Checkout",))


def test_a_test_that_does_not_run_is_told_with_its_evidence(project: Project) -> None:
    project.record()

    (explanation,) = explain("test_a.py::test_pay")

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


MANY = {
    "money.py": "def rounded(x):\n    return round(x, 2)\n",
    "tests/test_b.py": "import money\n"
    "class TestMoney:\n    def test_one(self): money.rounded(1)\n    def test_two(self): pass\n"
    "import pytest\n@pytest.mark.parametrize('x', 'ab')\ndef test_three(x): pass\n",
}


@pytest.mark.parametrize(
    ("name", "num_tests"),
    [
        ("tests/test_b.py", 4),
        ("tests/test_b.py::TestMoney", 2),
        ("tests/test_b.py::test_three", 2),
        ("tests/test_b.py::test_three[b]", 1),
        ("tests", 4),
        ("tests/", 4),
        (".", 6),
    ],
)
def test_a_name_stands_for_all_tests_in_it(project: Project, name: str, num_tests: int) -> None:
    project.write(MANY)
    project.record()

    assert len(explain(name)) == num_tests


def test_a_name_is_understood_from_the_root_and_from_the_current_folder(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(MANY)
    project.record()
    monkeypatch.chdir(project.root / "tests")

    names = ["tests/test_b.py::TestMoney", "test_b.py::TestMoney", "../tests/test_b.py::TestMoney"]

    assert [[one.test for one in explain(name)] for name in names] == [
        ["tests/test_b.py::TestMoney::test_one", "tests/test_b.py::TestMoney::test_two"]
    ] * 3


def test_an_unanswered_question_tells_that_a_map_was_set_aside(project: Project) -> None:
    project.record()
    project.write({".wiremap/map-5.sqlite": b"damage" * 500})

    with pytest.raises(NothingRecordedError, match=r"set aside as map-5\.kept-1\.sqlite, since it is damaged"):
        explain("test_a.py::test_pay")
    with pytest.raises(NothingRecordedError, match=r"set aside as map-5\.kept-1\.sqlite"):
        explain("test_a.py::test_pay")
