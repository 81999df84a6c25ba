import ast

import pytest

from wiremap.source.annotations import Annotations
from wiremap.source.scope import Bound, Scope, standard


def annotations(*, are_lazy: bool = False) -> Annotations:
    scope = Scope()
    scope.bind("Foreign", Bound())
    scope.bind("Own", Bound("class", kind="plain"))
    scope.bind("five", Bound("value"))
    scope.bind("T", Bound("variable"))
    for module in ("typing", "collections", "app"):
        scope.bind(module, (standard(module) if module != "app" else None) or Bound())
    return Annotations(scope, are_lazy)


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize(
    "text",
    [
        "int", "None", "'anything at all'", "five", "Own", "Foreign", "list[Foreign]", "int | None", "Own | T",
        "dict[str, list[int]]", "tuple[int, ...]", "type[Own]", "typing.Any", "typing.Optional[int]",
        "typing.Callable[..., int]", "typing.Callable[[int, Own], None]", "collections.abc.Callable[[], None]",
        "collections.abc.Iterator[int]", "typing.Literal['a', 1]", "typing.Union[int, 'Own', None]",
        "collections.OrderedDict[str, int]",
    ],
)  # fmt: skip
def test_these_surely_give_a_value(text: str) -> None:
    assert annotations().are_plain([expression(text)])


@pytest.mark.parametrize(
    "text",
    [
        "unknown", "unknown.Any", "f()", "five | None", "'Own' | None", "None | None", "five[int]", "typing.Anything",
        "typing.Optional[int, str]", "typing.List[five]", "typing.Callable[int, str]", "typing.Optional['a b']",
        "typing.List[typing.ClassVar]", "typing.Any[int]", "collections.abc.Sized[int]", "len | None",
        "int if five else str",
    ],
)  # fmt: skip
def test_these_may_fail(text: str) -> None:
    assert not annotations().are_plain([expression(text)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Foreign", set()),
        ("Own | None", set()),
        ("Foreign | None", {"| Foreign"}),
        ("typing.Optional[Foreign]", {"[ Foreign"}),
        ("app.Foreign", {". Foreign"}),
        ("Foreign[int, Own]", {"Foreign[int, Own]"}),
    ],
)
def test_they_tell_what_must_be_a_type(text: str, expected: set[str]) -> None:
    found = annotations()

    assert found.are_plain([expression(text)])
    assert found.rests_on == expected


def test_what_is_not_evaluated_can_not_fail() -> None:
    found = annotations(are_lazy=True)

    assert found.are_plain([expression("unknown.x | 5")])
    assert found.rests_on == set()
