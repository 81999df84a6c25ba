"""The container is read as the gguf package reads it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFReader
from gguf.constants import GGMLQuantizationType
from gguf.quants import dequantize

from tests.wiremap_llm.checkpoints import ReferenceModel
from tests.wiremap_llm.gguf_model import write_gguf
from wiremap_llm.checkpoint.gguf_file import GgufFile
from wiremap_llm.errors import CheckpointError


@pytest.fixture
def path(references: dict[str, ReferenceModel], tmp_path: Path) -> Path:
    return write_gguf(references["llama"], tmp_path / "model.gguf", quantize_matrices=True)


def test_metadata_equals_that_of_the_gguf_package(path: Path) -> None:
    fields = GGUFReader(path).fields

    found = GgufFile(path).metadata

    stored = {name: field.contents() for name, field in fields.items() if not name.startswith("GGUF.")}
    assert found == stored


def test_tensors_equal_those_of_the_gguf_package(path: Path) -> None:
    opened, reader = GgufFile(path), GGUFReader(path)

    assert opened.tensors.keys() == {tensor.name for tensor in reader.tensors}
    for tensor in reader.tensors:
        expected = dequantize(tensor.data, tensor.tensor_type)
        np.testing.assert_array_equal(opened.read(tensor.name), expected)


@pytest.mark.parametrize("length", [0, 3, 4, 20, 200, 1000])
def test_a_file_that_ends_early_is_refused(length: int, path: Path) -> None:
    cut = path.with_name("cut.gguf")
    cut.write_bytes(path.read_bytes()[:length])

    with pytest.raises(CheckpointError, match=r"cut\.gguf: is no readable GGUF file"):
        GgufFile(cut)


def test_another_version_is_refused(path: Path) -> None:
    path.write_bytes(b"GGUF\x09\0\0\0" + path.read_bytes()[8:])

    with pytest.raises(CheckpointError, match="version 9"):
        GgufFile(path)


def test_a_format_that_nobody_can_dequantise_is_refused(path: Path) -> None:
    opened = GgufFile(path)
    entry = opened.tensors["output_norm.weight"]
    opened.tensors["output_norm.weight"] = replace(entry, quantization=GGMLQuantizationType.I8)

    with pytest.raises(CheckpointError, match=r"output_norm\.weight cannot be read .*I8 is not yet"):
        opened.read("output_norm.weight")


def test_a_file_without_all_its_tensors_is_refused(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-4000])

    with pytest.raises(CheckpointError, match="ends before its tensors do"):
        GgufFile(path)
