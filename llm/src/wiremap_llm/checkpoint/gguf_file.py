"""The GGUF container: a header of key-value pairs and tensor entries, then the tensors' bytes.

Why not `gguf.GGUFReader`: it wraps each of the 150,000 strings of a tokenizer in arrays, which takes
seconds, and the engine reads a header twice (for the configuration, then for the weights). What the
quantised formats mean comes from that package.

Source:
    ggml's docs/gguf.md, versions 2 and 3, little endian.
"""

import mmap
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from gguf.constants import GGMLQuantizationType
from gguf.quants import dequantize, quant_shape_to_byte_shape

from wiremap_llm.errors import CheckpointError

_SCALARS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
_STRING, _ARRAY = 8, 9


@dataclass(frozen=True)
class TensorEntry:
    """Where a tensor is; `shape` is row-major, last dimension contiguous."""

    shape: tuple[int, ...]
    quantization: GGMLQuantizationType
    offset: int

    @property
    def byte_shape(self) -> tuple[int, ...]:
        """The shape of the stored bytes: quantised formats pack the last dimension."""
        return quant_shape_to_byte_shape(self.shape, self.quantization)


class GgufFile:
    """One opened file: its metadata, its tensors' entries, and their values on demand."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._at = 0
        try:
            with path.open("rb") as file:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self.metadata, self.tensors = self._read_header()
        except (struct.error, ValueError, KeyError, IndexError) as error:
            raise CheckpointError(str(path), f"is no readable GGUF file ({error})") from error
        alignment: int = self.metadata.get("general.alignment", 32)
        self._data_start = -(-self._at // alignment) * alignment
        if any(self._end(entry) > len(self._bytes) for entry in self.tensors.values()):
            raise CheckpointError(str(path), "ends before its tensors do; download it again")

    def read(self, name: str) -> "np.ndarray[Any, np.dtype[np.float32]]":
        """Return the values of one tensor, dequantised to float32; they may share the file's memory.

        Raises:
            CheckpointError: The gguf package cannot dequantise the tensor's format.
        """
        entry = self.tensors[name]
        byte_shape = entry.byte_shape
        raw = np.frombuffer(self._bytes, np.uint8, prod(byte_shape), self._data_start + entry.offset)
        try:
            return dequantize(raw.reshape(byte_shape), entry.quantization)
        except NotImplementedError as error:
            raise CheckpointError(str(self.path), f"{name} cannot be read ({error})") from error

    def _end(self, entry: TensorEntry) -> int:
        return self._data_start + entry.offset + prod(entry.byte_shape)

    def _read_header(self) -> tuple[dict[str, Any], dict[str, TensorEntry]]:
        if self._bytes[:4] != b"GGUF":
            raise ValueError("it does not start with GGUF")
        self._at = 4
        version = self._scalar("I")
        if version not in (2, 3):
            raise ValueError(f"version {version}")
        num_tensors, num_pairs = self._scalar("Q"), self._scalar("Q")
        metadata = {self._string(): self._value(self._scalar("I")) for _ in range(num_pairs)}
        tensors = {self._string(): self._entry() for _ in range(num_tensors)}
        return metadata, tensors

    def _entry(self) -> TensorEntry:
        dimensions = [self._scalar("Q") for _ in range(self._scalar("I"))]
        quantization = GGMLQuantizationType(self._scalar("I"))
        return TensorEntry(tuple(reversed(dimensions)), quantization, self._scalar("Q"))

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string()
        if kind != _ARRAY:
            return self._scalar(_SCALARS[kind])
        item_kind, count = self._scalar("I"), self._scalar("Q")
        return [self._value(item_kind) for _ in range(count)]

    def _string(self) -> str:
        length = self._scalar("Q")
        start, self._at = self._at, self._at + length
        return self._bytes[start : self._at].decode("utf-8")

    def _scalar(self, code: str) -> Any:
        (value,) = struct.unpack_from("<" + code, self._bytes, self._at)
        self._at += struct.calcsize("<" + code)
        return value
