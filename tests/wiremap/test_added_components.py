"""A component that is added on the way of a test runs it, though no call of the test reaches the component.

Each case shows by what the test ends otherwise, so that leaving it out would be a miss. The argument is in
`docs/decisions/0020-an-added-component-is-a-step.md`.
"""

from pathlib import Path

import pytest

from tests.wiremap.projects import new_project

PARTS = """
    class Pool:
        def take(self): return 1
    class User:
        def use(self): return self.take()
    class Plain:
        def __init__(self): self.size = 1
        def extra(self): return self.size
    """
RECIPES = """
    from parts import Plain, Pool, User
    from wiremap import RegistryOrchestrator, recipe

    @recipe
    def wire():
        orch = RegistryOrchestrator()
        user, pool = orch.add(User()), Pool()
        # here
        orch.register(pool, "take", user)
        return user, orch.finalize()
    """
TEST = "test_a.py::test_it"


@pytest.mark.parametrize(
    ("test", "added"),
    [
        pytest.param(
            "assert wire()[0].use() == 1",
            "orch.add(Plain())",
            id="a component that nothing uses is a warning, here an error",
        ),
        pytest.param(
            "assert sorted(wire()[1].ids) == ['Pool', 'User']",
            "orch.register(Plain(), 'extra', pool)",
            id="the graph holds it",
        ),
        pytest.param(
            "assert [one for one in wire()[1].ids if one[:4] == 'Pool'] == ['Pool']",
            "orch.register(Pool(), 'take', Plain())",
            id="another component of the class gets another id",
        ),
        pytest.param(
            "assert 'extra' not in vars(wire()[0])",
            "orch.register(Plain(), 'extra', user)",
            id="its consumer has an attribute more",
        ),
        pytest.param(
            "assert getattr(wire()[0], 'extra', None) is None",
            "orch.register(Plain(), 'extra', user)",
            id="and answers by a name that it had not",
        ),
    ],
)
def test_it_runs_what_ends_otherwise(tmp_path: Path, test: str, added: str) -> None:
    text = f"from recipes import wire\ndef test_it(): {test}\n"
    warnings = "error" if added == "orch.add(Plain())" else "default"
    settings = f"[pytest]\npythonpath = .\nfilterwarnings = {warnings}\n"
    project = new_project(
        tmp_path, {"parts.py": PARTS, "recipes.py": RECIPES, "test_a.py": text, "pytest.ini": settings}
    )
    project.record()

    project.write({"recipes.py": RECIPES.replace("# here", added)})

    assert project.affected().rules(TEST) == {"topology"}
    assert "1 failed" in project.run_pytest(mode="--wiremap-record").stdout
