"""Finds out what kind of checkpoint a path is."""

from pathlib import Path

from wiremap_llm.checkpoint.folder import CheckpointFolder
from wiremap_llm.checkpoint.gguf_checkpoint import GgufCheckpoint
from wiremap_llm.errors import CheckpointError

Checkpoint = CheckpointFolder | GgufCheckpoint


def open_checkpoint(path: str) -> Checkpoint:
    """Open a folder in the Hugging Face layout, or a .gguf file. Weights stay on disk.

    Raises:
        CheckpointError: Nothing there can be read as a model.
    """
    place = Path(path)
    if place.is_dir():
        return CheckpointFolder(place)
    if not place.exists():
        raise CheckpointError(path, "no such file or folder; give a model folder or a .gguf file")
    if place.suffix != ".gguf":
        raise CheckpointError(path, "neither a folder with a config.json nor a .gguf file")
    return GgufCheckpoint(place)
