"""Three components of an engine, wired: the example of the README."""

from collections.abc import Callable

from wiremap import Graph, RegistryOrchestrator, Requires, recipe


class BlockManager:
    def __init__(self) -> None:
        self.num_free = 8

    def allocate(self, count: int) -> list[int]:
        self.num_free -= count
        return list(range(count))


class Scheduler:
    allocate: Requires[Callable[[int], list[int]]]
    num_free: Requires[int]

    def schedule(self, wanted: int) -> list[int]:
        if self.num_free < wanted:
            return []
        return self.allocate(wanted)


class Engine:
    schedule: Requires[Callable[[int], list[int]]]

    def step(self) -> list[int]:
        return self.schedule(2)


@recipe  # a function that wires and does no work
def build() -> tuple[Engine, Graph]:
    orch = RegistryOrchestrator()
    engine, scheduler, blocks = orch.add(Engine()), orch.add(Scheduler()), orch.add(BlockManager())
    orch.register(blocks, "allocate", scheduler)  # provider, cell, consumer
    orch.register(blocks, "num_free", scheduler)
    orch.register(scheduler, "schedule", engine)
    return engine, orch.finalize()


if __name__ == "__main__":
    engine, _ = build()
    print("blocks:", engine.step())
