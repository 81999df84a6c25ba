"""The oracle is Python itself: does every call that the one signature allows bind to the other?"""

import inspect
import itertools
from collections.abc import Awaitable, Callable, Iterator
from inspect import Parameter
from typing import Any, Protocol

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiremap.registry.call_fit import misfits_of_call
from wiremap.registry.signatures import Shape, shape_of_function, shape_of_type
from wiremap.registry.type_fit import fits

NAMES = ("a", "b", "c")
MAX_ARGUMENTS = len(NAMES) + 2
KINDS = (
    Parameter.POSITIONAL_ONLY,
    Parameter.POSITIONAL_OR_KEYWORD,
    Parameter.VAR_POSITIONAL,
    Parameter.KEYWORD_ONLY,
    Parameter.VAR_KEYWORD,
)
VARIABLE: dict[int, str] = {Parameter.VAR_POSITIONAL: "rest", Parameter.VAR_KEYWORD: "others"}


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    kinds = sorted(draw(st.lists(st.sampled_from(KINDS), max_size=4)))
    kinds = [kind for number, kind in enumerate(kinds) if not (is_variable(kind) and kind in kinds[:number])]
    names = iter(draw(st.permutations(NAMES)))
    parameters: list[Parameter] = []
    optional = False
    for kind in kinds:
        name = VARIABLE.get(kind) or next(names, "z")
        optional = draw(st.booleans()) or (optional and kind <= Parameter.POSITIONAL_OR_KEYWORD)
        default = None if optional and not is_variable(kind) else Parameter.empty
        if name not in {parameter.name for parameter in parameters}:
            parameters.append(Parameter(name, kind, default=default, annotation=object))
    return Shape(tuple(parameters), Any)


def is_variable(kind: int) -> bool:
    return kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def calls() -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield every small call: how many arguments by position, and which names by keyword."""
    for count in range(MAX_ARGUMENTS + 1):
        for size in range(MAX_ARGUMENTS + 1):
            for names in itertools.combinations((*NAMES, "z", "unheard_of"), size):
                yield count, names


def takes(shape: Shape, count: int, names: tuple[str, ...]) -> bool:
    """Tell whether a function of that shape can really be called so; ``Signature.bind`` errs before Python 3.13."""
    namespace: dict[str, Any] = {}
    plain = [parameter.replace(annotation=Parameter.empty) for parameter in shape.parameters or ()]
    exec(f"def function{inspect.Signature(plain)}: ...", namespace)  # noqa: S102 -- our own text
    try:
        namespace["function"](*range(count), **dict.fromkeys(names))
    except TypeError:
        return False
    return True


def allowed_calls(shape: Shape) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each call that *shape* takes, with no keyword that means a parameter of somebody else."""
    by_keyword = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    known = {parameter.name for parameter in shape.parameters or () if parameter.kind in by_keyword} | {"unheard_of"}
    return (call for call in calls() if known.issuperset(call[1]) and takes(shape, *call))


@given(shapes(), shapes())
def test_what_fits_takes_every_call_that_may_be_made(provided: Shape, wanted: Shape) -> None:
    if not misfits_of_call(provided, wanted, fits):
        assert [call for call in allowed_calls(wanted) if not takes(provided, *call)] == []


@given(shapes(), shapes())
def test_what_does_not_fit_fails_some_call_that_may_be_made(provided: Shape, wanted: Shape) -> None:
    if misfits_of_call(provided, wanted, fits):
        assert any(not takes(provided, *call) for call in allowed_calls(wanted))


@given(shapes())
def test_every_signature_fits_itself(shape: Shape) -> None:
    assert misfits_of_call(shape, shape, fits) == ()


class Callback(Protocol):
    def __call__(self, count: int, *, hard: bool = False) -> str: ...


def accepts_exactly(count: int, *, hard: bool = False) -> str:
    return f"{count}{hard}"


def accepts_more(count: float, *rest: int, hard: object = None) -> str:
    return f"{count}{rest}{hard}"


def misnames(number: int, *, hard: bool = False) -> str:
    return f"{number}{hard}"


def lacks_a_keyword(count: int) -> str:
    return f"{count}"


def needs_more(count: int, size: int, *, hard: bool = False) -> str:
    return f"{count}{size}{hard}"


def is_stricter(count: bool, *, hard: bool = False) -> str:  # noqa: FBT001 -- its type is the point
    return f"{count}{hard}"


def returns_another(count: int, *, hard: bool = False) -> int:
    return count + hard


async def is_async(count: int, *, hard: bool = False) -> str:
    return f"{count}{hard}"


def untyped(count, *, hard=False): ...  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (accepts_exactly, None),
        (accepts_more, None),
        (untyped, None),
        (misnames, "it calls that argument 'number', and it may be passed as 'count'"),
        (lacks_a_keyword, "it takes no 'hard'"),
        (needs_more, "it also needs 'size', which is not passed"),
        (is_stricter, "its 'count' takes bool, and int is passed"),
        (returns_another, "it returns int, and str is expected"),
        (is_async, "it is async, and str is expected of the call"),
    ],
)
def test_each_misfit_is_named(function: Callable[..., Any], reason: str | None) -> None:
    provided = shape_of_function(function)

    assert provided is not None
    assert misfits_of_call(provided, shape_of_type(Callback), fits) == ((reason,) if reason else ())


def misfits_in_all(number: str, size: int) -> int:
    return size + len(number)


def test_all_misfits_are_told_together() -> None:
    provided = shape_of_function(misfits_in_all)

    assert provided is not None
    assert misfits_of_call(provided, shape_of_type(Callback), fits) == (
        "its 'number' takes str, and int is passed",
        "it calls that argument 'number', and it may be passed as 'count'",
        "it takes no 'hard'",
        "it also needs 'size', which is not passed",
        "it returns int, and str is expected",
    )


def test_a_callable_type_promises_arguments_by_position() -> None:
    provided = shape_of_function(needs_more)

    assert provided is not None
    assert misfits_of_call(provided, shape_of_type(Callable[[int], str]), fits) == (
        "it also needs 'size', which is not passed",
    )
    assert misfits_of_call(provided, shape_of_type(Callable[..., str]), fits) == ()


def test_an_async_method_may_stand_for_one_that_returns_something_to_await() -> None:
    provided = shape_of_function(is_async)

    assert provided is not None
    assert misfits_of_call(provided, shape_of_type(Callable[[int], Awaitable[str]]), fits) == ()


class TakesAny(Protocol):
    def __call__(self, first: int, /, *args: Any, **kwargs: Any) -> str: ...


def takes_two(first: int, second: str) -> str:
    return f"{first}{second}"


def takes_a_text(first: str, *, hard: bool) -> str:
    return f"{first}{hard}"


def takes_nothing() -> str:
    return ""


@pytest.mark.parametrize(
    ("function", "misfits"),
    [
        (takes_two, ()),
        (accepts_more, ()),
        (takes_a_text, ("its 'first' takes str, and int is passed",)),
        (takes_nothing, ("it takes no arguments by position, and 1 may be passed",)),
    ],
)
def test_any_arguments_in_a_promise_stand_for_those_that_are_taken(
    function: Callable[..., Any], misfits: tuple[str, ...]
) -> None:
    provided = shape_of_function(function)

    assert provided is not None
    assert misfits_of_call(provided, shape_of_type(TakesAny), fits) == misfits


class TakesMany(Protocol):
    def __call__(self, *args: int, **kwargs: int) -> None: ...


def test_what_comes_beyond_the_named_parameters_is_compared_too() -> None:
    def provided(first: str = "", *rest: bytes, hard: str = "", **others: list[int]) -> None: ...

    shape = shape_of_function(provided)

    assert shape is not None
    assert misfits_of_call(shape, shape_of_type(TakesMany), fits) == (
        "its 'first' takes str, and int is passed",
        "its 'rest' takes bytes, and int is passed",
        "its 'hard' takes str, and int is passed",
        "its 'others' takes list[int], and int is passed",
    )


def test_an_argument_that_goes_among_the_keywords_if_it_is_named_is_compared_there() -> None:
    class Names(Protocol):
        def __call__(self, count: int = 0) -> None: ...

    def provided(number: int = 0, **others: str) -> None: ...

    shape = shape_of_function(provided)

    assert shape is not None
    assert misfits_of_call(shape, shape_of_type(Names), fits) == ("its 'others' takes str, and int is passed",)
