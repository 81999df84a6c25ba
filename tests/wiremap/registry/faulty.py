"""One wiring for each fault and warning; ``tests/golden/wiring_messages.txt`` has what is said about it."""

import abc
import dataclasses
import itertools
from collections.abc import Callable
from typing import Any, Protocol

from wiremap import RegistryOrchestrator, Requires


class BlockManager:
    def __init__(self) -> None:
        self.num_free = 8

    def can_allocate(self, count: int) -> bool:
        return count <= self.num_free

    def allocate(self, count: int) -> list[int]:
        self.num_free -= count
        return list(range(count))


class PagedCache(BlockManager):
    """Another provider of the same cells."""


class Scheduler:
    allocate: Requires[Callable[[int], list[int]]]

    def add(self, request: object) -> None: ...

    def schedule(self) -> list[int]:
        return self.allocate(2)


class Typed:
    allocate = Requires[Callable[[int], list[int]]]()


class Pools(Protocol):
    def allocate(self, count: int) -> list[int]: ...


class Pooling:
    pools = Requires[Pools]()


class Lender:
    def allocate(self, count: str) -> list[int]:
        return [len(count)]


class Engine:
    def clock(self) -> float:
        return 0.0

    def step(self) -> Any:
        return self.schedule()  # type: ignore[attr-defined] # a cell


class Stubborn(Engine):
    def schedule(self) -> None: ...


class Counting(Engine):
    def __init__(self) -> None:
        self.num_free = 0


class Reading: ...


class Layer:
    def __init__(self, number: int) -> None:
        vars(self)[f"output_{number}"] = 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    size: int = 1


def a_name_is_misspelled() -> None:
    orch = RegistryOrchestrator()
    orch.register(BlockManager(), "alocate", Engine())
    orch.compile()


def a_misspelled_name_leaves_a_requirement_open() -> None:
    orch = RegistryOrchestrator()
    orch.register(BlockManager(), "alocate", Scheduler())
    orch.compile()


def nothing_has_a_name_like_that() -> None:
    orch = RegistryOrchestrator()
    orch.register(BlockManager(), "reserve", Engine())
    orch.compile()


def provider_and_consumer_are_swapped() -> None:
    orch = RegistryOrchestrator()
    orch.register(Scheduler(), "allocate", BlockManager())
    orch.compile()


def two_give_one_cell() -> None:
    orch = RegistryOrchestrator()
    scheduler = orch.add(Scheduler())
    orch.register(BlockManager(), "allocate", scheduler)
    orch.register(PagedCache(), "allocate", scheduler)
    orch.compile()


def a_method_has_the_name() -> None:
    orch = RegistryOrchestrator()
    scheduler = Scheduler()
    orch.register(BlockManager(), "allocate", scheduler)
    orch.register(scheduler, "schedule", Stubborn())
    orch.compile()


def an_attribute_has_the_name() -> None:
    orch = RegistryOrchestrator()
    orch.register(BlockManager(), "num_free", Counting())
    orch.compile()


def another_orchestrator_gave_the_name() -> None:
    engine = Engine()
    first, second = RegistryOrchestrator(), RegistryOrchestrator()
    first.register(BlockManager(), "allocate", engine)
    first.finalize()
    second.register(PagedCache(), "allocate", engine)
    second.compile()


def the_consumer_has_no_room() -> None:
    orch = RegistryOrchestrator()
    blocks, settings = orch.add(BlockManager()), Settings()
    for cell in ("can_allocate", "allocate", "num_free"):
        orch.register(blocks, cell, settings)
    orch.compile()


def a_signature_does_not_fit() -> None:
    orch = RegistryOrchestrator()
    orch.register(Lender(), "allocate", Scheduler())
    orch.compile()


def two_need_each_other() -> None:
    orch = RegistryOrchestrator()
    engine, scheduler = Engine(), Scheduler()
    orch.register(BlockManager(), "allocate", scheduler)
    orch.register(scheduler, "add", engine)
    orch.register(engine, "clock", scheduler)
    orch.compile()


def many_need_each_other() -> None:
    orch = RegistryOrchestrator()
    ring = [orch.add(Layer(number), id=f"model.layers.{number}") for number in range(12)]
    for number, provider in enumerate(ring):
        orch.register(provider, f"output_{number}", ring[number - 11])
    orch.compile()


def a_required_cell_is_missing() -> None:
    orch = RegistryOrchestrator()
    scheduler = orch.add(Scheduler())
    orch.add(BlockManager())
    orch.register(scheduler, "schedule", Engine())
    orch.compile()


def a_required_cell_has_another_name() -> None:
    class Paged:
        def allocate_blocks(self) -> None: ...

    orch = RegistryOrchestrator()
    orch.add(Scheduler())
    orch.add(Paged())
    orch.compile()


def nothing_gives_a_required_cell_and_much_needs_it() -> None:
    orch = RegistryOrchestrator()
    scheduler, layers = Scheduler(), [Layer(number) for number in range(8)]
    orch.register(scheduler, "schedule", layers[0])
    for number, layer in enumerate(layers):
        orch.add(layer, id=f"Qwen3MoeForCausalLM.model.layers.{number}.mlp.dispatch")
    for number, (provider, consumer) in enumerate(itertools.pairwise(layers)):
        orch.register(provider, f"output_{number}", consumer)
    orch.compile()


def nothing_is_handed_over_as_a_whole() -> None:
    orch = RegistryOrchestrator()
    orch.add(Pooling())
    orch.add(Lender())
    orch.compile()


def an_id_is_given_twice() -> None:
    orch = RegistryOrchestrator()
    orch.add(BlockManager(), id="kv")
    orch.add(PagedCache(), id="kv")
    orch.compile()


def a_component_is_given_two_ids() -> None:
    orch = RegistryOrchestrator()
    blocks = orch.add(BlockManager(), id="kv")
    orch.add(blocks, id="cache")
    orch.compile()


def one_mistake_in_a_loop_and_two_others() -> None:
    orch = RegistryOrchestrator()
    for number in range(48):
        orch.add(Scheduler(), id=f"model.layers.{number}")
    orch.register(BlockManager(), "alocate", Engine())
    orch.add(Engine(), id="kv")
    orch.add(Engine(), id="kv")
    orch.compile()


def nothing_uses_a_component() -> None:
    orch = RegistryOrchestrator()
    orch.register(BlockManager(), "allocate", Scheduler())
    orch.add(PagedCache())
    orch.finalize()


def a_class_is_added_for_its_instance() -> None:
    orch = RegistryOrchestrator()
    orch.register(BlockManager(), "allocate", Scheduler())
    orch.add(Engine)
    orch.finalize()


def a_block_ends_and_nothing_was_finalized() -> None:
    with RegistryOrchestrator() as orch:
        orch.register(BlockManager(), "allocate", Scheduler())


def nobody_reads_a_cell() -> None:
    orch = RegistryOrchestrator()
    blocks = BlockManager()
    for number in range(4):
        scheduler = orch.add(Scheduler(), id=f"scheduler{number}")
        orch.register(blocks, "allocate", scheduler)
        orch.register(blocks, "can_allocate", scheduler)
    orch.finalize()


def finalized_already() -> None:
    orch = RegistryOrchestrator()
    orch.finalize()
    orch.register(BlockManager(), "allocate", Scheduler())


def nothing_is_added() -> None:
    RegistryOrchestrator().add(None)


def a_number_consumes() -> None:
    RegistryOrchestrator().register(BlockManager(), "allocate", 3)


def a_class_consumes() -> None:
    RegistryOrchestrator().register(BlockManager(), "allocate", Scheduler)


def a_class_provides_a_method() -> None:
    RegistryOrchestrator().register(BlockManager, "allocate", Scheduler())


def a_cell_is_a_method() -> None:
    blocks: Any = BlockManager()
    RegistryOrchestrator().register(blocks, blocks.allocate, Scheduler())


def a_cell_is_a_requirement() -> None:
    cell: Any = Typed.allocate
    RegistryOrchestrator().register(BlockManager(), cell, Typed())


def a_method_is_taken_from_the_class_in_a_typed_line() -> None:
    given: Any = BlockManager.allocate
    Typed.allocate.register(RegistryOrchestrator(), given, Typed())


def a_method_is_taken_from_the_class_and_handed_over_by_name() -> None:
    RegistryOrchestrator().register(BlockManager.allocate, "__call__", Engine(), name="allocate")


def a_cell_is_two_words() -> None:
    RegistryOrchestrator().register(BlockManager(), "can allocate", Scheduler())


def a_cell_is_a_special_method() -> None:
    RegistryOrchestrator().register(BlockManager(), "__call__", Scheduler())


def a_requirement_is_given_another_method() -> None:
    given: Any = BlockManager().can_allocate
    Typed.allocate.register(RegistryOrchestrator(), given, Typed())


def an_abstract_class_is_required_as_an_interface() -> None:
    class Base(abc.ABC):
        @abc.abstractmethod
        def allocate(self, count: int) -> list[int]: ...

    class Paged(Base):
        def allocate(self, count: int) -> list[int]:
            return list(range(count))

        def __repr__(self) -> str:
            return "Paged()"

    class Deriving:
        blocks = Requires[Base]()

    Deriving.blocks.register(RegistryOrchestrator(), Paged(), Deriving())


def a_requirement_lacks_its_parentheses() -> None:
    class Bare:
        allocate = Requires[Callable[[int], list[int]]]

    RegistryOrchestrator().add(Bare())


def a_dataclass_makes_a_field_of_a_requirement() -> None:
    @dataclasses.dataclass
    class Sized:
        size: int
        allocate: Any = Requires[Callable[[int], list[int]]]()  # noqa: RUF009 -- the fault

    RegistryOrchestrator().add(Sized(1))


def an_interface_is_handed_a_cell_of_its_name() -> None:
    class Deep:
        pool = Requires[Pools]()

    class Shallow:
        def pool(self) -> None: ...

    orch = RegistryOrchestrator()
    orch.register(Shallow(), "pool", Deep())
    orch.compile()


def a_class_is_passed_for_its_instance() -> None:
    orch = RegistryOrchestrator()
    orch.register(BlockManager, "num_free", Engine())
    orch.compile()


def a_method_is_passed_for_its_object() -> None:
    orch = RegistryOrchestrator()
    orch.register(BlockManager().allocate, "allocate", Engine())
    orch.compile()


def an_interface_is_handed_over_by_its_name() -> None:
    class Deep:
        pool = Requires[Pools]()

    orch = RegistryOrchestrator()
    orch.register(BlockManager(), "pool", Deep())
    orch.compile()


def an_interface_is_only_annotated() -> None:
    class Annotating:
        pool: Requires[Pools]

    orch = RegistryOrchestrator()
    orch.register(BlockManager(), "pool", Annotating())
    orch.add(Annotating())
    orch.compile()


def a_callable_is_handed_over_by_the_name_of_an_annotation() -> None:
    def first_fit(count: int) -> list[int]:
        return list(range(count))

    orch = RegistryOrchestrator()
    orch.register(first_fit, "allocate", Scheduler())
    orch.compile()


def an_id_is_blank() -> None:
    RegistryOrchestrator().add(BlockManager(), id=" ")


def a_tag_is_a_number() -> None:
    tags: Any = ["cpu", 3]
    RegistryOrchestrator().add(BlockManager(), tags=tags)


def a_component_hands_itself_a_cell() -> None:
    blocks = BlockManager()
    RegistryOrchestrator().register(blocks, "allocate", blocks)


def a_component_is_its_own_parent() -> None:
    engine = Engine()
    RegistryOrchestrator().connect(engine, engine)


def what_cant_be_called_is_a_callable() -> None:
    orch = RegistryOrchestrator()
    orch.register(BlockManager(), "__call__", Engine(), name="allocate")
    orch.compile()


def an_attribute_is_renamed() -> None:
    RegistryOrchestrator().register(BlockManager(), "allocate", Engine(), name="reserve")


def a_hook_is_async() -> None:
    class Cache:
        async def __post_wire__(self) -> None: ...

    orch = RegistryOrchestrator()
    orch.add(Cache())
    orch.compile()


def a_component_takes_no_part_in_what_it_wires() -> None:
    class Runner:
        def __init__(self) -> None:
            orch = RegistryOrchestrator()
            orch.register(BlockManager(), "allocate", Scheduler())
            orch.finalize()

    orch = RegistryOrchestrator()
    orch.add(Runner())
    orch.compile()


def a_signature_misfits_in_every_way() -> None:
    class Lending:
        def allocate(self, count: str, *, until: int) -> None: ...

    orch = RegistryOrchestrator()
    orch.register(Lending(), "allocate", Typed())
    orch.compile()


def a_state_cell_is_assigned_over_on_the_class() -> None:
    orch = RegistryOrchestrator()
    orch.register(BlockManager(), "num_free", Reading())
    orch.finalize()
    Reading.num_free = 8  # type: ignore[attr-defined] # the fault
    try:
        orch.compile()
    finally:
        del Reading.num_free  # type: ignore[attr-defined] # same


def a_module_reads_a_state_cell_without_a_value() -> None:
    class Cache:
        blocks: int

    class Attention:
        def __getattr__(self, name: str) -> object:
            raise AttributeError(name)

    orch, attention = RegistryOrchestrator(), Attention()
    orch.register(Cache(), "blocks", attention)
    orch.finalize()
    _ = attention.blocks


def a_function_is_handed_over_by_name() -> None:
    def first_fit(count: int) -> list[int]:
        return list(range(count))

    orch = RegistryOrchestrator()
    orch.register(first_fit, "allocate", Typed())
    orch.register(first_fit, "schedule", Engine())
    orch.compile()


def the_cell_comes_last() -> None:
    consumer: Any = Engine()
    RegistryOrchestrator().register(BlockManager(), consumer, "allocate")


def a_class_stands_in() -> None:
    orch = RegistryOrchestrator()
    orch.register(BlockManager(), "allocate", scheduler := Scheduler())
    orch.finalize().override("BlockManager", PagedCache)
    _ = scheduler


def nothing_stands_in() -> None:
    orch = RegistryOrchestrator()
    orch.register(BlockManager(), "allocate", scheduler := Scheduler())
    orch.finalize().override("BlockManager", None)
    _ = scheduler
