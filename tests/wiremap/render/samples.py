"""Graphs to draw: an engine as large as a real one, and the worst names that one may meet."""

import itertools
from collections.abc import Iterable

from wiremap import Binding, Component, Containment, Graph

LAYERS = 4


def component(component_id: str, type_: str = "", path: str = "", line: int = 0) -> Component:
    return Component(component_id, type_ or component_id, "engine", path, line)


def bindings(provider: str, consumer: str, cells: str, *, state: bool = False) -> Iterable[Binding]:
    return (Binding(provider, cell, consumer, "state" if state else "method") for cell in cells.split())


def moe_engine() -> Graph:
    """An outer graph of four components, with the mixture-of-experts inside of its model runner."""
    return Graph(
        components=(
            component("LLMEngine", path="engine/llm_engine.py", line=21),
            component("ModelRunner", path="engine/model_runner.py", line=30),
            component("BlockManager", path="engine/block_manager.py", line=12),
            component("Scheduler", path="engine/scheduler.py", line=18),
        ),
        bindings=(
            *bindings("BlockManager", "Scheduler", "can_allocate allocate can_append may_append deallocate"),
            *bindings("Scheduler", "LLMEngine", "add schedule postprocess is_finished"),
            *bindings("ModelRunner", "LLMEngine", "run"),
        ),
        containment=tuple(Containment(child, "LLMEngine") for child in ("ModelRunner", "BlockManager", "Scheduler")),
        nested={"ModelRunner": _inside_the_runner()},
    )


def _inside_the_runner() -> Graph:
    model = "Qwen3MoeForCausalLM"
    components = [
        component("ModelRunner", path="engine/model_runner.py", line=30),
        component("FlashinferAttention", path="engine/attention.py", line=9),
        component("MoeBackend", path="engine/moe.py", line=40),
        component(model, path="engine/qwen3_moe.py", line=77),
    ]
    edges = [
        *bindings("FlashinferAttention", "ModelRunner", "prepare_metadata_for_attn_decode"),
        *bindings("FlashinferAttention", "ModelRunner", "prepare_metadata_for_attn_prefill"),
        *bindings("MoeBackend", "ModelRunner", "prepare_metadata_for_moe"),
    ]
    contained = [Containment(model, "ModelRunner")]
    for index in range(LAYERS):
        stem = f"{model}.model.layers.{index}"
        parts = {"self_attn.attn": "Attention", "mlp.dispatch": "DispatchEPLL", "mlp.experts": "ExpertsEPLL"}
        components += [component(f"{stem}.{place}", type_) for place, type_ in parts.items()]
        contained += [Containment(f"{stem}.{place}", model) for place in parts]
        edges += bindings("FlashinferAttention", f"{stem}.self_attn.attn", "attn")
        edges += bindings(
            "MoeBackend",
            f"{stem}.mlp.dispatch",
            "send_buf recv_buf original_indices local_counts topk_weights_buf topk_ids_buf hidden_recv",
            state=True,
        )
        edges += bindings("MoeBackend", f"{stem}.mlp.experts", "run_experts_ll")
    return Graph(tuple(components), tuple(edges), tuple(contained))


NASTY = (
    "end",
    "graph",
    "subgraph",
    "style",
    "a b",
    "a_b",
    'say "hi"',
    "x#y;",
    "<b>&amp;</b>",
    "[(])}|",
    "模型",
    "back\\slash\\N",
    "`tick`",
    "%%{init}%%",
    "two\nlines",
    "o--x",
    "long" * 40,
)


def nasty() -> Graph:
    """Every nasty name as an id, a type and a cell."""
    ring = itertools.pairwise(NASTY)
    return Graph(
        components=tuple(component(name) for name in NASTY),
        bindings=tuple(Binding(one, one, other) for one, other in ring),
        containment=(Containment("end", "graph"),),
    )


def crowd() -> Graph:
    """More components and edges than a Mermaid picture takes, in four packages of a hundred parts."""
    names = [f"pkg{number % 4}.Part{number}" for number in range(400)]
    edges = [(names[at], names[(at + step) % 400]) for at in range(400) for step in (1, 4)]
    return Graph(
        components=tuple(component(name, "Part") for name in names),
        bindings=tuple(Binding(provider, f"cell_{at % 5}", consumer) for at, (provider, consumer) in enumerate(edges)),
    )


def marked() -> Graph:
    """A consumer that reads a method and a state below an interface, of a provider with tags from an extension."""
    provider = Component("cache", "Cache", "engine", tags=("gpu", "paged"), extension="flash")
    return Graph(
        components=(provider, component("Engine")),
        bindings=(
            Binding("cache", "read", "Engine", interface="blocks"),
            Binding("cache", "size", "Engine", "state", interface="blocks"),
        ),
    )


def nested_deeply(depth: int) -> Graph:
    """Graphs nested in each other, each with two components besides its owner."""
    inner: Graph | None = None
    for level in range(depth, 0, -1):
        owner, part = f"Owner{level - 1}", f"Owner{level}"
        inner = Graph(
            components=(component(owner), component(part), component("Part")),
            bindings=(*bindings("Part", owner, "run"), *bindings(part, owner, "step")),
            nested={part: inner} if inner else {},
        )
    return inner or Graph()
