"""A generation to an HTTP response: one JSON object when all is done, or events as it comes."""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from http.client import INTERNAL_SERVER_ERROR, SERVICE_UNAVAILABLE, TOO_MANY_REQUESTS

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from wiremap_llm.errors import (
    EngineError,
    PromptTooLongError,
    RequestTooLargeError,
)
from wiremap_llm.outputs import StepOutput
from wiremap_llm.server import api_error
from wiremap_llm.server.api_error import ApiError, bad_request
from wiremap_llm.server.connection import unless_hung_up
from wiremap_llm.server.generation import Generation
from wiremap_llm.server.parsing import Call
from wiremap_llm.server.responses import Choice, Envelope, Format, Json, Usage


class Answer:
    """The answer to one call, in the form of its endpoint."""

    def __init__(self, call: Call, form: Format) -> None:
        self._call = call
        self._form = form
        self._envelope = Envelope(form, call.model)

    async def whole(self, generation: Generation) -> Json:
        """Wait for all of it, and return one object.

        Raises:
            ApiError: A completion failed, or the server stops.
        """
        choices = [Choice() for _ in range(generation.num_choices)]
        usage = Usage(generation.params.n)
        async for index, output in generation.outputs():
            _raise_if_failed(output)
            choices[index].take(output)
            usage.take(index, output)
        told = [self._form.choice(i, each, wants_logprobs=self._call.wants_logprobs) for i, each in enumerate(choices)]
        return self._envelope.whole(told, usage.json())

    async def chunks(self, generation: Generation) -> AsyncGenerator[Json, None]:
        """Yield what there is to tell, as it comes.

        Raises:
            ApiError: A completion failed, or the server stops.
        """
        extra = {"usage": None} if self._call.includes_usage else {}
        usage = Usage(generation.params.n)
        num_characters: defaultdict[int, int] = defaultdict(int)
        async for index, output in generation.outputs():
            _raise_if_failed(output)
            usage.take(index, output)
            if index not in num_characters:
                for opening in self._form.openings(index):
                    yield self._envelope.chunk([opening], extra)
            part = Choice()
            part.take(output)
            offset = num_characters[index]
            num_characters[index] += len(part.text)
            if part.text or part.finish_reason or (part.logprobs and self._call.wants_logprobs):
                told = self._form.part(index, part, offset=offset, wants_logprobs=self._call.wants_logprobs)
                yield self._envelope.chunk([told], extra)
        if self._call.includes_usage:
            yield self._envelope.chunk([], {"usage": usage.json()})


class EventStream(Response):
    """Sends the chunks of an answer as server-sent events. A client that hangs up ends the generation."""

    media_type = "text/event-stream"

    def __init__(self, answer: Answer, generation: Generation, on_end: Callable[[str], None]) -> None:
        super().__init__(headers={"Cache-Control": "no-cache"})
        del self.headers["content-length"]  # nobody knows it
        self._answer = answer
        self._generation = generation
        self._on_end = on_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        del scope
        outcome = "aborted"
        try:
            with self._generation:
                outcome = await unless_hung_up(receive, self._send_all(send))
        except ClientDisconnect:
            pass
        finally:
            self._on_end(outcome)

    async def _send_all(self, send: Send) -> str:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        try:
            async with aclosing(self._answer.chunks(self._generation)) as chunks:
                async for chunk in chunks:
                    await _send_event(send, _json(chunk))
        except ApiError as error:
            await _send_event(send, _json(error.body()))
            outcome = outcome_of(error)
        else:
            await _send_event(send, "[DONE]")
            outcome = "completed"
        await send({"type": "http.response.body", "body": b""})
        return outcome


def as_api_error(error: EngineError, prompt_param: str) -> ApiError:
    """Return what a client is told of a request that the engine refuses."""
    if isinstance(error, PromptTooLongError):
        return bad_request(str(error), prompt_param, "context_length_exceeded")
    if isinstance(error, RequestTooLargeError):
        return bad_request(str(error), "max_tokens", error.code)
    return bad_request(str(error), prompt_param, error.code)


def outcome_of(error: ApiError) -> str:
    """Return under which outcome an error is counted."""
    if error.status in (TOO_MANY_REQUESTS, SERVICE_UNAVAILABLE):
        return "rejected"
    return "failed" if error.status >= INTERNAL_SERVER_ERROR else "invalid"


def _raise_if_failed(output: StepOutput) -> None:
    if output.finish_reason == "error":
        raise api_error.failed(str(output.error))
    if output.finish_reason == "abort":
        raise api_error.stopping()


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


async def _send_event(send: Send, data: str) -> None:
    await send({"type": "http.response.body", "body": f"data: {data}\n\n".encode(), "more_body": True})
    # Sending may not wait at all. Others get their turn, and a lost connection is noticed before the next event.
    await asyncio.sleep(0)
