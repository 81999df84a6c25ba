"""An LLM inference engine assembled from recipes with wiremap.

Start with a recipe: `wiremap_llm.recipes.dense.combine(model=FOLDER)` gives an engine.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wiremap_llm.llm_engine import LLMEngine
    from wiremap_llm.request import SamplingParams

__version__ = "0.1.0"

__all__ = ["LLMEngine", "SamplingParams", "__version__"]


def __getattr__(name: str) -> Any:
    """Import a public name on first use: the scheduler must be importable without loading torch."""
    if name == "LLMEngine":
        from wiremap_llm.llm_engine import LLMEngine  # noqa: PLC0415 - the reason is in the docstring

        return LLMEngine
    if name == "SamplingParams":
        from wiremap_llm.request import SamplingParams  # noqa: PLC0415 - the same

        return SamplingParams
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
