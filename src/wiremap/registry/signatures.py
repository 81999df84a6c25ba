"""How something that can be called is called, as its signature or a type says."""

import inspect
import re
from collections.abc import Callable as AbstractCallable
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from inspect import Parameter
from types import FunctionType, MethodType, SimpleNamespace
from typing import (
    Any,
    Final,
    ParamSpecArgs,
    TypeVar,
    Unpack,
    get_args,
    get_origin,
    get_overloads,
    get_type_hints,
    is_typeddict,
)

from wiremap.registry.annotations import UNKNOWN, names_around, resolved
from wiremap.registry.context_managers import managed, manager_of
from wiremap.registry.type_arguments import arguments_in, unknown_in, with_arguments

_WRITTEN: Final = re.compile(r"""(?P<text>'[^']*'|"[^"]*")|<(?P<member>[\w.]+): [^>]*>|(?:[\w<>]+\.)+(?=\w)""")
"""In the text of a type: values that are strings, members of enumerations, and modules and classes around names."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How something is called.

    Attributes:
        parameters: In order, with resolved annotations; None where any call is meant, as in ``Callable[..., int]``.
        result: The type of what the call returns.
        is_async: Whether that is the result of awaiting it.
        overloads: The ways in which it may be called, where several are declared, each with a result of its own.
    """

    parameters: tuple[Parameter, ...] | None
    result: Any
    is_async: bool = False
    overloads: tuple["Shape", ...] = ()


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
        return shape_of_method(declared, "__call__") or ANY_CALL
    if not get_args(declared):
        return ANY_CALL
    taken, result = get_args(declared)
    unknown = unknown_in(declared)  # they belong to the class around
    if not isinstance(taken, list):  # `...`, or a parameter specification
        return shape_with_arguments(Shape(None, result), unknown)
    parameters = (Parameter(f"_{n}", Parameter.POSITIONAL_ONLY, annotation=kind) for n, kind in enumerate(taken))
    return shape_with_arguments(Shape(tuple(parameters), result), unknown)


def shape_of_method(declared: Any, name: str) -> Shape | None:
    """Return how a method that the class *declared* defines is called, or None where Python doesn't tell."""
    plain = get_origin(declared) or declared
    owner = next(klass for klass in plain.__mro__ if name in vars(klass))
    method = vars(owner)[name]
    shape = shape_of_function(_function_of(method), skip_self=not isinstance(method, staticmethod))
    if overloads := _overloads(f"{owner.__qualname__}.{name}", owner.__module__, skip_self=True):
        shape = replace(ANY_CALL, overloads=overloads)  # a protocol has nothing else of them
    known = {**unknown_in(plain), **unknown_in(owner), **arguments_in(owner, declared)}
    return shape and shape_with_arguments(shape, known)


def _function_of(method: Any) -> Any:
    return method.__func__ if isinstance(method, classmethod | staticmethod) else method


def shape_with_arguments(shape: Shape, known: Mapping[Any, Any]) -> Shape:
    """Return *shape* with what is *known* of type variables in their place."""
    if not known:
        return shape
    parameters = shape.parameters and tuple(
        parameter.replace(annotation=with_arguments(parameter.annotation, known)) for parameter in shape.parameters
    )
    overloads = tuple(shape_with_arguments(one, known) for one in shape.overloads)
    return replace(shape, parameters=parameters, result=with_arguments(shape.result, known), overloads=overloads)


def shape_of_function(function: Any, *, skip_self: bool = False) -> Shape | None:
    """Return how *function* is called, or None where Python doesn't tell.

    Args:
        function: Anything callable.
        skip_self: It is a method as the class stores it.
    """
    shape = _last_shape_of(function, skip_self=skip_self)
    if shape is None or (overloads := _overloads_of(function, skip_self=skip_self)) == ():
        return shape
    return replace(shape, overloads=overloads)


def _last_shape_of(function: Any, *, skip_self: bool) -> Shape | None:
    """Return how the last definition of *function* is called, which stands for all overloads."""
    manager = manager_of(function)
    if manager is None and _is_wrapper(function):
        return Shape(None, UNKNOWN, inspect.iscoroutinefunction(function))
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return Shape(None, function) if type(function) is type else None  # such as `int`, which tells no arguments
    names = names_around(function)
    written = list(signature.parameters.values())[int(skip_self) :]
    parameters = [parameter.replace(annotation=_type_of(parameter.annotation, names)) for parameter in written]
    if any(map(_stands_for_unknown, written, parameters)):
        given = _type_of(signature.return_annotation, names)
        return Shape(None, given if manager is None else managed(manager, given), _is_async(function))
    parameters = [one for parameter in parameters for one in _spelled_out(parameter)]
    called = _without_partials(function)
    # The call of a class gives an instance; Python tells what its __init__ returns, which is nothing.
    result = called if isinstance(called, type) else _type_of(signature.return_annotation, names)
    if manager is not None:
        result = managed(manager, result)
    return Shape(tuple(parameters), result, _is_async(function))


def _overloads_of(function: Any, *, skip_self: bool) -> tuple[Shape, ...]:
    """Return the shapes of the overloads of something that can be called; none where there is one definition only."""
    is_plain = isinstance(function, FunctionType | MethodType)
    found = function if is_plain or isinstance(function, type) else getattr(type(function), "__call__", None)  # noqa: B004 -- it is read
    written = getattr(found, "__func__", found)
    if not isinstance(written, FunctionType):
        return ()
    skip_self = skip_self or not isinstance(function, FunctionType)
    return _overloads(written.__qualname__, written.__module__, skip_self=skip_self)


def _overloads(qualname: str, module: str, *, skip_self: bool) -> tuple[Shape, ...]:
    named: Any = SimpleNamespace(__qualname__=qualname, __module__=module)  # all that is asked of a function
    shapes = (
        _last_shape_of(_function_of(one), skip_self=skip_self and not isinstance(one, staticmethod))
        for one in get_overloads(named)
    )
    return tuple(shape for shape in shapes if shape)


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


def type_name(declared: Any) -> str:
    """Return *declared* as one writes it, without the modules of classes."""
    if declared is None or declared is type(None):
        return "None"
    if isinstance(declared, TypeVar):
        return declared.__name__
    if isinstance(declared, type) and not get_args(declared):
        return declared.__qualname__
    return _WRITTEN.sub(lambda found: found["text"] or found["member"] or "", inspect.formatannotation(declared))
