import os
import subprocess
import sys

from wiremap.tracing.child_processes import child_pids, is_alive


def test_a_child_is_known_while_it_lives() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert child.pid in child_pids()
        assert is_alive(child.pid)

    assert child.pid not in child_pids()
    assert not is_alive(child.pid)


def test_a_child_that_nobody_has_waited_for_is_dead() -> None:
    pid = os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {})
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)

    assert pid not in child_pids()

    os.waitpid(pid, 0)


def test_children_are_known_where_the_system_offers_no_waitid() -> None:
    program = """
import os, sys
sys.platform = "darwin"
del os.waitid
from wiremap.tracing.child_processes import child_pids
assert child_pids() == set()
"""

    subprocess.run([sys.executable, "-c", program], check=True)
