"""Whether something that can be called takes the calls that its user will make."""

import inspect
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from collections.abc import Callable as AbstractCallable
from dataclasses import dataclass, replace
from functools import partial
from inspect import Parameter
from types import FunctionType
from typing import Any, Final, ParamSpecArgs, TypeVar, Unpack, get_args, get_origin, get_type_hints, is_typeddict

from wiremap.registry.annotations import UNKNOWN, names_around, resolved

_BY_POSITION: Final = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_BY_KEYWORD: Final = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)

_WRITTEN: Final = re.compile(r"""(?P<text>'[^']*'|"[^"]*")|<(?P<member>[\w.]+): [^>]*>|(?:[\w<>]+\.)+(?=\w)""")
"""In the text of a type: values that are strings, members of enumerations, and modules and classes around names."""

Fits = Callable[[Any, Any], bool]


@dataclass(frozen=True, slots=True)
class Shape:
    """How something is called.

    Attributes:
        parameters: In order, with resolved annotations; None where any call is meant, as in ``Callable[..., int]``.
        result: The type of what the call returns.
        is_async: Whether that is the result of awaiting it.
    """

    parameters: tuple[Parameter, ...] | None
    result: Any
    is_async: bool = False


ANY_CALL: Final = Shape(None, UNKNOWN)


def is_callable_type(declared: Any) -> bool:
    """Tell whether *declared* is a ``Callable`` or a protocol with ``__call__``."""
    if AbstractCallable in (declared, get_origin(declared)):
        return True
    plain = get_origin(declared) or declared
    return is_protocol(plain) and "__call__" in names_in_protocol(plain)


def is_protocol(declared: Any) -> bool:
    """Tell whether *declared* is a class that was written as a ``Protocol``."""
    return isinstance(declared, type) and getattr(declared, "_is_protocol", False)


def names_in_protocol(protocol: type) -> set[str]:
    """Return the names that *protocol* and the protocols that it extends write down."""
    classes = [klass for klass in protocol.__mro__ if getattr(klass, "_is_protocol", False)]
    return {name for klass in classes for name in (*vars(klass), *getattr(klass, "__annotations__", {}))}


def shape_of_type(declared: Any) -> Shape:
    """Return the calls that the callable type *declared* promises."""
    plain = get_origin(declared) or declared
    if plain is not AbstractCallable:
        shape = shape_of_function(plain.__call__, skip_self=True) or ANY_CALL
        return shape_with_arguments(shape, declared)
    if not get_args(declared):
        return ANY_CALL
    taken, result = get_args(declared)
    if not isinstance(taken, list):  # `...`, or a parameter specification
        return Shape(None, result)
    parameters = (Parameter(f"_{n}", Parameter.POSITIONAL_ONLY, annotation=kind) for n, kind in enumerate(taken))
    return Shape(tuple(parameters), result)


def shape_with_arguments(shape: Shape, declared: Any) -> Shape:
    """Return the shape of a member of a generic protocol with the arguments that *declared* gives to that."""
    known = dict(zip(getattr(get_origin(declared), "__parameters__", ()), get_args(declared), strict=False))
    if not known:
        return shape
    parameters = shape.parameters and tuple(
        parameter.replace(annotation=_with_arguments(parameter.annotation, known)) for parameter in shape.parameters
    )
    return replace(shape, parameters=parameters, result=_with_arguments(shape.result, known))


def _with_arguments(annotation: Any, known: Mapping[Any, Any]) -> Any:
    if isinstance(annotation, TypeVar):
        return known.get(annotation, annotation)
    if isinstance(annotation, type) or not (free := getattr(annotation, "__parameters__", ())):
        return annotation
    return annotation[tuple(known.get(one, one) for one in free)]


def shape_of_function(function: Any, *, skip_self: bool = False) -> Shape | None:
    """Return how *function* is called, or None where Python doesn't tell.

    Args:
        function: Anything callable.
        skip_self: It is a method as the class stores it.
    """
    if _is_wrapper(function):
        return Shape(None, UNKNOWN, inspect.iscoroutinefunction(function))
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    names = names_around(function)
    written = list(signature.parameters.values())[int(skip_self) :]
    parameters = [parameter.replace(annotation=_type_of(parameter.annotation, names)) for parameter in written]
    if any(map(_stands_for_unknown, written, parameters)):
        return Shape(None, _type_of(signature.return_annotation, names), _is_async(function))
    parameters = [one for parameter in parameters for one in _spelled_out(parameter)]
    called = _without_partials(function)
    # The call of a class gives an instance; Python tells what its __init__ returns, which is nothing.
    result = called if isinstance(called, type) else _type_of(signature.return_annotation, names)
    return Shape(tuple(parameters), result, _is_async(function))


def _stands_for_unknown(written: Parameter, parameter: Parameter) -> bool:
    """Tell whether a parameter such as ``*args: P.args`` or ``*args: *Ts`` stands for others, which nobody tells."""
    annotation = parameter.annotation
    if parameter.kind is Parameter.VAR_POSITIONAL and annotation is not UNKNOWN:
        is_unpacked = get_origin(annotation) is Unpack or getattr(annotation, "__unpacked__", False)
        return is_unpacked or isinstance(annotation, ParamSpecArgs)
    text = written.annotation if annotation is UNKNOWN and isinstance(written.annotation, str) else ""
    return text.endswith(".args") or text.startswith("*") or "Unpack[" in text


def _spelled_out(parameter: Parameter) -> Iterator[Parameter]:
    """Yield the keywords that ``**options: Unpack[Options]`` stands for, or just *parameter*."""
    annotation = parameter.annotation
    options: Any = next(iter(get_args(annotation)), None) if get_origin(annotation) is Unpack else None
    if parameter.kind is not Parameter.VAR_KEYWORD or not is_typeddict(options):
        yield parameter
        return
    for name, kind in get_type_hints(options).items():
        default = Parameter.empty if name in options.__required_keys__ else None
        yield Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _without_partials(function: Any) -> Any:
    while isinstance(function, partial):
        function = function.func
    return function


def _is_wrapper(function: Any) -> bool:
    """Tell whether a decorator wrote *function*, which then may be called otherwise than what it decorates.

    ``functools.wraps`` copies the annotations all the same, and ``contextlib.contextmanager`` for one returns
    something else than they say. Of overloads, ``typing`` leaves a function of its own.
    """
    plain = getattr(function, "__func__", function)
    return isinstance(plain, FunctionType) and (hasattr(plain, "__wrapped__") or plain.__module__ == "typing")


def _is_async(function: Any) -> bool:
    call = None if isinstance(function, type) else getattr(function, "__call__", None)  # noqa: B004 -- it is called
    # A mock with the specification of a function has code whose flags are a mock too, and say yes to everything.
    has_flags = isinstance(getattr(getattr(function, "__code__", None), "co_flags", 0), int)
    return has_flags and (inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call))


def _type_of(annotation: Any, names: Any) -> Any:
    return UNKNOWN if annotation is Parameter.empty else resolved(annotation, names)


# Comparing


def misfits_of_call(given: Shape, wanted: Shape, fits: Fits) -> tuple[str, ...]:
    """Return in words all that keeps *given* from taking every call that *wanted* allows.

    Args:
        given: How the thing is called.
        wanted: How its user will call it.
        fits: Whether a value of one type may stand for another.
    """
    return tuple(dict.fromkeys(_misfits(given, wanted, fits)))


def _misfits(given: Shape, wanted: Shape, fits: Fits) -> Iterator[str]:
    if given.parameters is not None and wanted.parameters is not None:
        yield from _misfits_of_parameters(_Parameters(given.parameters), _Parameters(wanted.parameters), fits)
    if given.is_async and not wanted.is_async and not _may_be_awaitable(wanted.result):
        yield f"it is async, and {type_name(wanted.result)} is expected of the call"
    elif wanted.is_async and not given.is_async and not _may_be_awaitable(given.result):
        yield f"it returns {type_name(given.result)}, and something to await is expected"
    else:
        is_either_async = given.is_async or wanted.is_async
        results = [_awaited(shape) if is_either_async else shape.result for shape in (given, wanted)]
        if not fits(*results):
            verb = "gives, when awaited," if is_either_async else "returns"
            yield f"it {verb} {type_name(results[0])}, and {type_name(results[1])} is expected"


def _awaited(shape: Shape) -> Any:
    """Return the type of what awaiting the result of a call gives."""
    if shape.is_async:
        return shape.result
    is_told = get_origin(shape.result) in (Awaitable, Coroutine) and get_args(shape.result)
    return get_args(shape.result)[-1] if is_told else UNKNOWN


class _Parameters:
    """Parameters by the ways in which an argument may reach them."""

    def __init__(self, parameters: tuple[Parameter, ...]) -> None:
        self.by_position = [parameter for parameter in parameters if parameter.kind in _BY_POSITION]
        self.by_keyword = {parameter.name: parameter for parameter in parameters if parameter.kind in _BY_KEYWORD}
        self.keyword_only = [parameter for parameter in parameters if parameter.kind is Parameter.KEYWORD_ONLY]
        self.rest = next((p for p in parameters if p.kind is Parameter.VAR_POSITIONAL), None)
        self.keywords = next((p for p in parameters if p.kind is Parameter.VAR_KEYWORD), None)

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
        if sent.kind is Parameter.POSITIONAL_OR_KEYWORD and not _takes_keyword(given, position, sent.name):
            yield f"{_called(taker)}, and it may be passed as {sent.name!r}"
    for sent in wanted.keyword_only:
        by_name = given.by_keyword.get(sent.name, given.keywords)
        if by_name is None:
            yield f"it takes no {sent.name!r}"
        elif by_name in given.by_position and (wanted.rest or by_name.name in reached):
            yield f"{sent.name!r} may be passed by keyword after another argument took its place"
        else:
            reached.add(by_name.name)
            yield from _misfits_of_argument(by_name, sent, fits)
    if (wanted.rest and not given.rest) or (wanted.keywords and not given.keywords):
        yield "it takes a fixed set of arguments, and any may be passed"
    for taker in (*given.by_position, *given.keyword_only):
        if taker.name not in reached and taker.default is Parameter.empty:
            yield f"it also needs {taker.name!r}, which is not passed"


def _misfits_of_argument(taker: Parameter, sent: Parameter, fits: Fits) -> Iterator[str]:
    if not fits(sent.annotation, taker.annotation):
        yield f"its {taker.name!r} takes {type_name(taker.annotation)}, and {type_name(sent.annotation)} is passed"
    is_variable = taker.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    if sent.default is not Parameter.empty and taker.default is Parameter.empty and not is_variable:
        yield f"it needs {taker.name!r}, which may be left out"


def _takes_keyword(given: _Parameters, position: int, name: str) -> bool:
    """Tell whether the argument at *position* may as well be passed as *name*, when only earlier ones are."""
    taker, named = given.at(position), given.by_keyword.get(name, given.keywords)
    if named is taker or taker is None or named is None:
        return named is not None
    may_stay_empty = taker.kind is Parameter.VAR_POSITIONAL or taker.default is not Parameter.empty
    return may_stay_empty and named not in given.by_position[:position]


def _called(taker: Parameter) -> str:
    if taker.kind is Parameter.POSITIONAL_OR_KEYWORD:
        return f"it calls that argument {taker.name!r}"
    return f"it takes {taker.name!r} by position only"


def _may_be_awaitable(declared: Any) -> bool:
    return declared in (Any, object) or hasattr(get_origin(declared) or declared, "__await__")


def _arguments(count: int) -> str:
    return f"{count} argument" if count == 1 else f"{count or 'no'} arguments"


def type_name(declared: Any) -> str:
    """Return *declared* as one writes it, without the modules of classes."""
    if declared is None or declared is type(None):
        return "None"
    if isinstance(declared, type) and not get_args(declared):
        return declared.__qualname__
    return _WRITTEN.sub(lambda found: found["text"] or found["member"] or "", inspect.formatannotation(declared))
