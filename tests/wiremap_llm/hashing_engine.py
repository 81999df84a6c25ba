"""The engine around a runner that hashes: everything but the model is real."""

from collections.abc import Callable
from typing import Any

from tests.wiremap_llm import text_model
from tests.wiremap_llm.fakes import VOCAB_SIZE, HashingRunner, model_config
from wiremap import RegistryOrchestrator
from wiremap_llm.block_manager import BlockManager
from wiremap_llm.llm_engine import LLMEngine
from wiremap_llm.scheduler import Scheduler
from wiremap_llm.tokenizer import Tokenizer


def hashing_engine(runner: Callable[[int], HashingRunner] = HashingRunner, **resources: Any) -> LLMEngine:
    """Return an engine with a tokenizer, and with *runner* of its block size in place of a model runner."""
    hf_config = model_config(vocab_size=VOCAB_SIZE)
    orch = RegistryOrchestrator()
    engine = orch.add(LLMEngine(**{"hf_config": hf_config, "kvcache_block_size": 4, **resources}))
    config = engine.config
    engine.model_runner = orch.add(runner(config.kvcache_block_size))  # type: ignore[assignment] # a stand-in
    engine.block_mngr = orch.add(
        BlockManager(config.num_kvcache_blocks, config.kvcache_block_size, prefix_caching=config.prefix_caching)
    )
    engine.scheduler = orch.add(Scheduler(config))
    for name in ("can_allocate", "allocate", "can_append", "may_append", "mark_cached", "deallocate"):
        orch.register(engine.block_mngr, name, engine.scheduler)
    for name in ("add", "schedule", "postprocess", "finish", "is_finished"):
        orch.register(engine.scheduler, name, engine)
    orch.register(engine.model_runner, "run", engine)
    orch.finalize()
    engine.tokenizer = Tokenizer(text_model.tokenizer())
    return engine
