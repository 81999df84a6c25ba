"""An engine to lock and check, laid out in a folder, with what can be wrong in it."""

from pathlib import Path

from tests.wiremap.projects import Project, new_project

FILES: dict[str, str | bytes | None] = {
    "pyproject.toml": """\
        [tool.wiremap]
        recipes = ["engine.recipes"]
        """,
    "engine/__init__.py": "",
    "engine/blocks.py": """\
        class BlockManager:
            def __init__(self, num_blocks):
                self.num_blocks = num_blocks
                self._free = list(range(num_blocks))

            def allocate(self, count):
                return [self._free.pop() for _ in range(count)]

            def audit(self):
                return len(self._free)
        """,
    "engine/scheduler.py": """\
        from collections.abc import Callable

        from wiremap import Requires


        class Scheduler:
            allocate: Requires[Callable[[int], list[int]]]

            def schedule(self, count):
                return self.allocate(count)
        """,
    "engine/layers.py": """\
        class Layer:
            def __init__(self, number):
                self.number = number

            def __call__(self, hidden):
                return self.norm(hidden)
        """,
    "engine/norm.py": """\
        class Norm:
            def __init__(self, clock):
                self.eps = 1e-6
                self.clock = clock

            def norm(self, hidden):
                return hidden
        """,
    "engine/recipes.py": """\
        from wiremap import RegistryOrchestrator, recipe

        from engine.blocks import BlockManager
        from engine.layers import Layer
        from engine.norm import Norm
        from engine.scheduler import Scheduler


        class Model:
            def __init__(self):
                self.layers = [Layer(number) for number in range(3)]


        @recipe
        def combine():
            orch = RegistryOrchestrator()
            scheduler = orch.add(Scheduler())
            orch.register(BlockManager(8), "allocate", scheduler)
            model = orch.add(Model())
            norm = orch.add(Norm(lambda: 0))
            for layer in model.layers:
                orch.register(norm, "norm", layer)
            orch.finalize()
            return scheduler, model
        """,
}

FAULTY: dict[str, str | bytes | None] = {
    "engine/scheduler.py": """\
        from collections.abc import Callable

        from wiremap import Requires

        from engine.blocks import BlockManager


        class Scheduler:
            allocate: Requires[Callable[[int], list[int]]]

            def schedule(self, count):
                return self.allocate(count)

            def drain(self, blocks: BlockManager):
                self.allocate.__self__.audit()
                return blocks._free


        class FairScheduler(Scheduler):
            def schedule(self, count):
                return self.allocate(1)
        """,
}
"""What is found in it: one component class too many, and two ways past a cell."""


def new_engine(folder: Path) -> Project:
    return new_project(folder, FILES)
