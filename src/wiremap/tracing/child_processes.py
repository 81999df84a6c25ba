"""Whether this process has children that live."""

import multiprocessing
import os

_OWN_TASKS = "/proc/self/task"
_listdir, _open = os.listdir, os.open


def has_child_processes() -> bool:
    """Tell whether any child process lives, as far as the system tells; else whether `multiprocessing` knows one."""
    try:
        return any(_children_of(task) for task in _listdir(_OWN_TASKS))
    except OSError:
        return bool(multiprocessing.active_children())


def _children_of(task: str) -> bytes:
    descriptor = _open(f"{_OWN_TASKS}/{task}/children", os.O_RDONLY)
    try:
        return os.read(descriptor, 64)
    finally:
        os.close(descriptor)
