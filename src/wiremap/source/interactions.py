"""What a function does with the rest of the world, step by step, along each way through it.

A step is anything that somebody else can notice: a global or an attribute that is read, a call, an operator, a test
for truth, what is stored elsewhere, an object that the function is the last to hold and lets go, the end. Values are
told by the step that gave them, so that names of local variables do not count. What is not taken apart here, a loop,
`try`, a lambda, is one step as it is written, with what its local names stand for.

Two functions with equal steps along a way do the same there: each step finds the world as the other's step found it,
so that it gives the same, and so on to the end.
"""

import ast
import symtable
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wiremap.source.branches import Outcomes, numbered_branches
from wiremap.source.tree import dump, walk

Value = tuple[object, ...]
"""`("constant", type, text)`, `("parameter", name)`, `("step", number)`, `("part", number, which)`, `("unbound",)`."""

_MOST_WAYS = 256
FRAME_READERS = frozenset(
    {"locals", "vars", "dir", "eval", "exec", "super", "_getframe", "currentframe", "stack", "f_locals"}
)
_UNBOUND: Value = ("unbound",)


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        what: The kind of step and the values that it works on.
        held: The objects that local variables hold meanwhile, in the order in which they are let go in the end.
        text: The statement that it belongs to, for people; steps may be equal that are written otherwise.
    """

    what: tuple[object, ...]
    held: tuple[Value, ...]
    text: str

    def is_same(self, other: "Step") -> bool:
        """Tell whether both do the same."""
        return (self.what, self.held) == (other.what, other.held)


class CannotFollowError(Exception):
    """What the function does can't be told by its source."""


Decide = Callable[[ast.If, Value, int], bool]
"""Takes an `if`, the value that is tested and the number of the step; returns how the test comes out."""


def ways(function: ast.FunctionDef, outcomes: Outcomes) -> Iterator[list[Step]]:
    """Yield the steps of each way through *function* on which every `if` comes out as it did some time.

    Raises:
        CannotFollowError: It reads its own frame, nobody came past one of its tests, or it has too many ways.
    """
    numbers = {id(branch): number for number, branch in enumerate(numbered_branches(function))}
    source = _Source(function)
    pending: list[list[bool]] = [[]]
    for _ in range(_MOST_WAYS):
        if not pending:
            return
        given, taken = pending.pop(), list[bool]()

        def decide(
            branch: ast.If, _value: Value, _step: int, given: list[bool] = given, taken: list[bool] = taken
        ) -> bool:
            known = sorted(outcomes.get(numbers[id(branch)], ()))
            if not known:
                raise CannotFollowError("nobody came past a test of it")
            if len(taken) == len(given):
                pending.extend([*given, one] for one in known[1:])
                given.append(known[0])
            taken.append(given[len(taken)])
            return taken[-1]

        yield _Walk(source, decide).steps()
    if pending:
        raise CannotFollowError("it has too many ways")


def steps_along(function: ast.FunctionDef, way: Sequence[Step]) -> list[Step]:
    """Return the steps of *function* where its tests come out as those of *way*, as far as they are the same tests.

    Raises:
        CannotFollowError: It reads its own frame, or uses a variable that has no value there.
    """

    def decide(branch: ast.If, value: Value, step: int) -> bool:
        there = way[step].what if step < len(way) else ()
        if there[:2] != ("if", value):
            raise _OtherTestError(f"if {ast.unparse(branch.test)}:")
        is_negated, _ = _without_not(branch.test)
        return bool(there[2]) != is_negated

    walk_ = _Walk(_Source(function), decide)
    try:
        return walk_.steps()
    except _OtherTestError as error:
        return [*walk_.found, Step(("another test",), (), str(error))]


class _OtherTestError(Exception):
    """It tests what the other function does not; the argument is the statement."""


class _Source:
    """A function with what the compiler knows of its names."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.function = function
        text = ast.unparse(function)
        words = {
            one.id if isinstance(one, ast.Name) else one.attr
            for one in walk(function)
            if isinstance(one, (ast.Name, ast.Attribute))
        }
        if found := sorted(words & FRAME_READERS):
            raise CannotFollowError(f"it may read its own frame: {found[0]}")
        if any(isinstance(one, ast.Nonlocal) for one in walk(function)):
            raise CannotFollowError("a function in it assigns to its variables")
        lazy = [one for one in walk(function) if isinstance(one, ast.GeneratorExp)]
        if any(isinstance(one, ast.NamedExpr) for generator in lazy for one in walk(generator)):
            raise CannotFollowError("a generator in it assigns to its variables")
        try:
            table = next(
                one
                for one in symtable.symtable(text, "<recipe>", "exec").get_children()
                if one.get_name() == function.name
            )
            code = next(
                one
                for one in compile(text, "<recipe>", "exec").co_consts
                if getattr(one, "co_name", "") == function.name
            )
        except (SyntaxError, StopIteration, ValueError) as error:
            raise CannotFollowError("it is no plain function") from error
        self.locals = {one.get_name() for one in table.get_symbols() if one.is_local()}
        self.captured = {name for inner in table.get_children() for name in _free_names(inner)} & self.locals
        self.slots: tuple[str, ...] = (
            *code.co_varnames,
            *(name for name in code.co_cellvars if name not in code.co_varnames),
        )


def _free_names(table: symtable.SymbolTable) -> Iterator[str]:
    yield from (one.get_name() for one in table.get_symbols() if one.is_free())
    for inner in table.get_children():
        yield from _free_names(inner)


class _EndOfWayError(Exception):
    """The function returned or raised."""


class _Walk:
    """One way through a function."""

    def __init__(self, source: _Source, decide: Decide) -> None:
        self.found: list[Step] = []
        self._source = source
        self._decide = decide
        self._text = ""
        arguments = source.function.args
        named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        self._values: dict[str, Value] = {one.arg: ("parameter", one.arg) for one in named if one is not None}

    def steps(self) -> list[Step]:
        """Return all of them."""
        try:
            self._block(self._source.function.body)
            self._step("return", _constant(None))
        except _EndOfWayError:
            pass
        return self.found

    # Steps and variables.

    def _step(self, *what: object) -> Value:
        held = [self._values[name] for name in self._source.slots if name in self._values]
        objects = [value for number, value in enumerate(held) if _is_object(value) and value not in held[number + 1 :]]
        self.found.append(Step(what, tuple(objects), self._text))
        return ("step", len(self.found) - 1)

    def _bind(self, name: str, value: Value) -> None:
        if name not in self._source.locals:
            self._step("store global", name, value)
            return
        before = self._values.get(name, _UNBOUND)
        self._values[name] = value
        if _is_object(before) and before not in self._values.values():
            self._step("let go", before)
        if name in self._source.captured:
            self._step("bind", name, value)  # whoever closes over it sees that

    # Statements.

    def _block(self, block: Sequence[ast.stmt]) -> None:
        for statement in block:
            self._text = _first_line(statement)
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:  # noqa: C901 - a case for each kind
        match statement:
            case (
                ast.Pass()
                | ast.Expr(value=ast.Constant())
                | ast.Global()
                | ast.AnnAssign(target=ast.Name(), value=None)
            ):
                pass
            case ast.Expr(value=value):
                self._value(value)
            case ast.Assign(targets=targets, value=value) if all(map(_is_simple_target, targets)):
                self._assign(targets, self._value(value))
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                self._assign([target], self._value(value))
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if name in self._source.locals:
                before = self._variable(name)
                self._bind(name, self._step("changed by", type(op).__name__, before, self._value(value)))
            case ast.Return(value=returned):
                self._step("return", _constant(None) if returned is None else self._value(returned))
                raise _EndOfWayError
            case ast.Raise(exc=error, cause=cause):
                self._step("raise", *(one and self._value(one) for one in (error, cause)))
                raise _EndOfWayError
            case ast.If(test=test, body=body, orelse=orelse):
                is_negated, bare = _without_not(test)
                tested = self._value(bare)
                is_taken = self._decide(statement, tested, len(self.found))
                self._step("if", tested, is_taken != is_negated)
                self._block(body if is_taken else orelse)
            case ast.For(
                target=ast.Name(id=name), iter=ast.Tuple(elts=items) | ast.List(elts=items), body=body, orelse=[]
            ) if all(isinstance(one, ast.Constant) for one in items) and all(map(_is_simple, body)):
                for item in items:
                    self._bind(name, self._value(item))
                    self._block(body)
            case _:
                self._as_written(statement)

    def _assign(self, targets: Sequence[ast.expr], value: Value) -> None:
        for target in targets:
            match target:
                case ast.Name(id=name):
                    self._bind(name, value)
                case ast.Attribute(value=owner, attr=name):
                    self._step("store attribute", self._value(owner), name, value)
                case ast.Subscript(value=owner, slice=key):
                    self._step("store item", self._value(owner), self._value(key), value)
                case ast.Tuple(elts=parts) | ast.List(elts=parts):
                    _, number = self._step("unpack", value, len(parts))
                    for place, part in enumerate(parts):
                        self._bind(part.id if isinstance(part, ast.Name) else "", ("part", number, place))
                case _:
                    raise CannotFollowError("it assigns in an unknown way")

    # Expressions, in the order in which Python evaluates them.

    def _value(self, node: ast.expr) -> Value:  # noqa: C901, PLR0911 - a case for each kind
        match node:
            case ast.Constant(value=value):
                return _constant(value)
            case ast.Name(id=name):
                return self._variable(name)
            case _ if _is_folded(node):  # one object for all calls, where variables would make a new one each time
                return self._as_written(node)
            case ast.Attribute(value=owner, attr=name):
                return self._step("attribute", self._value(owner), name)
            case ast.Call(func=function, args=arguments, keywords=keywords):
                called = self._value(function)
                given = [self._argument(one) for one in arguments]
                named = [(one.arg, self._value(one.value)) for one in keywords]
                return self._step("call", called, tuple(given), tuple(named))
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                return self._step("made", type(node).__name__, tuple([self._argument(one) for one in parts]))
            case ast.BinOp(left=left, op=op, right=right):
                return self._step("operator", type(op).__name__, self._value(left), self._value(right))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._step("operator", type(op).__name__, self._value(left), self._value(right))
            case ast.UnaryOp(op=op, operand=operand):
                return self._step("operator", type(op).__name__, self._value(operand))
            case ast.Subscript(value=owner, slice=key) if not isinstance(key, ast.Slice):
                return self._step("item", self._value(owner), self._value(key))
            case _:
                return self._as_written(node)

    def _argument(self, node: ast.expr) -> tuple[object, ...]:
        return ("unpacked", self._value(node.value)) if isinstance(node, ast.Starred) else self._value(node)

    def _variable(self, name: str) -> Value:
        if name not in self._source.locals:
            return self._step("global", name)
        if name not in self._values:
            raise CannotFollowError(f"{name} may have no value")
        value = self._values[name]
        if value[0] == "part" and isinstance(value[-1], str):
            self._step("may fail", value)  # what is as it is written may have left it without a value
        return value

    def _as_written(self, node: ast.AST) -> Value:
        """Take one step for all that *node* does."""
        nodes = walk(node)
        names = sorted({one.id for one in nodes if isinstance(one, ast.Name)} & self._source.locals)
        known = tuple((name, self._values.get(name, _UNBOUND)) for name in names)
        value = self._step("as written", dump(node), known)
        for name in sorted({name for one in nodes for name in _names_bound(one)} & self._source.locals):
            self._values[name] = ("part", *value[1:], name)
        return value


def _without_not(test: ast.expr) -> tuple[bool, ast.expr]:
    is_negated = False
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        is_negated, test = not is_negated, test.operand
    return is_negated, test


def _is_folded(node: ast.expr) -> bool:
    """Tell whether the compiler may make one constant of it."""
    nodes = walk(node)
    has_values = any(isinstance(one, (ast.Constant, ast.Tuple)) for one in nodes)
    return has_values and all(isinstance(one, _FOLDED) for one in nodes)


_FOLDED = (
    ast.Constant, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.Subscript, ast.operator, ast.unaryop, ast.expr_context
)  # fmt: skip


def _constant(value: object) -> Value:
    return ("constant", type(value).__name__, repr(value))


def _is_object(value: Value) -> bool:
    return value[0] not in ("constant", "unbound")


def _is_simple(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign, ast.Pass))


def _is_simple_target(target: ast.expr) -> bool:
    match target:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(isinstance(one, ast.Name) for one in parts)
        case ast.Subscript(slice=key):
            return not isinstance(key, ast.Slice)
        case _:
            return isinstance(target, (ast.Name, ast.Attribute))


def _names_bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that *node* itself binds or unbinds."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (one.asname or one.name.partition(".")[0] for one in names)
        case _:
            pass


def _first_line(statement: ast.stmt) -> str:
    return ast.unparse(statement).partition("\n")[0]


def same_header(one: ast.FunctionDef, other: ast.FunctionDef) -> bool:
    """Tell whether both tell the same to whoever looks at them without calling them."""
    return _header(one) == _header(other)


def _header(function: ast.FunctionDef) -> Mapping[str, object]:
    parts = [
        function.args,
        *function.decorator_list,
        *filter(None, [function.returns]),
        *getattr(function, "type_params", ()),
    ]
    return {
        "name": function.name,
        "parts": [dump(one) for one in parts],
        "docstring": ast.get_docstring(function, clean=False),
    }
