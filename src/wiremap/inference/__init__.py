"""The wiring of a code base that registers nothing, inferred from its source; nothing is imported or run."""

from wiremap.inference.inferring import Inference, infer_graph, infer_registries

__all__ = ["Inference", "infer_graph", "infer_registries"]
