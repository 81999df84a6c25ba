"""What passes without the observer passes with it: it takes no stack, swallows no exception, raises none."""

from pathlib import Path

import pytest

from tests.wiremap.projects import new_project

MODULE = """
def down(n):
    return 0 if n == 0 else 1 + down(n - 1)

def plus_one(x):
    return x + 1

class Box:
    _content = None

    def fill(self, x):
        if self._content is None:
            self._content = plus_one(x)
        return self._content

FOUND = {}

def endless(n):
    if n in FOUND:
        return FOUND[n]
    FOUND[n] = endless(n + 1)
    return FOUND[n]
"""

CASES = {
    "a recursion as deep as the interpreter allows": """
        import sys, app
        def test():
            sys.setrecursionlimit(10**6)
            assert app.down(50_000) == 50_000
    """,
    "a recursion in a thread with a small stack": """
        import threading, app
        def test():
            threading.stack_size(256 * 1024)
            found = []
            thread = threading.Thread(target=lambda: found.append(app.down(900)))
            thread.start()
            thread.join()
            threading.stack_size(0)
            assert found == [900]
    """,
    "a recursion without end through a function that fills": """
        import app, pytest
        def test():
            for _ in range(5):
                app.FOUND.clear()
                with pytest.raises(RecursionError):
                    app.endless(1)
    """,
    "a signal that arrives while the observer looks": """
        import signal, time, app, pytest
        class Alarm(Exception): ...
        def ring(*_): raise Alarm
        def test():
            signal.signal(signal.SIGALRM, ring)
            for number in range(20):
                end = time.monotonic() + 20
                with pytest.raises(Alarm):
                    signal.setitimer(signal.ITIMER_REAL, 0.002 + number * 1e-5)
                    while time.monotonic() < end:
                        app.Box().fill(1)
    """,
    "a path that can't be": """
        import os
        def test():
            assert not os.path.exists("a" + chr(0) + "b")
    """,
    "another environment in the place of the real one": """
        import os
        from os import environ
        def test(monkeypatch):
            monkeypatch.setattr(os, "environ", {"A": "1"})
            assert environ.get("A_NAME_THAT_IS_NOT_SET") is None
    """,
    "a patched open": """
        from pathlib import Path
        from unittest import mock
        def test():
            with mock.patch("builtins.open", mock.mock_open()):
                assert "def down" in Path("app.py").read_text()
    """,
}


@pytest.mark.parametrize("case", CASES)
def test_a_test_passes_with_the_observer_as_without(case: str, tmp_path: Path) -> None:
    lines = CASES[case].strip("\n").splitlines()
    project = new_project(tmp_path, {"app.py": MODULE, "test_a.py": "\n".join(line[8:] for line in lines) + "\n"})

    plain = project.run_python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error")
    recorded = project.run_pytest("-W", "error", mode="--wiremap-record")

    assert plain.exit_code == 0, plain.stdout
    assert recorded.exit_code == 0, recorded.stdout + recorded.stderr
