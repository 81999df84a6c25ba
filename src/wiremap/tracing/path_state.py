"""The state of a file or folder, as one short string that changes when its content does."""

import io
import os
import stat
from _blake2 import blake2b  # as in `variables`

from wiremap.tracing.territory import TOOL_FOLDERS

ABSENT = "absent"

# Bound at import: tests patch `open` and the functions of `os`, and must not meet us there.
_open, _listdir, _stat = io.open, os.listdir, os.stat
_CHUNK = 1 << 20


def path_state(real: str) -> str:
    """Return `ABSENT`, `file:DIGEST` of the bytes, `folder:DIGEST` of the names in a folder, or `special`.

    A path that can't be read is told by its reason, so that becoming readable is a change.
    """
    try:
        kind = path_presence(real)
        if kind == "folder":
            names = sorted(name for name in _listdir(real) if name not in TOOL_FOLDERS)
            return "folder:" + blake2b("\0".join(names).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
        return "file:" + _content_digest(real) if kind == "file" else kind
    except FileNotFoundError:
        return ABSENT
    except OSError as error:
        return f"unreadable:{error.errno}"


def path_presence(real: str) -> str:
    """Return what stands at a path: `file`, `folder`, `special` for a pipe or device, or `ABSENT`."""
    try:
        mode = _stat(real).st_mode
    except (OSError, ValueError):
        return ABSENT
    if stat.S_ISDIR(mode):
        return "folder"
    # A pipe must not be read: that would take what the test is to get.
    return "file" if stat.S_ISREG(mode) else "special"


def _content_digest(real: str) -> str:
    digest = blake2b(digest_size=12)
    with _open(real, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
