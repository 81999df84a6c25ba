"""A server in this process, on a free port of loopback, with an engine whose steps a test may hold back."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import openai

from wiremap_llm.cli.opening import combine_of
from wiremap_llm.server.app import Server
from wiremap_llm.server.running import HttpServer, listen

MODEL = "tiny"


@dataclass
class Steps:
    """Lets an engine compute as many steps as a test allows; all of them at first."""

    step: Callable[[], Any]
    fault: Exception | None = None

    def __post_init__(self) -> None:
        self._allowed = threading.Semaphore(0)
        self._is_open = threading.Event()
        self._is_open.set()

    def hold(self) -> None:
        """Allow no further step."""
        self._is_open.clear()

    def allow(self, number: int) -> None:
        """Allow some steps."""
        self._allowed.release(number)

    def release(self) -> None:
        """Allow all again."""
        self._is_open.set()

    def __call__(self) -> Any:
        """Compute a step when it is allowed, or fail as the test wants."""
        while not self._is_open.wait(0.001) and not self._allowed.acquire(timeout=0.001):
            pass
        if self.fault is not None:
            raise self.fault
        return self.step()


@dataclass
class Running:
    """A server that listens, and what a test looks at."""

    url: str
    server: Server
    http: HttpServer
    engine: Any
    steps: Steps

    def client(self) -> openai.OpenAI:
        """Return the official client, which tries everything once."""
        return openai.OpenAI(base_url=f"{self.url}/v1", api_key="none", max_retries=0, timeout=30)

    def num_used_blocks(self) -> int:
        """Return how many blocks requests hold."""
        return int(self.engine.block_mngr.num_blocks - self.engine.block_mngr.num_free)

    def is_idle(self) -> bool:
        """Tell whether nothing runs, and nothing is held."""
        return bool(self.server.engine.num_live == 0 and self.engine.is_finished() and self.num_used_blocks() == 0)


@contextmanager
def running(
    folder: str, *, name: str = MODEL, max_queue: int = 8, stop_timeout_seconds: float = 5.0, **resources: Any
) -> Iterator[Running]:
    """Serve the checkpoint in *folder* until the block ends."""
    engine, _ = combine_of("wiremap_llm.recipes.dense")(model=folder, **resources)
    steps = engine.step = Steps(engine.step)
    server = Server(engine, name, max_queue=max_queue)
    listener = listen("127.0.0.1", 0)
    http = HttpServer(server, stop_timeout_seconds=stop_timeout_seconds)
    thread = threading.Thread(target=http.run, args=([listener],), name="server")
    thread.start()
    try:
        eventually(lambda: http.started)
        yield Running(f"http://127.0.0.1:{listener.getsockname()[1]}", server, http, engine, steps)
    finally:
        steps.release()
        http.should_exit = True
        thread.join(30)
        assert not thread.is_alive(), "the server did not stop"


def eventually(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait until *condition* holds."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it never came true"
        time.sleep(0.005)
