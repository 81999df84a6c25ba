"""What goes in and out."""

from dataclasses import dataclass, field


@dataclass
class Request:
    method: str
    path: str
    body: str = ""
    headers: dict = field(default_factory=dict)


@dataclass
class Response:
    status: int
    body: str = ""
