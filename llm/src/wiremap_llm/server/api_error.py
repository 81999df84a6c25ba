"""What a client is told when a request can't be served, in the form that OpenAI's clients read."""

from http.client import BAD_REQUEST, INTERNAL_SERVER_ERROR, SERVICE_UNAVAILABLE, TOO_MANY_REQUESTS
from typing import Any


class ApiError(Exception):
    """An answer that is an error. *param* names what in the request is at fault."""

    def __init__(self, status: int, message: str, *, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param
        self.code = code

    @property
    def kind(self) -> str:
        """What OpenAI calls the type of an error."""
        if self.status == TOO_MANY_REQUESTS:
            return "rate_limit_error"
        return "server_error" if self.status >= INTERNAL_SERVER_ERROR else "invalid_request_error"

    @property
    def headers(self) -> dict[str, str]:
        """Headers beside the body."""
        return {"Retry-After": "1"} if self.status == TOO_MANY_REQUESTS else {}

    def body(self) -> dict[str, Any]:
        """Return the JSON object that tells it."""
        return {"error": {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}}


def bad_request(message: str, param: str | None, code: str | None = None) -> ApiError:
    """Return the error of a request that is wrong in itself."""
    return ApiError(BAD_REQUEST, message, param=param, code=code)


def overloaded(num_live: int) -> ApiError:
    """Return the error of a request that finds no place in the queue."""
    message = f"The server is at its limit with {num_live} completions running or waiting: try again later."
    return ApiError(TOO_MANY_REQUESTS, message, code="queue_full")


def stopping() -> ApiError:
    """Return the error of a request that a stopping server does not finish."""
    return ApiError(SERVICE_UNAVAILABLE, "The server is stopping.", code="stopping")


def failed(message: str) -> ApiError:
    """Return the error of a request that was good and failed here."""
    return ApiError(INTERNAL_SERVER_ERROR, message, code="engine_error")
