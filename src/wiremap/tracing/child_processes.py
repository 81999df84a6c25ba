"""Which child processes live, as far as the system tells."""

import os
import sys

_OWN_TASKS = "/proc/self/task"
# Bound at import: tests patch these, and must not meet us there.
_listdir, _open, _read, _close, _kill = os.listdir, os.open, os.read, os.close, os.kill
_DEAD = (b"Z", b"X")
_MAX_TRIES = 10
if sys.platform == "linux":  # macOS has it since Python 3.13 only, and Windows never
    _waitid, _all_children = os.waitid, os.P_ALL
    # The last is __WALL: also those that native code made in unusual ways.
    _any_end = os.WEXITED | os.WNOHANG | os.WNOWAIT | 0x40000000


def child_pids() -> set[int]:
    """Return the ids of all children that live, by what the system tells, else by what `multiprocessing` knows."""
    if not _may_have_children():
        return set()
    for _ in range(_MAX_TRIES):
        try:
            tasks = _listdir(_OWN_TASKS)
            pids = {int(pid) for task in tasks for pid in _content(f"{_OWN_TASKS}/{task}/children").split()}
        except OSError:
            continue  # perhaps a thread ended, and its children are another's now
        return {pid for pid in pids if is_alive(pid)}
    return _children_of_multiprocessing()


def _may_have_children() -> bool:
    """Ask the system once; this is asked around each test, and hardly any has children."""
    if sys.platform == "linux":
        try:
            _waitid(_all_children, 0, _any_end)
        except ChildProcessError:
            return False
        except OSError:
            return True
    return True


def is_alive(pid: int) -> bool:
    """Tell whether a process with this id runs; one that has ended and was not waited for does not."""
    try:
        status = _content(f"/proc/{pid}/stat")
    except OSError:
        return not os.path.isdir(_OWN_TASKS) and _answers(pid)
    return status.rpartition(b")")[2].split()[0] not in _DEAD


def _children_of_multiprocessing() -> set[int]:
    # Who has no such children has not imported it.
    process = sys.modules.get("multiprocessing.process")
    return {child.pid for child in process.active_children()} if process else set()


def _answers(pid: int) -> bool:
    try:
        _kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _content(path: str) -> bytes:
    descriptor = _open(path, os.O_RDONLY)
    try:
        content = b""
        while part := _read(descriptor, 4096):
            content += part
        return content
    finally:
        _close(descriptor)
