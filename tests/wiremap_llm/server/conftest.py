"""One server for the tests that leave it as it was."""

from collections.abc import Iterator

import openai
import pytest

from tests.wiremap_llm.server.running_server import Running, eventually, running


@pytest.fixture(scope="session")
def shared_server(talking_folder: str) -> Iterator[Running]:
    with running(talking_folder) as server:
        yield server


@pytest.fixture
def served(shared_server: Running) -> Iterator[Running]:
    """The server, idle before and after."""
    eventually(shared_server.is_idle)
    yield shared_server
    shared_server.steps.release()
    eventually(shared_server.is_idle)


@pytest.fixture
def client(served: Running) -> Iterator[openai.OpenAI]:
    """The official client."""
    with served.client() as made:
        yield made
