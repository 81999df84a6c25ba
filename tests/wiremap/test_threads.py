"""What runs in threads counts for every test that may have used it, end to end."""

from pathlib import Path

import pytest

from tests.wiremap.test_safety import runs

APP = """
    import threading
    def answer(): return 1
    def step(): return 1
    def other(): return 1
    def loop(asked, answered):
        while asked.get(): answered.put(answer())
    def turn(stop, ready):
        while not stop.is_set():
            step()
            ready.set()
    async def later(): return answer()
"""

POOL = """
    import app, concurrent.futures
    executor = concurrent.futures.ThreadPoolExecutor(1)
    def test_1(): assert executor.submit(app.answer).result() == 1
    def test_2(): assert executor.submit(app.answer).result() == 1
    def test_3(): assert executor.submit(app.other).result() == 1
"""

LOOP = """
    import app, asyncio, pytest, threading
    @pytest.fixture(scope="module")
    def loop():
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        yield loop
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
    def ask(loop): return asyncio.run_coroutine_threadsafe(app.later(), loop).result()
    def test_1(loop): assert ask(loop) == 1
    def test_2(loop): assert ask(loop) == 1
    def test_3(loop): assert app.other() == 1
"""

SUSPENDED = """
    import app, asyncio, threading
    loop = asyncio.new_event_loop()
    gate = asyncio.Event()
    async def waiting():
        await gate.wait()
        return app.answer()
    tasks = []
    def test_1():
        async def start(): tasks.append(asyncio.ensure_future(waiting()))
        loop.run_until_complete(start())
    def test_2():
        gate.set()
        assert loop.run_until_complete(tasks[0]) == 1
        loop.close()
    def test_3(): app.other()
"""

LEFT_WAITING = """
    import app, queue, threading
    asked, answered = queue.Queue(), queue.Queue()
    threads = []
    def test_1():
        threads.append(threading.Thread(target=app.loop, args=(asked, answered)))
        threads[0].start()
        asked.put(True)
        assert answered.get() == 1
    def test_2():
        asked.put(True)
        assert answered.get() == 1
        asked.put(False)
        threads[0].join()
    def test_3(): app.other()
"""

LEFT_TURNING = """
    import app, threading
    stop, ready = threading.Event(), threading.Event()
    threads = []
    def test_1():
        threads.append(threading.Thread(target=app.turn, args=(stop, ready)))
        threads[0].start()
        assert ready.wait(30)
    def test_2():
        ready.clear()
        assert ready.wait(30)
        stop.set()
        threads[0].join()
    def test_3(): app.other()
"""


@pytest.mark.parametrize(
    ("test", "function"),
    [(POOL, "answer"), (LOOP, "answer"), (SUSPENDED, "answer"), (LEFT_WAITING, "answer"), (LEFT_TURNING, "step")],
    ids=["a pool of the module", "a loop in a thread", "a suspended task", "a waiting thread", "a turning thread"],
)
def test_what_ran_in_a_thread_counts_for_who_may_have_used_it(tmp_path: Path, test: str, function: str) -> None:
    changed = APP.replace(f"def {function}(): return 1", f"def {function}(): return 2")
    expected = {"test_2"} if test is SUSPENDED else {"test_1", "test_2"}

    assert runs(tmp_path, {"app.py": APP, "test_a.py": test}, {"app.py": changed}) == expected


@pytest.mark.parametrize("test", [LEFT_WAITING, LEFT_TURNING], ids=["waiting", "turning"])
def test_the_function_that_a_thread_is_in_the_middle_of_counts(tmp_path: Path, test: str) -> None:
    changed = APP.replace("while asked.get():", "while True and asked.get():").replace(
        "while not", "while True and not"
    )

    assert runs(tmp_path, {"app.py": APP, "test_a.py": test}, {"app.py": changed}) == {"test_1", "test_2"}
