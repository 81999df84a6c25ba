"""Lines to units: which definition a line of source belongs to, also while the file does not parse."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from wiremap.source.tree import Function, blocks
from wiremap.source.units import MODULE_UNIT


@dataclass(frozen=True, slots=True)
class Site:
    """A definition and where it is written.

    Attributes:
        name: The qualified name of a function, a class or a module-level name; `MODULE_UNIT` for other statements.
        kind: What it is.
        first: Its first line, 1-based, decorators included.
        last: Its last line.
    """

    name: str
    kind: Literal["function", "class", "name", "module"]
    first: int
    last: int


def sites(text: bytes) -> list[Site]:
    """Return the functions, classes and module-level names that a file defines, those that hold others first.

    What is nested in a function belongs to it.

    Raises:
        SyntaxError: The text does not parse; `site_by_layout` answers then. So do `ValueError` and `RecursionError`.
    """
    return sorted(_sites(ast.parse(text).body, prefix=""), key=lambda one: (one.first, -one.last))


def site_at(text: bytes, line: int) -> Site:
    """Return the innermost definition that holds *line*, 1-based. Raises as `sites` does."""
    around = [one for one in sites(text) if one.first <= line <= one.last]
    return around[-1] if around else Site(MODULE_UNIT, "module", line, line)


def sites_by_layout(text: bytes) -> list[Site]:
    """Return what `sites` does as far as indentation tells, for a text that does not parse; without names.

    Last lines are those before the next definition.
    """
    found: dict[str, Site] = {}
    for number, around in enumerate(_headers_around(_decoded(text).splitlines()), start=1):
        if around:
            site = _innermost(around, number)
            found[site.name] = replace(site, first=min(site.first, found.get(site.name, site).first))
    return sorted(found.values(), key=lambda one: one.first)


def site_by_layout(text: bytes, line: int) -> Site:
    """Return the definition that holds *line* as far as indentation tells, for a text that does not parse."""
    lines = _decoded(text).splitlines()
    around = list(_headers_around(lines))[_line_of_decorated(lines, line) - 1 :][:1]
    return _innermost(around[0], line) if around and around[0] else Site(MODULE_UNIT, "module", line, line)


# By syntax


def _sites(body: list[ast.stmt], prefix: str) -> Iterator[Site]:
    for node in body:
        if isinstance(node, Function):
            yield Site(prefix + node.name, "function", *_lines(node))
        elif isinstance(node, ast.ClassDef):
            yield Site(prefix + node.name, "class", *_lines(node))
            yield from _sites(node.body, f"{prefix}{node.name}.")
        else:
            if not prefix and (name := _name_bound(node)):
                yield Site(name, "name", *_lines(node))
            for block in blocks(node):
                yield from _sites(block, prefix)


def _lines(node: ast.stmt) -> tuple[int, int]:
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
    return first, node.end_lineno or node.lineno


def _name_bound(node: ast.stmt) -> str:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    names = [one.id for one in targets if isinstance(one, ast.Name)]
    is_assignment = isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign))
    return names[0] if is_assignment and len(names) == len(targets) == 1 else ""


# By layout


class _Header(NamedTuple):
    line: int
    indent: int
    name: str
    is_class: bool


_HEADER = re.compile(r"\s*(?P<kind>async\s+def|def|class)\s+(?P<name>\w+)")
_NEVER_BEGINS_A_STATEMENT = frozenset("#)]}")


def _line_of_decorated(lines: list[str], line: int) -> int:
    """Return the line of the header that a decorator at *line* stands before, or *line* where it is no decorator."""
    if not "".join(lines[line - 1 : line]).lstrip().startswith("@"):
        return line
    return next((number for number, row in enumerate(lines[line:], line + 1) if _HEADER.match(row)), line)


def _headers_around(lines: list[str]) -> Iterator[tuple[_Header, ...]]:
    """Yield for each line the headers that it stands below, the outermost first."""
    around: tuple[_Header, ...] = ()
    for number, row in enumerate(lines, start=1):
        statement = row.lstrip()
        if statement and statement[0] not in _NEVER_BEGINS_A_STATEMENT:
            indent = len(row) - len(statement)
            around = tuple(header for header in around if header.indent < indent)
            if header := _HEADER.match(row):
                around += (_Header(number, indent, header["name"], header["kind"] == "class"),)
        yield around


def _innermost(around: tuple[_Header, ...], line: int) -> Site:
    """Return the outermost function of *around*, since what is nested in it belongs to it; else the innermost class."""
    depth = next((depth for depth, header in enumerate(around, start=1) if not header.is_class), len(around))
    name = ".".join(header.name for header in around[:depth])
    return Site(name, "class" if around[depth - 1].is_class else "function", around[depth - 1].line, line)


def _decoded(text: bytes) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(text).readline)
        return text.decode(encoding, "replace")
    except (SyntaxError, LookupError):
        return text.decode("utf-8", "replace")
