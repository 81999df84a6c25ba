"""The routes: OpenAI's API, health and metrics."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from wiremap_llm.engine_interface import Engine
from wiremap_llm.errors import EngineError, NoTokenizerError
from wiremap_llm.server import api_error, metrics
from wiremap_llm.server.answering import Answer, EventStream, as_api_error, outcome_of
from wiremap_llm.server.api_error import ApiError, bad_request
from wiremap_llm.server.connection import read_body, unless_hung_up
from wiremap_llm.server.engine_thread import EngineThread
from wiremap_llm.server.metrics import Metrics
from wiremap_llm.server.parsing import Call, ChatCall, Prompt, parse_chat, parse_completion
from wiremap_llm.server.responses import ChatFormat, CompletionFormat, Format, Json

Handler = Callable[[Request], Awaitable[Response]]

_COMPLETION_TOKENS = 16  # OpenAI's default for completions; a chat answer may fill what room there is


class Server:
    """Answers requests to one engine under one model name."""

    def __init__(self, engine: Engine, model: str, *, max_queue: int) -> None:
        self._config = engine.config
        self._tokenizer = engine.tokenizer
        self._model = model
        self._created = int(time.time())
        self.metrics = Metrics()
        self.engine = EngineThread(engine, self.metrics, max_queue=max_queue)

    def app(self) -> Starlette:
        """Return the ASGI application. Its lifespan is that of the engine's thread."""
        return Starlette(
            routes=[
                Route("/v1/completions", self._generating(self._completions, "prompt"), methods=["POST"]),
                Route("/v1/chat/completions", self._generating(self._chat, "messages"), methods=["POST"]),
                Route("/v1/models", self._models),
                Route("/v1/models/{model:path}", self._one_model),
                Route("/health", self._health),
                Route("/metrics", self._metrics),
            ],
            exception_handlers={ApiError: _tell, HTTPException: _tell_http, Exception: _tell_fault},
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        self.engine.start()
        try:
            yield
        finally:
            await self.engine.stop()

    async def _completions(self, request: Request) -> Response:
        call = parse_completion(await read_body(request))
        self._refuse_other_models(call.model)
        self._refuse_a_crowd(len(call.prompts), "prompt")
        prompts = [await self._encoded(prompt) for prompt in call.prompts]
        return await self._answer(request, call, prompts, CompletionFormat(self._tokenizer))

    async def _chat(self, request: Request) -> Response:
        call = parse_chat(await read_body(request))
        self._refuse_other_models(call.model)
        prompt = await self._encoded_chat(call)
        return await self._answer(request, call, [prompt], ChatFormat(self._tokenizer))

    async def _models(self, _request: Request) -> Response:
        return JSONResponse({"object": "list", "data": [self._model_json()]})

    async def _one_model(self, request: Request) -> Response:
        self._refuse_other_models(request.path_params["model"])
        return JSONResponse(self._model_json())

    async def _health(self, _request: Request) -> Response:
        if self.engine.is_broken:
            return JSONResponse({"status": "broken"}, 503)
        return JSONResponse({"status": "ok"})

    async def _metrics(self, _request: Request) -> Response:
        num_running = self.engine.num_running
        text = self.metrics.text(num_running=num_running, num_waiting=self.engine.num_live - num_running)
        return PlainTextResponse(text, media_type=metrics.CONTENT_TYPE)

    def _generating(self, handler: Handler, prompt_param: str) -> Handler:
        """Wrap the handler of an endpoint that generates: its refusals name a parameter, and each is counted."""

        async def generating(request: Request) -> Response:
            try:
                response = await handler(request)
            except ClientDisconnect:
                self.metrics.note_outcome("aborted")
                return Response(status_code=499)  # nobody reads it
            except (ApiError, EngineError) as error:
                told = error if isinstance(error, ApiError) else as_api_error(error, prompt_param)
                self.metrics.note_outcome(outcome_of(told))
                raise told from error
            except Exception:
                self.metrics.note_outcome("failed")
                raise
            if not isinstance(response, EventStream):  # which counts itself when it has ended
                self.metrics.note_outcome("completed")
            return response

        return generating

    async def _answer(self, request: Request, call: Call, prompts: Sequence[Sequence[int]], form: Format) -> Response:
        longest = max(map(len, prompts))
        params = call.params(self._room_after(longest) if isinstance(call, ChatCall) else _COMPLETION_TOKENS)
        self._refuse_a_crowd(len(prompts) * params.n, "n")
        generation = await unless_hung_up(request.receive, self.engine.generate(prompts, params))
        answer = Answer(call, form)
        if call.is_stream:
            return EventStream(answer, generation, self.metrics.note_outcome)
        with generation:
            return JSONResponse(await unless_hung_up(request.receive, answer.whole(generation)))

    def _room_after(self, num_prompt_tokens: int) -> int:
        """Return how many tokens fit after a prompt. For one that is too long, any number will be refused."""
        in_cache = self._config.num_kvcache_blocks * self._config.kvcache_block_size + 1  # the last is never fed
        return max(1, min(self._config.sequence_limit, in_cache) - num_prompt_tokens)

    async def _encoded(self, prompt: Prompt) -> list[int]:
        if not isinstance(prompt, str):
            return prompt
        if self._tokenizer is None:
            raise NoTokenizerError("tokenizer")
        return await run_in_threadpool(self._tokenizer.encode, prompt)

    async def _encoded_chat(self, call: ChatCall) -> list[int]:
        if self._tokenizer is None:
            raise NoTokenizerError("tokenizer")
        return await run_in_threadpool(partial(self._tokenizer.encode_chat, call.messages, **call.variables))

    def _refuse_other_models(self, model: str) -> None:
        if model != self._model:
            told = f"There is no model {model!r} here: ask {self._model!r}."
            raise ApiError(404, told, param="model", code="model_not_found")

    def _refuse_a_crowd(self, num_choices: int, param: str) -> None:
        """Refuse what would not even find a place if nobody else were there."""
        most = self.engine.most_choices
        if num_choices > most:
            raise bad_request(f"{num_choices} completions are asked for at once, and at most {most} are taken.", param)

    def _model_json(self) -> Json:
        return {
            "id": self._model,
            "object": "model",
            "created": self._created,
            "owned_by": "wiremap_llm",
            "max_model_len": self._config.sequence_limit,
        }


async def _tell(_request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)  # noqa: S101 - starlette chooses by this type
    return JSONResponse(error.body(), error.status, error.headers)


async def _tell_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - the same
    told = f"{request.method} {request.url.path}: {error.detail}."
    return JSONResponse(ApiError(error.status_code, told).body(), error.status_code, error.headers)


async def _tell_fault(_request: Request, error: Exception) -> Response:
    return await _tell(_request, api_error.failed(f"The server failed: {type(error).__name__}."))
