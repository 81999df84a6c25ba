"""What happens on a client's connection besides the answer: its body arrives, or it hangs up."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive

from wiremap_llm.server.api_error import ApiError

T = TypeVar("T")

MOST_BODY_BYTES = 16 * 2**20


async def read_body(request: Request) -> bytes:
    """Return the body.

    Raises:
        ApiError: It is larger than any prompt could be.
    """
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BODY_BYTES:
            raise ApiError(413, f"The body is larger than {MOST_BODY_BYTES} bytes.", code="body_too_large")
    return bytes(body)


async def unless_hung_up(receive: Receive, work: Coroutine[Any, Any, T]) -> T:
    """Return what *work* returns; cancel it if the client hangs up before. The body must have been read.

    Raises:
        ClientDisconnect: The client hung up.
    """
    working = asyncio.ensure_future(work)
    listening = asyncio.ensure_future(_hung_up(receive))
    try:
        await asyncio.wait((working, listening), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        for task in (working, listening):
            task.cancel()
        await asyncio.gather(working, listening, return_exceptions=True)  # nobody else asks how they ended


async def _hung_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
