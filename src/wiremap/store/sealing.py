"""Documents as bytes that tell by themselves whether they are whole: one line with a digest, then compressed JSON.

The digest is that of the JSON, so that equal contents have equal names wherever they were compressed. It tells
damage; it does not tell who wrote the bytes.
"""

import json
import zlib
from hashlib import blake2b

_HEAD = b"wiremap.map/1 "
_DIGEST_BYTES = 16
_LARGEST = 1 << 29
"""More than any map; compressed bytes may stand for much more than that."""


def digest_of(sealed: bytes) -> str:
    """Return the digest that *sealed* bytes, which `seal` made, begin with."""
    return sealed[len(_HEAD) : len(_HEAD) + 2 * _DIGEST_BYTES].decode("ascii", "replace")


def seal(document: object) -> bytes:
    """Return *document*, which is JSON data, as bytes."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode("ascii")
    return _HEAD + _digest(text).encode() + b"\n" + zlib.compress(text)


def unseal(sealed: bytes) -> object:
    """Return the document that was sealed.

    Raises:
        ValueError: The bytes are damaged, cut off, too large, or of another origin.
    """
    if not sealed.startswith(_HEAD):
        raise ValueError("it is no exported map, or one of another version of wiremap")
    decompressor = zlib.decompressobj()
    try:
        text = decompressor.decompress(sealed[len(_HEAD) + 2 * _DIGEST_BYTES + 1 :], _LARGEST)
    except zlib.error as error:
        raise ValueError(f"it is damaged ({error})") from error
    if decompressor.unconsumed_tail:
        raise ValueError(f"it holds more than {_LARGEST >> 20} MB")
    if not decompressor.eof or decompressor.unused_data or _digest(text) != digest_of(sealed):
        raise ValueError("it is damaged or was cut off")
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _digest(text: bytes) -> str:
    return blake2b(text, digest_size=_DIGEST_BYTES).hexdigest()
