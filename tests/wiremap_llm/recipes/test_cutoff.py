"""Early cutoff on the engine itself: which of its tests an edit of its recipe runs."""

import shutil
from pathlib import Path

import pytest

import wiremap_llm
from tests.wiremap.projects import Answer, Project, new_project

RECIPE = "wiremap_llm/recipes/dense.py"
ONE_MODEL = "    model = orch.add(model_class(config.hf_config)(config.hf_config))\n"
TWO_MODELS = """\
    if config.hf_config.model_type == "mixture":
        model = orch.add(Mixture(config.hf_config, experts=4))
    else:
        model = orch.add(model_class(config.hf_config)(config.hf_config))
"""
MIXTURE = """
    from wiremap_llm.models.qwen3 import Qwen3ForCausalLM
    class Mixture(Qwen3ForCausalLM):
        def __init__(self, config, experts):
            super().__init__(config)
            self.experts = experts
    """
TESTS = """
    from dataclasses import replace
    from wiremap import compile_mode
    from wiremap_llm.block_manager import BlockManager
    from wiremap_llm.recipes.dense import TINY, combine
    def wired(kind):
        with compile_mode():
            engine, _ = combine(hf_config=replace(TINY, model_type=kind))
        return engine
    def test_dense(): assert wired("qwen3")
    def test_mixture(): assert wired("mixture")
    def test_blocks(): assert BlockManager(4, 16)
    """
DENSE, MIXED, BLOCKS = (f"test_engine.py::test_{name}" for name in ("dense", "mixture", "blocks"))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The engine with a recipe of two branches, recorded."""
    project = new_project(tmp_path_factory.mktemp("engine"), {"mixture.py": MIXTURE, "test_engine.py": TESTS})
    shutil.copytree(Path(wiremap_llm.__file__).parent, project.root / "wiremap_llm")
    edit(project, (ONE_MODEL, TWO_MODELS), ("from wiremap import", "from mixture import Mixture\nfrom wiremap import"))
    project.record()
    return project


def edit(project: Project, *replacements: tuple[str, str]) -> str:
    """Replace texts in the recipe, each of which is there; return what it was."""
    before = text = (project.root / RECIPE).read_text()
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    project.write({RECIPE: text.encode()})
    return before


def answer_to(project: Project, *replacements: tuple[str, str]) -> Answer:
    """Return the verdicts after an edit that is taken back."""
    before = edit(project, *replacements)
    answer = project.affected()
    project.write({RECIPE: before.encode()})
    return answer


def test_an_edit_of_one_branch_runs_no_test_of_the_other(engine: Project) -> None:
    answer = answer_to(engine, ("experts=4", "experts=8"))

    assert (answer.run, answer.skip) == ({MIXED}, {DENSE, BLOCKS})
    assert answer.rules(MIXED) == {"topology"}


def test_an_edit_of_a_parameter_runs_who_builds_the_component(engine: Project) -> None:
    answer = answer_to(
        engine, ("BlockManager(config.num_kvcache_blocks,", "BlockManager(config.num_kvcache_blocks + 1,")
    )

    assert (answer.run, answer.skip) == ({DENSE, MIXED}, {BLOCKS})


def test_a_refactoring_runs_nothing(engine: Project) -> None:
    answer = answer_to(
        engine, ("model_runner = orch", "runner = orch"), ("= model_runner", "= runner"), ("(model_runner", "(runner")
    )

    assert answer.run == set()
