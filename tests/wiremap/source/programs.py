"""Hypothesis strategies for Python source, and changes of it that keep or change its meaning."""

import io
import keyword
import tokenize
from textwrap import indent

from hypothesis import strategies as st

names = st.sampled_from(("alpha", "beta", "gamma", "delta", "total"))
_numbers = st.integers(0, 999).map(str)
_strings = st.text("ab #\\'\"é", max_size=6).map(repr)
_atoms = names | _numbers | _strings
expressions = st.recursive(
    _atoms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda it: f"({it[0]} {it[1]} {it[2]})"),
        st.tuples(names, inner, inner).map(lambda it: f"{it[0]}({it[1]}, key={it[2]})"),
        st.tuples(names, names).map(".".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        inner.map(lambda body: f"(lambda alpha: {body})"),
        inner.map(lambda body: f"[{body} for beta in gamma]"),
    ),
    max_leaves=5,
)


def _block(header: str, body: list[str]) -> str:
    return f"{header}:\n" + indent("\n".join(body), "    ")


_simple = st.one_of(
    st.tuples(names, expressions).map(" = ".join),
    expressions.map(lambda value: f"return {value}"),
    st.tuples(names, expressions).map(lambda it: f"self.{it[0]} = {it[1]}"),
    names.map(lambda name: f"import {name}"),
)
_statements = st.recursive(
    _simple,
    lambda inner: st.one_of(
        st.tuples(expressions, st.lists(inner, min_size=1, max_size=2)).map(lambda it: _block(f"if {it[0]}", it[1])),
        st.tuples(names, st.lists(inner, min_size=1, max_size=2)).map(lambda it: _block(f"def {it[0]}()", it[1])),
        st.tuples(names, st.lists(inner, min_size=1, max_size=2)).map(
            lambda it: _block(f"class {it[0].title()}", [_block("def method(self)", it[1])])
        ),
    ),
    max_leaves=4,
)
_bodies = st.lists(_statements, min_size=1, max_size=3)


@st.composite
def functions(draw: st.DrawFn, name: str) -> str:
    decorators = draw(st.lists(names.map(lambda one: f"@{one}"), max_size=1))
    header = f"def {name}(alpha, beta={draw(expressions)})"
    return "\n".join([*decorators, _block(header, draw(_bodies))])


@st.composite
def classes(draw: st.DrawFn, name: str) -> str:
    members = [draw(functions(f"method_{number}")) for number in range(draw(st.integers(1, 2)))]
    constant = f"gamma = {draw(expressions)}"
    return _block(f"class {name}(alpha)", [constant, *members])


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Draw a module with functions `function_N`, classes `Class_N` and statements between them."""
    parts: list[str] = []
    for number in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(("function", "class", "guarded", "value")))
        if kind == "function":
            parts.append(draw(functions(f"function_{number}")))
        elif kind == "class":
            parts.append(draw(classes(f"Class_{number}")))
        elif kind == "guarded":
            parts.append(_block(f"if {draw(expressions)}", [draw(functions(f"function_{number}"))]))
        else:
            parts.append(f"value_{number} = {draw(expressions)}")
    return "\n".join(parts) + "\n"


@st.composite
def with_other_layout(draw: st.DrawFn, program: str) -> str:
    """Draw *program* with comments, blank lines, other blanks between tokens and another indentation."""
    width = draw(st.sampled_from((" ", "  ", "\t", "      ")))
    lines: list[str] = []
    line, depth = "", 0
    for token in tokenize.generate_tokens(io.StringIO(program).readline):
        if token.type == tokenize.INDENT:
            depth += 1
        elif token.type == tokenize.DEDENT:
            depth -= 1
        elif token.type == tokenize.NEWLINE:
            comment = draw(st.sampled_from(("", "  # why", "  # def function_0(): pass")))
            lines += [*draw(st.lists(st.sampled_from(("", "# note")), max_size=1)), width * depth + line + comment]
            line = ""
        elif token.string:
            line += ("  " if draw(st.booleans()) else " ") * bool(line) + token.string
    return "\n".join(lines) + "\n"


@st.composite
def with_one_token_changed(draw: st.DrawFn, program: str) -> tuple[str, int]:
    """Draw *program* with one name, number, string or sign replaced, and the line of that token."""
    tokens = [
        token for token in tokenize.generate_tokens(io.StringIO(program).readline) if _replacement(token) is not None
    ]
    token = draw(st.sampled_from(tokens))
    row, column = token.start
    lines = program.splitlines(keepends=True)
    text = lines[row - 1]
    lines[row - 1] = f"{text[:column]}{_replacement(token)}{text[token.end[1] :]}"
    return "".join(lines), row


def _replacement(token: tokenize.TokenInfo) -> str | None:
    if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
        return token.string + "_changed"
    if token.type == tokenize.NUMBER:
        return str(int(token.string) + 1)
    if token.type == tokenize.STRING:
        return "'changed'"
    return {"+": "-", "-": "*", "*": "+"}.get(token.string)
