"""Faults of the observer must not reach the test that it observes, and what the test raised must."""

import os
from types import TracebackType

from wiremap.tracing.territory import OWN_FOLDER

NOT_FOLLOWED = "the interpreter told of something that could not be followed"

_LIBRARY = os.path.dirname(os.path.realpath(os.__file__)) + os.sep
_PACKAGES = f"{os.sep}site-packages{os.sep}"


def is_own_fault(error: BaseException) -> bool:
    """Tell whether *error*, caught in a callback, came from the callback.

    Else the handler of a signal raised it, which happened to arrive while the callback ran: it belongs to the
    code that is observed.
    """
    if not isinstance(error, Exception):
        return False
    return all(_is_ours_or_library(frame) for frame in _filenames(error.__traceback__))


def _filenames(traceback: TracebackType | None) -> list[str]:
    found = []
    while traceback is not None:
        found.append(traceback.tb_frame.f_code.co_filename)
        traceback = traceback.tb_next
    return found


def _is_ours_or_library(filename: str) -> bool:
    if filename.startswith(("<frozen", OWN_FOLDER)):
        return True
    return filename.startswith(_LIBRARY) and _PACKAGES not in filename
