"""Listens on a port, and ends in order: no new requests, those that run may finish within a limit."""

import asyncio
import socket

import uvicorn

from wiremap_llm.errors import InputError
from wiremap_llm.server.app import Server

_LAST_WORDS_SECONDS = 5  # for telling clients that the server stops


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes any that is free.

    Raises:
        InputError: The address can't be used.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise InputError(f"Can't listen on {host}:{port}: {error.strerror or error}") from error


class HttpServer(uvicorn.Server):
    """Serves until it is told to stop by SIGTERM, SIGINT or `should_exit`."""

    def __init__(self, server: Server, *, stop_timeout_seconds: float) -> None:
        # One event loop and parser whatever else is installed, and no talk but for what went wrong.
        config = uvicorn.Config(
            server.app(),
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=int(stop_timeout_seconds) + _LAST_WORDS_SECONDS,
        )
        super().__init__(config)
        self._server = server
        self._stop_timeout_seconds = stop_timeout_seconds

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop; what still runs at the limit is ended with an error that its client gets."""
        limit = asyncio.get_running_loop().call_later(self._stop_timeout_seconds, self._server.engine.abort_all)
        try:
            await super().shutdown(sockets)
        finally:
            limit.cancel()
