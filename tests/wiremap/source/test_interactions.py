"""What a function does, step by step: what counts as the same, and what as another."""

import ast
from textwrap import dedent
from types import FunctionType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wiremap.source.branches import function_of, numbered_branches, only_taken, text_of
from wiremap.source.interactions import CannotFollowError, same_header, steps_along, ways

BOTH = {number: {True, False} for number in range(20)}


def parsed(text: str) -> ast.FunctionDef:
    ast.parse(dedent(text))
    function = function_of(dedent(text))
    assert function is not None
    return function


def wire(body: str, parameters: str = "config") -> ast.FunctionDef:
    lines = "".join(f"    {line}\n" for line in dedent(body).strip("\n").split("\n"))
    return parsed(f"def wire({parameters}):\n{lines}")


def do_the_same(before: str, now: str, outcomes: dict[int, set[bool]] | None = None) -> bool:
    taken = BOTH if outcomes is None else outcomes
    found = []
    for way in ways(wire(before), taken):
        steps = steps_along(wire(now), way)
        found.append(len(way) == len(steps) and all(one.is_same(other) for one, other in zip(way, steps, strict=True)))
    return all(found)


SAME = {
    "a local variable renamed": ("a = A()\nb(a)", "other = A()\nb(other)"),
    "a constant named": ("b(A(8))", "size = 8\nb(A(size))"),
    "an alias": ("a = A()\nb(a)\nreturn a", "a = A()\nb(a)\nsame = a\nreturn same"),
    "a loop over constants": ("r(1, 'x')\nr(1, 'y')", "for name in ('x', 'y'):\n    r(1, name)"),
    "a condition turned around": (
        "if config.moe:\n    A()\nelse:\n    B()",
        "if not config.moe:\n    B()\nelse:\n    A()",
    ),
    "the end said": ("A()", "A()\nreturn None"),
    "an annotated variable": ("a = A()\nb(a)", "a: A = A()\nb(a)"),
    "an early return instead of an else": (
        "if config:\n    return A()\nelse:\n    return B()",
        "if config:\n    return A()\nreturn B()",
    ),
    "a comment and a string": ("A()", "'why'\nA()"),
}


@pytest.mark.parametrize(("before", "now"), SAME.values(), ids=SAME.keys())
def test_a_refactoring_does_the_same(before: str, now: str) -> None:
    assert do_the_same(before, now)
    assert do_the_same(now, before)


OTHER = {
    "another argument": ("A(1)", "A(2)"),
    "another type of argument": ("A(1)", "A(True)"),
    "another name of an argument": ("A(x=1)", "A(y=1)"),
    "another order of calls": ("A()\nB()", "B()\nA()"),
    "another order of operands": ("f(A(), B())", "b = B()\nf(A(), b)"),
    "a call more": ("A()", "A()\nA()"),
    "a call less": ("A()\nB()", "A()"),
    "two objects instead of one": ("a = A()\nf(a, a)", "f(A(), A())"),
    "two components swapped": ("a = A()\nb = A()\nf(a, b)", "a = A()\nb = A()\nf(b, a)"),
    "another result": ("a = A()\nb = B()\nreturn a", "a = A()\nb = B()\nreturn b"),
    "a result less": ("return A()", "A()"),
    "another attribute assigned": ("config.x = 1", "config.y = 1"),
    "another item assigned": ("config['x'] = 1", "config['y'] = 1"),
    "a global assigned": ("f()", "global state\nstate = 1\nf()"),
    "a global that is local by now": ("f(state)", "state = 1\nf(state)"),
    "an attribute read more": ("f(config.x)", "config.x\nf(config.x)"),
    "an attribute read once instead of twice": ("f(config.x)\nf(config.x)", "x = config.x\nf(x)\nf(x)"),
    "an attribute read earlier": ("f()\ng(config.x)", "x = config.x\nf()\ng(x)"),
    "an object that lives longer": ("f(A())\ng()", "a = A()\nf(a)\ng()"),
    "an object that is let go": ("a = A()\nf(a)\ng()", "a = A()\nf(a)\na = None\ng()"),
    "objects let go in another order": ("a = A()\nb = B()\nf(a, b)", "b = 1\na = A()\nb = B()\nf(a, b)"),
    "a test more": ("A()", "if config:\n    A()"),
    "a test less": ("if config:\n    A()\nelse:\n    A()", "A()"),
    "another test": ("if config.x:\n    A()", "if config.y:\n    A()"),
    "a test asked elsewhere": ("if config:\n    A()\nB()", "B()\nif config:\n    A()"),
    "a swallowed error": ("A()", "try:\n    A()\nexcept ValueError:\n    pass"),
    "another error swallowed": (
        "try:\n    A()\nexcept ValueError:\n    pass",
        "try:\n    A()\nexcept KeyError:\n    pass",
    ),
    "another value in a loop": (
        "a = A()\nb = B()\nfor x in config:\n    f(a)",
        "b = B()\na = A()\nfor x in config:\n    f(b)",
    ),
    "a lambda with another value": ("a = A()\nb = A()\nf(lambda: a)", "b = A()\na = A()\nf(lambda: a)"),
    "a lambda whose value is replaced earlier": (
        "f(lambda: x)\ng()\nx = config",
        "f(lambda: x)\nx = config\ng()",
    ),
    "an expression of another kind": ("f(config or A())", "f(config and A())"),
    "a context left earlier": ("with config:\n    A()\n    B()", "with config:\n    A()\nB()"),
    "a local import": ("A()", "import os\nA()"),
    "an assertion": ("A()", "assert config\nA()"),
    "a loop that ends early": (
        "for name in ('x', 'y'):\n    r(name)",
        "for name in ('x', 'y'):\n    r(name)\n    break",
    ),
}


OTHER |= {
    "a tuple that is made anew": ("return (1, 2)", "first = 1\nreturn (first, 2)"),
    "a number that is made anew": ("return -1000", "size = 1000\nreturn -size"),
    "a sum that is one constant": ("size = 1000\nreturn size + 1", "return 1000 + 1"),
    "a variable without a value read earlier": ("del config\nA()\nb(config)", "del config\nc = config\nA()\nb(c)"),
}


@pytest.mark.parametrize(("before", "now"), OTHER.values(), ids=OTHER.keys())
def test_a_change_does_something_else(before: str, now: str) -> None:
    assert not do_the_same(before, now)
    assert not do_the_same(now, before)


def test_a_branch_that_was_not_taken_does_not_count() -> None:
    before = "if config.moe:\n    a = Moe(4)\nelse:\n    a = Dense()\nf(a)"
    now = before.replace("Moe(4)", "Moe(8, shared=True)")

    assert do_the_same(before, now, {0: {False}})
    assert not do_the_same(before, now, {0: {True}})
    assert not do_the_same(before, now, {0: {True, False}})


def test_a_variable_that_another_branch_makes_local_has_no_value() -> None:
    before, now = "if config:\n    A()\nf(size)", "if config:\n    size = 1\nf(size)"

    with pytest.raises(CannotFollowError, match="size may have no value"):
        do_the_same(before, now, {0: {False}})


REFUSED = {
    "a generator that assigns": "g = ((y := v) for v in (1, 2))\ny = 0\nlist(g)\nreturn y",
    "reads its own frame": "f(locals())",
    "reads a frame": "import sys\nsys._getframe()",
    "runs text": "exec('x')",
    "a function in it assigns": "x = 1\ndef g():\n    nonlocal x\n    x = 2\ng()",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_what_can_not_be_followed_is_refused(body: str) -> None:
    with pytest.raises(CannotFollowError):
        do_the_same(body, body)


def test_a_test_that_nobody_came_past_is_refused() -> None:
    with pytest.raises(CannotFollowError, match="nobody came past"):
        do_the_same("if config:\n    A()", "if config:\n    A()", {})


def test_too_many_ways_are_refused() -> None:
    body = "\n".join(f"if config.x{number}:\n    A()" for number in range(9))

    with pytest.raises(CannotFollowError, match="too many ways"):
        do_the_same(body, body)


HEADERS = ["def f(a=2): A()", "def f(b=1): A()", "def f(a: int = 1): A()", "def f(a=1, /): A()", "@x\ndef f(a=1): A()"]


@pytest.mark.parametrize("text", [*HEADERS, "def f(a=1) -> int: A()", "def g(a=1): A()", "def f(a=1): 'doc'"])
def test_what_is_seen_without_a_call_is_the_header(text: str) -> None:
    assert not same_header(parsed("def f(a=1): A()"), parsed(text))
    assert same_header(parsed(text), parsed(text + "\n"))


def test_branches_are_numbered_unless_they_stand_in_a_loop() -> None:
    function = wire(
        """
        if a: pass
        elif b: pass
        for x in y:
            if c: pass
        if d:
            if e: pass
        """
    )

    assert [ast.unparse(one.test) for one in numbered_branches(function)] == ["a", "b", "d", "e"]


def test_source_leads_to_the_same_function_again() -> None:
    function = parsed("@recipe\ndef wire(a, *, b=1):\n    # why\n    return f'{a!r:>{b}}', lambda: (yield_)\n")

    text = text_of(function)

    assert text is not None
    assert text_of(parsed(text)) == text


@pytest.mark.parametrize("text", ["", "x = 1", "async def f(): pass", "def f(): pass\ndef g(): pass", "def f(:"])
def test_other_source_is_no_function(text: str) -> None:
    assert function_of(text) is None


def test_only_what_was_taken_stays() -> None:
    function = wire("if config.a:\n    A()\nelif config.b:\n    B()\nelse:\n    C()")

    assert only_taken(function, {0: {False}, 1: {False}}) == (
        "def wire(config):\n    if config.a:\n        pass\n    elif config.b:\n        pass\n    else:\n        C()"
    )


# Whoever sees all that a function does can't tell two that do the same apart.


class World(dict[str, Any]):
    """Globals of a function that write down what is done with them, and with all that they give."""

    def __init__(self, truths: list[bool]) -> None:
        self.log: list[str] = []
        self.truths = truths
        self.number_of_tests = 0
        self.callbacks: list[FunctionType] = []
        super().__init__(__builtins__={})

    def __getitem__(self, name: str) -> Any:
        if name == "__builtins__":
            return super().__getitem__(name)
        return self.give(f"global {name}")

    def give(self, event: str) -> "Thing":
        self.log.append(event)
        return Thing(self, len(self.log))


class Thing:
    """An object that tells everything that is done with it, its end included."""

    world: World
    number: int

    def __init__(self, world: World, number: int) -> None:
        vars(self).update(world=world, number=number)

    def __repr__(self) -> str:
        return f"#{self.number}"

    def __getattr__(self, name: str) -> "Thing":
        return self.world.give(f"{self}.{name}")

    def __setattr__(self, name: str, value: object) -> None:
        self.world.log.append(f"{self}.{name} = {value!r}")

    def __call__(self, *args: object, **kwargs: object) -> "Thing":
        self.world.callbacks += [one for one in args if isinstance(one, FunctionType)]
        told = ["a function" if isinstance(one, FunctionType) else one for one in args]
        self.world.log.append(f"{self}{told}{kwargs}")
        callbacks, self.world.callbacks = self.world.callbacks, []
        for callback in callbacks:  # sees what its variables mean by now
            try:
                self.world.log.append(f"callback {callback()!r}")
            except Exception as error:  # noqa: BLE001 - an error is something that is seen
                self.world.log.append(f"callback {error!r}")
        self.world.callbacks = callbacks
        return self.world.give(f"result of {self}")

    def __add__(self, other: object) -> "Thing":
        return self.world.give(f"{self} + {other!r}")

    def __eq__(self, other: object) -> Any:
        return self.world.give(f"{self} == {other!r}")

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        self.world.log.append(f"bool {self}")
        self.world.number_of_tests += 1
        return self.world.truths[self.world.number_of_tests % len(self.world.truths)]

    def __del__(self) -> None:
        self.world.log.append(f"end of {self}")


def what_is_seen(function: ast.FunctionDef, truths: list[bool]) -> list[str]:
    """Call *function* in a world of its own; return all that is done there."""
    world = World(truths)
    exec(compile(ast.unparse(function), "<wire>", "exec"), world)  # noqa: S102 - made of our own words
    world.log.clear()
    config = Thing(world, 0)
    try:
        world.log.append(f"result {dict.__getitem__(world, 'wire')(config)!r}")
    except Exception as error:  # noqa: BLE001 - as above
        world.log.append(f"error {error!r}")
    found = list(world.log)
    world.callbacks.clear()
    return found


VALUES = st.recursive(
    st.sampled_from(["A", "B", "C", "config", "size", "1", "2"]),
    lambda inner: st.one_of(
        st.builds("{}.x".format, inner.filter(lambda text: not text[0].isdigit())),
        st.builds("f({})".format, inner),
        st.builds("f({}, {})".format, inner, inner),
        st.builds("({} + {})".format, st.sampled_from(["A", "config", "f(1)"]), inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("({},)".format, inner),
    ),
    max_leaves=3,
)
SIMPLE = st.one_of(
    st.builds("{} = {}".format, st.sampled_from("ABC"), VALUES),
    VALUES,
    st.builds("config.y = {}".format, VALUES),
    st.builds("for B in (1, 2): f(B, {})".format, VALUES),
    st.builds("f(lambda: {})".format, VALUES),
    st.builds("return {}".format, VALUES),
)
BLOCKS = st.one_of(
    SIMPLE,
    st.builds("if {}:\n    {}\nelse:\n    {}".format, VALUES, SIMPLE, SIMPLE),
    st.builds("if not {}:\n    {}".format, VALUES, SIMPLE),
)
BODIES = st.lists(BLOCKS, min_size=1, max_size=5)
NAMES = st.permutations("ABC").map(lambda names: str.maketrans("ABC", "".join(names)))
EDITS = st.sampled_from(
    [
        ("A", "B"), ("B = ", "C = "), ("C", "A"), ("f(A)", "f(B)"), ("1", "2"), ("A = f", "f"), ("config.x", "A"),
        ("for B in (1, 2): ", "B = 1\n"), ("if not", "if"), ("return ", ""), ("f(1)\n", ""), ("size", "A"),
    ]
)  # fmt: skip
CONSTANTS = st.sampled_from(["A = 1", "B = 2", "D = config", "A = config", "del A"])


@settings(max_examples=400)
@given(
    BODIES, NAMES, st.one_of(st.none(), EDITS), st.lists(st.tuples(st.integers(0, 5), CONSTANTS), max_size=2), st.data()
)
def test_what_does_the_same_is_seen_to_do_the_same(
    blocks: list[str],
    names: dict[int, int],
    edit: tuple[str, str] | None,
    added: list[tuple[int, str]],
    data: st.DataObject,
) -> None:
    changed = [block.translate(names) for block in blocks]
    for place, statement in added:
        changed.insert(place, statement)
    before, now = "\n".join(blocks), "\n".join(changed)
    now = now if edit is None else now.replace(*edit)
    try:
        are_same = do_the_same(before, now)
    except (CannotFollowError, SyntaxError):
        are_same = False

    if are_same:
        truths = data.draw(st.lists(st.booleans(), min_size=1, max_size=4))
        assert what_is_seen(wire(before), truths) == what_is_seen(wire(now), truths)
