"""What a source of events and the recorder agree upon."""

from _thread import RLock
from collections.abc import Container
from enum import Enum, auto
from types import CodeType, FrameType
from typing import NamedTuple, Protocol

from wiremap.source.keepers import Keepers
from wiremap.tracing.kept_work import FillerCall, Kept
from wiremap.tracing.observation import Observation


class Interest(Enum):
    """Why the start of a code object matters."""

    NONE = auto()
    PROJECT = auto()
    WATCHED = auto()
    FILLER = auto()


class FillerCalls(NamedTuple):
    """With what a source may begin and end a call of a filler itself, if it does no more than to repeat another.

    It is for the compiled ones: see `_repeated_calls.h`.

    Attributes:
        lock: Who changes these holds it.
        stack: What notes that which happens now is the last of these.
        open: Calls that have begun and not ended, by the token that `on_filler_enter` gave.
        ended: Those that may begin again, by their `key`.
        idle: How many calls of a function, by id, brought nothing new in this context.
        most_idle: So many are looked into.
    """

    lock: RLock
    stack: list[Observation]
    open: dict[Observation, FillerCall]
    ended: dict[tuple[Observation | Kept, ...], FillerCall]
    idle: dict[int, int]
    most_idle: int


class EventSink(Protocol):
    """Where events go.

    Attributes:
        ignored: Ids of code objects that never matter; grows.
    """

    ignored: set[int]

    @property
    def codes(self) -> dict[int, CodeType]:
        """Code objects already noted in the current context, by id."""

    @property
    def filler_calls(self) -> FillerCalls:
        """Calls of fillers."""

    @property
    def plain_codes(self) -> dict[int, CodeType] | None:
        """`codes`, if a source may put into it what starts and call `on_call` instead of `on_start`; else None."""

    @property
    def watched(self) -> Container[int]:
        """Ids of the watched code objects."""

    def classify(self, code: CodeType) -> Interest:
        """Tell why *code* matters."""

    def keepers(self, code: CodeType) -> Keepers:
        """Return who keeps what *code*, a filler, fills."""

    def on_start(self, code: CodeType, caller: FrameType | None) -> None:
        """Note that *code*, not yet in `codes` or `ignored`, starts or resumes; *caller* called it."""

    def on_call(self, caller: CodeType, code: CodeType) -> None:
        """Note that *caller*, the nearest function of the project, called *code*."""

    def on_filler_enter(
        self, code: CodeType, arguments: tuple[object, ...], caller: FrameType | None
    ) -> Observation | None:
        """Note that a function starts that may fill what lasts; return a token for its end, or None for no need.

        After None, calls for the same keepers need not be noted either until the source is rearmed.
        *caller* is only looked at when *code* isn't in `codes`.
        """

    def on_filler_leave(self, token: Observation) -> None:
        """Note that the call ends, or is suspended, for which `on_filler_enter` gave *token*."""

    def on_missed(self) -> None:
        """Note that something started unseen."""

    def on_watched(self, code: CodeType, arguments: tuple[object, ...], caller: FrameType | None) -> None:
        """Note that *caller* calls a watched *code* with these positional arguments."""


class EventSource(Protocol):
    """Where events come from."""

    def start(self) -> None:
        """Begin."""

    def stop(self) -> None:
        """End."""

    def is_intact(self) -> bool:
        """Tell whether no event was lost to another tool."""

    def repair(self) -> None:
        """Make later events come again."""

    def rearm(self) -> None:
        """Make every code object tell its next start, since the context has changed."""


def arguments_of(frame: FrameType) -> tuple[object, ...]:
    """Return the positional arguments of a frame that has just begun."""
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
    return tuple(frame.f_locals.get(name) for name in names)
