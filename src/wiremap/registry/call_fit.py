"""Whether something that can be called takes the calls that its user will make."""

from collections.abc import Awaitable, Callable, Coroutine, Iterator
from inspect import Parameter
from types import CoroutineType
from typing import Any, Final, TypeVar, get_args, get_origin

from wiremap.registry.annotations import UNKNOWN
from wiremap.registry.generic_calls import limit_of, may_be_any, solved
from wiremap.registry.signatures import Shape, type_name

_BY_POSITION: Final = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_BY_KEYWORD: Final = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)

Fits = Callable[[Any, Any], bool]


def misfits_of_call(given: Shape, wanted: Shape, fits: Fits) -> tuple[str, ...]:
    """Return in words all that keeps *given* from taking every call that *wanted* allows.

    Args:
        given: How the thing is called.
        wanted: How its user will call it.
        fits: Whether a value of one type may stand for another.
    """
    found: list[str] = []
    for call in wanted.overloads or (wanted,):
        tried = [tuple(_misfits(way, call, fits)) for way in given.overloads or (given,)]
        fewest = min(map(len, tried))
        found += next(misfits for misfits in tried if len(misfits) == fewest)  # what comes nearest tells most
    return tuple(dict.fromkeys(found))


def _misfits(given: Shape, wanted: Shape, fits: Fits) -> Iterator[str]:
    if given.parameters is not None and wanted.parameters is not None:
        yield from _misfits_of_parameters(_Parameters(given.parameters), _Parameters(wanted.parameters), fits)
    if given.is_async and not wanted.is_async and not fits(CoroutineType, wanted.result):
        yield f"it is async, and {type_name(wanted.result)} is expected of the call"
    elif wanted.is_async and not given.is_async and not fits(given.result, Coroutine):
        yield f"it returns {type_name(given.result)}, and a coroutine is expected"
    else:
        yield from _misfits_of_result(given, wanted, fits)


def _misfits_of_result(given: Shape, wanted: Shape, fits: Fits) -> Iterator[str]:
    is_either_async = given.is_async or wanted.is_async
    result, expected = (_awaited(shape) if is_either_async else shape.result for shape in (given, wanted))
    if isinstance(result, TypeVar):
        result = solved(result, _passed_for(result, given, wanted), expected, fits)
    if not (may_be_any(expected, result, fits) if isinstance(expected, TypeVar) else fits(result, expected)):
        verb = "gives, when awaited," if is_either_async else "returns"
        yield f"it {verb} {type_name(result)}, and {type_name(expected)} is expected"


def _passed_for(variable: TypeVar, given: Shape, wanted: Shape) -> list[Any]:
    """Return the types of the arguments that are passed by position where *given* takes its *variable*."""
    takers, passed = _Parameters(given.parameters or ()), _Parameters(wanted.parameters or ())
    return [
        sent.annotation
        for position, sent in enumerate(passed.by_position)
        if (taker := takers.at(position)) and taker.annotation is variable
    ]


def _awaited(shape: Shape) -> Any:
    """Return the type of what awaiting the result of a call gives."""
    if shape.is_async:
        return shape.result
    is_told = get_origin(shape.result) in (Awaitable, Coroutine) and get_args(shape.result)
    return get_args(shape.result)[-1] if is_told else UNKNOWN


# Parameters


class _Parameters:
    """Parameters by the ways in which an argument may reach them."""

    def __init__(self, parameters: tuple[Parameter, ...]) -> None:
        self.by_position = [parameter for parameter in parameters if parameter.kind in _BY_POSITION]
        self.by_keyword = {parameter.name: parameter for parameter in parameters if parameter.kind in _BY_KEYWORD}
        self.keyword_only = [parameter for parameter in parameters if parameter.kind is Parameter.KEYWORD_ONLY]
        self.rest = next((p for p in parameters if p.kind is Parameter.VAR_POSITIONAL), None)
        self.keywords = next((p for p in parameters if p.kind is Parameter.VAR_KEYWORD), None)

    @property
    def is_open(self) -> bool:
        """Whether they end in ``*args: Any, **kwargs: Any``: for type checkers, whoever takes anything there fits."""
        return all(one is not None and one.annotation is UNKNOWN for one in (self.rest, self.keywords))

    def at(self, position: int) -> Parameter | None:
        """Return what takes the argument at *position*, if anything does."""
        return self.by_position[position] if position < len(self.by_position) else self.rest


def _misfits_of_parameters(given: _Parameters, wanted: _Parameters, fits: Fits) -> Iterator[str]:
    reached: set[str] = set()
    for position, sent in enumerate(wanted.by_position):
        taker = given.at(position)
        if taker is None:
            taken, passed = len(given.by_position), len(wanted.by_position)
            yield f"it takes {_arguments(taken)} by position, and {passed} may be passed"
            return
        reached.add(taker.name)
        yield from _misfits_of_argument(taker, sent, fits)
        if sent.kind is Parameter.POSITIONAL_OR_KEYWORD:
            yield from _misfits_by_keyword(given, position, sent, fits)
    for sent in wanted.keyword_only:
        yield from _misfits_by_keyword_only(given, sent, wanted, reached, fits)
    if not wanted.is_open:
        yield from _misfits_beyond(given, wanted, reached, fits)


def _misfits_by_keyword(given: _Parameters, position: int, sent: Parameter, fits: Fits) -> Iterator[str]:
    """Yield what keeps the argument at *position* from being passed by its name, when only earlier ones are not."""
    taker, named = given.at(position), given.by_keyword.get(sent.name, given.keywords)
    if named is taker or taker is None:
        return
    may_stay_empty = taker.kind is Parameter.VAR_POSITIONAL or taker.default is not Parameter.empty
    if named is None or not may_stay_empty or named in given.by_position[:position]:
        what = "calls that argument" if taker.kind is Parameter.POSITIONAL_OR_KEYWORD else "takes"
        how = "" if taker.kind is Parameter.POSITIONAL_OR_KEYWORD else " by position only"
        yield f"it {what} {taker.name!r}{how}, and it may be passed as {sent.name!r}"
    elif named is given.keywords:
        yield from _misfits_of_argument(named, sent, fits)


def _misfits_by_keyword_only(
    given: _Parameters, sent: Parameter, wanted: _Parameters, reached: set[str], fits: Fits
) -> Iterator[str]:
    taker = given.by_keyword.get(sent.name, given.keywords)
    if taker is None:
        yield f"it takes no {sent.name!r}"
    elif taker in given.by_position and ((wanted.rest and not wanted.is_open) or taker.name in reached):
        yield f"{sent.name!r} may be passed by keyword after another argument took its place"
    else:
        reached.add(taker.name)
        yield from _misfits_of_argument(taker, sent, fits)


def _misfits_beyond(given: _Parameters, wanted: _Parameters, reached: set[str], fits: Fits) -> Iterator[str]:
    """Yield what keeps *given* from taking what comes beyond the parameters that *wanted* names, or nothing there."""
    if (wanted.rest and not given.rest) or (wanted.keywords and not given.keywords):
        yield "it takes a fixed set of arguments, and any may be passed"
    elif wanted.rest:
        for taker in (*given.by_position[len(wanted.by_position) :], given.rest):
            yield from _misfits_of_type(taker, wanted.rest, fits)
    if wanted.keywords and given.keywords:
        named = [taker for taker in given.keyword_only if taker.name not in reached]
        for taker in (*named, given.keywords):
            yield from _misfits_of_type(taker, wanted.keywords, fits)
    for taker in (*given.by_position, *given.keyword_only):
        if taker.name not in reached and taker.default is Parameter.empty:
            yield f"it also needs {taker.name!r}, which is not passed"


def _misfits_of_argument(taker: Parameter, sent: Parameter, fits: Fits) -> Iterator[str]:
    yield from _misfits_of_type(taker, sent, fits)
    is_variable = taker.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    if sent.default is not Parameter.empty and taker.default is Parameter.empty and not is_variable:
        yield f"it needs {taker.name!r}, which may be left out"


def _misfits_of_type(taker: Parameter | None, sent: Parameter, fits: Fits) -> Iterator[str]:
    if taker and not fits(limit_of(sent.annotation), limit_of(taker.annotation)):
        yield f"its {taker.name!r} takes {type_name(taker.annotation)}, and {type_name(sent.annotation)} is passed"


def _arguments(count: int) -> str:
    return f"{count} argument" if count == 1 else f"{count or 'no'} arguments"
