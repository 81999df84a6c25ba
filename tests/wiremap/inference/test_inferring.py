"""Whole code bases: the shapes of real engines, and what stays out of sight."""

from hypothesis import given
from hypothesis import strategies as st

from tests.wiremap.inference.code_bases import ROOT, cells, graph_of, holds, infer
from wiremap.graph import Graph
from wiremap.inference import infer_graph

ENGINE = {
    "engine/__init__.py": "from engine.llm import LLM",
    "engine/llm.py": """
        from engine.core.llm_engine import LLMEngine

        class LLM(LLMEngine):
            pass
    """,
    "engine/config.py": """
        from dataclasses import dataclass

        @dataclass
        class Config:
            model: str
            num_blocks: int = -1
            def __post_init__(self):
                assert self.num_blocks
    """,
    "engine/core/sequence.py": """
        class Sequence:
            def __init__(self, token_ids: list[int]):
                self.token_ids = token_ids
            @property
            def num_blocks(self):
                return len(self.token_ids)
            def append_token(self, token_id: int):
                self.token_ids.append(token_id)
    """,
    "engine/core/block_manager.py": """
        from engine.core.sequence import Sequence

        class BlockManager:
            def __init__(self, num_blocks: int):
                self.free = list(range(num_blocks))
            def can_allocate(self, seq: Sequence) -> bool:
                return len(self.free) >= seq.num_blocks
            def allocate(self, seq: Sequence): ...
            def deallocate(self, seq: Sequence): ...
            def can_append(self, seq: Sequence): ...
            def may_append(self, seq: Sequence): ...
    """,
    "engine/core/scheduler.py": """
        from collections import deque
        from engine.config import Config
        from engine.core.sequence import Sequence
        from engine.core.block_manager import BlockManager

        class Scheduler:
            def __init__(self, config: Config):
                self.num_blocks = config.num_blocks
                self.block_manager = BlockManager(config.num_blocks)
                self.waiting: deque[Sequence] = deque()
                self.running: deque[Sequence] = deque()
            def is_finished(self):
                return not self.waiting and not self.running
            def add(self, seq: Sequence):
                self.waiting.append(seq)
            def schedule(self) -> tuple[list[Sequence], bool]:
                scheduled = []
                while self.waiting:
                    seq = self.waiting[0]
                    if not self.block_manager.can_allocate(seq):
                        break
                    self.block_manager.allocate(seq)
                    self.running.append(self.waiting.popleft())
                while self.running:
                    seq = self.running.popleft()
                    while not self.block_manager.can_append(seq):
                        self.preempt(self.running.pop())
                    self.block_manager.may_append(seq)
                    scheduled.append(seq)
                return scheduled, False
            def preempt(self, seq: Sequence):
                self.block_manager.deallocate(seq)
            def postprocess(self, seqs: list[Sequence], token_ids: list[int]):
                for seq, token_id in zip(seqs, token_ids):
                    seq.append_token(token_id)
    """,
    "engine/core/model_runner.py": """
        import torch
        from multiprocessing.synchronize import Event
        from engine.config import Config
        from engine.core.sequence import Sequence
        from engine.models.qwen import QwenForCausalLM

        class ModelRunner:
            def __init__(self, config: Config, rank: int, event: Event | list[Event]):
                self.config = config
                self.event = event
                self.model = QwenForCausalLM(config)
                self.warm_up()
            def call(self, name, *args):
                return getattr(self, name, None)(*args)
            def warm_up(self):
                self.run([Sequence([0])])
            @torch.inference_mode()
            def run(self, seqs: list[Sequence]) -> list[int]:
                for module in self.model.modules():
                    module.k_cache = None
                return self.model.compute_logits(self.model(seqs))
    """,
    "engine/core/llm_engine.py": """
        from transformers import AutoTokenizer
        from engine.config import Config
        from engine.core.sequence import Sequence
        from engine.core.scheduler import Scheduler
        from engine.core.model_runner import ModelRunner

        class LLMEngine:
            def __init__(self, model, **kwargs):
                config = Config(model, **kwargs)
                self.events = []
                self.model_runner = ModelRunner(config, 0, self.events)
                self.tokenizer = AutoTokenizer.from_pretrained(config.model)
                self.scheduler = Scheduler(config)
            def add_request(self, prompt):
                self.scheduler.add(Sequence(self.tokenizer.encode(prompt)))
            def step(self):
                seqs, is_prefill = self.scheduler.schedule()
                token_ids = self.model_runner.call("run", seqs)
                self.scheduler.postprocess(seqs, token_ids)
                return [seq.token_ids for seq in seqs]
            def generate(self, prompts):
                while not self.scheduler.is_finished():
                    self.step()
    """,
    "engine/models/qwen.py": """
        from torch import nn
        from engine.layers.attention import Attention

        class QwenLayer(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.attn = Attention()
            def forward(self, x):
                return x + self.attn(x)

        class QwenModel(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.layers = nn.ModuleList([QwenLayer(config) for _ in range(config.num_layers)])
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x

        class QwenForCausalLM(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.model = QwenModel(config)
            def forward(self, x):
                return self.model(x)
            def compute_logits(self, hidden):
                return hidden
    """,
    "engine/layers/attention.py": """
        from torch import nn

        class Attention(nn.Module):
            def __init__(self):
                super().__init__()
                self.k_cache = self.v_cache = None
            def forward(self, x):
                return x
    """,
}


def test_the_outer_graph_of_an_engine_comes_out() -> None:
    outer = graph_of(ENGINE).subgraph(["BlockManager", "Scheduler", "ModelRunner", "LLMEngine"])

    assert cells(outer) == {
        *(f"BlockManager.{cell}() > Scheduler" for cell in ("can_allocate", "allocate", "can_append", "may_append")),
        "BlockManager.deallocate() > Scheduler",
        *(f"Scheduler.{cell}() > LLMEngine" for cell in ("add", "schedule", "postprocess", "is_finished")),
        "ModelRunner.call() > LLMEngine",
    }
    assert holds(outer) == {
        "LLMEngine holds ModelRunner",
        "LLMEngine holds Scheduler",
        "Scheduler holds BlockManager",
    }


def test_the_local_graph_of_an_engine_comes_out() -> None:
    graph = graph_of(ENGINE)

    local = graph.subgraph(["ModelRunner", "QwenForCausalLM", "QwenModel", "QwenLayer", "Attention"])
    assert cells(local) == {
        "QwenForCausalLM.forward() > ModelRunner",
        "QwenForCausalLM.compute_logits() > ModelRunner",
        "QwenForCausalLM.modules() > ModelRunner",
        "QwenModel.forward() > QwenForCausalLM",
        "QwenLayer.forward() > QwenModel",
        "Attention.forward() > QwenLayer",
    }
    assert holds(local) == {
        "ModelRunner holds QwenForCausalLM",
        "QwenForCausalLM holds QwenModel",
        "QwenModel holds QwenLayer",
        "QwenLayer holds Attention",
    }


def test_requests_and_configurations_are_no_components() -> None:
    assert {"Sequence", "Config", "LLM"}.isdisjoint(graph_of(ENGINE).ids)


def test_a_component_says_where_its_class_stands() -> None:
    scheduler = graph_of(ENGINE).component("Scheduler")

    assert scheduler.type == "Scheduler"
    assert scheduler.module == "engine.core.scheduler"
    assert scheduler.source_path == "engine/core/scheduler.py"
    assert scheduler.source_line == 7
    assert scheduler.provides == ("add", "is_finished", "postprocess", "schedule")


def test_the_graph_survives_json() -> None:
    graph = graph_of(ENGINE)

    assert Graph.from_json(graph.to_json()) == graph


def test_the_graph_does_not_depend_on_where_the_folder_lies_or_in_which_order_files_come() -> None:
    files = {path: text.encode() for path, text in ENGINE.items()}
    files = {path: b"\n".join(line[8:] for line in text.split(b"\n")) for path, text in files.items()}

    here = infer_graph({f"/a/b/{path}": text for path, text in files.items()})
    there = infer_graph({f"/{path}": text for path, text in reversed(files.items())})

    assert here.graph.to_json() == there.graph.to_json()


def test_a_file_that_does_not_parse_is_told_and_the_others_count() -> None:
    inference = infer(
        {
            "broken.py": "class Broken(:",
            "app.py": """
                class Pool:
                    def take(self): ...
                class App:
                    def __init__(self):
                        self.pool = Pool()
                    def run(self):
                        self.pool.take()
            """,
        }
    )

    assert cells(inference.graph) == {"Pool.take() > App"}
    assert list(inference.faults) == [f"{ROOT}/broken.py"]
    assert "invalid syntax" in inference.faults[f"{ROOT}/broken.py"]


def test_an_encoding_cookie_counts() -> None:
    text = "# -*- coding: latin-1 -*-\nclass Caf\xe9:\n def serve(self): ...\nclass App:\n"
    text += " def __init__(self): self.cafe = Caf\xe9()\n def run(self): self.cafe.serve()\n"

    inference = infer_graph({"/app.py": text.encode("latin-1"), "/other.py": b"x = '\xff'"})

    assert cells(inference.graph) == {"Caf\xe9.serve() > App"}
    assert list(inference.faults) == ["/other.py"]


def test_code_that_nests_too_deeply_is_told() -> None:
    deep = "class App:\n def run(self):\n  return " + " + ".join(["self.x"] * 900)

    assert list(infer(deep).faults.values()) == ["it nests too deeply"]


def test_calls_through_attributes_of_unknown_class_are_counted() -> None:
    inference = infer("""
        class App:
            def __init__(self, policy, size):
                self.policy = policy
                self.size = 3
            def run(self):
                for _ in range(3):
                    self.policy.decide()
                self.policy.reset()
                self.size.bit_length()
    """)

    assert inference.unknown_calls == {"App.policy": 2}


def test_registrations_by_decorator_are_told() -> None:
    inference = infer("""
        import atexit

        @BACKENDS.register("paged")
        class Paged: ...

        @register_model("qwen")
        def make(): ...

        @atexit.register
        def leave(): ...
    """)

    assert inference.registrations == ("BACKENDS.register", "register_model")


def test_no_source_is_no_graph() -> None:
    assert infer_graph({}).graph == Graph()


@given(st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from("abc")), max_size=20))
def test_every_call_of_a_part_is_found_and_no_other(wires: set[tuple[int, int, str]]) -> None:
    wires = {(provider, consumer, cell) for provider, consumer, cell in wires if provider < consumer}
    modules = {
        f"part{number}.py": "\n".join(
            [
                *(f"from part{provider} import Part{provider}" for provider in range(number)),
                f"class Part{number}:",
                "    def __init__(self):",
                "        self.id = 0",
                *(f"        self.p{provider} = Part{provider}()" for provider in range(number)),
                *(f"    def {cell}(self): ..." for cell in "abc"),
                "    def run(self):",
                "        return self",
                *(f"        self.p{one}.{cell}()" for one, consumer, cell in sorted(wires) if consumer == number),
            ]
        ).replace("        return self\n", "        self.id\n")
        for number in range(8)
    }

    graph = graph_of(modules)

    assert cells(graph) == {f"Part{provider}.{cell}() > Part{consumer}" for provider, consumer, cell in wires}


def test_what_only_is_something_to_call_is_of_unknown_class_too() -> None:
    inference = infer("""
        from typing import Any, Callable

        App = Callable[[Any], None]
        class Pool:
            def take(self): ...
        class Middleware:
            def __init__(self, app: App, make: Callable[[], Pool]):
                self.app = app
                self.make = make
                self.key = lambda one: one
            def run(self, request):
                self.make().take()
                self.key(request)
                self.app(request)
    """)

    assert inference.unknown_calls == {"Middleware.app": 1}


def test_classes_that_are_passed_on_and_made_out_of_sight_are_told() -> None:
    inference = infer("""
        class Gzip:
            def __call__(self): ...
        class Cors:
            def __call__(self): ...
        class Pool:
            def take(self): ...
        class TooLate(Exception):
            def text(self): ...
        class Layer:
            def __init__(self, cls):
                self.cls = cls
            def __iter__(self):
                return iter((self.cls, 1))
        class App:
            def __init__(self, handler):
                self.layers = [Layer(Gzip), Layer(Cors), Layer(TooLate), Layer(Pool)]
                self.pool = Pool()
                for cls, _ in self.layers:
                    handler = cls(handler)
                self.handler = handler
    """)

    assert inference.handed_on == ("Cors", "Gzip")
