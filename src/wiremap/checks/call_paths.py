"""Rule `reaches-inside`, by what ran: no component calls another with which neither a cell nor containment joins it.

Recorded are pairs of functions, the nearest function of the project as the caller. So a call by way of a function that
is no method of a component is not seen, and a record may be older than the code: it counts only if the caller still
mentions what it called, and is not handed a cell of that name.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from wiremap.checks.findings import REACHES_INSIDE, Finding
from wiremap.checks.source_classes import ClassName, Function, SourceClass, SourceCode
from wiremap.checks.wiring import Wiring

# Whoever makes an object, prints it or compares it calls these, and reaches nothing.
_ANYBODYS = frozenset(
    [
        "__init__",
        "__new__",
        "__post_init__",
        "__init_subclass__",
        "__set_name__",
        "__class_getitem__",
        "__del__",
        "__post_wire__",
        "__pre_close__",
        "__repr__",
        "__str__",
        "__eq__",
        "__hash__",
        "__bool__",
        "__reduce__",
        "__getstate__",
        "__setstate__",
    ]
)
# Called without being named: an object that is called, and a module of torch.
_UNNAMED = ("__call__", "forward")


class _Method(NamedTuple):
    """One method of a component's class."""

    cls: SourceClass
    node: Function
    owners: Sequence[ClassName]


def calls_without_cell(callers: Mapping[str, AbstractSet[str]], code: SourceCode, wiring: Wiring) -> Iterator[Finding]:
    """Yield each recorded call between components that nothing joins; *callers* are `path::unit` by whom they call."""
    methods = dict(_methods(code, wiring))
    for called, calling in sorted(callers.items()):
        callee = methods.get(called)
        if callee is None or callee.node.name in _ANYBODYS or _is_of_class(callee.node):
            continue
        for unit in sorted(calling):
            caller = methods.get(unit)
            if caller and _is_reaching(caller, callee, wiring):
                yield _finding(unit, caller, callee, wiring)


def _methods(code: SourceCode, wiring: Wiring) -> Iterator[tuple[str, _Method]]:
    for name, cls in code.classes.items():
        if owners := wiring.owners(name):
            for node in cls.methods():
                yield f"{cls.unit}.{node.name}", _Method(cls, node, owners)


def _is_of_class(node: Function) -> bool:
    return bool({ast.unparse(mark) for mark in node.decorator_list} & {"staticmethod", "classmethod"})


def _is_reaching(caller: _Method, callee: _Method, wiring: Wiring) -> bool:
    # A method of a base may run in any component that derives from it: none of the pairs may be in order.
    pairs = [(one, other) for one in caller.owners for other in callee.owners]
    if any(wiring.are_kin(*pair) or wiring.are_joined(*pair) for pair in pairs):
        return False
    name = callee.node.name
    handed = {cell for one in caller.owners for cell in (*wiring.cells[one], *wiring.interfaces[one])}
    return name not in handed and (name in _UNNAMED or name in _words(caller.node))


def _words(function: Function) -> set[str]:
    words = set[str]()
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute):
            words.add(node.attr)
        elif isinstance(node, ast.Name):
            words.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words.add(node.value)
    return words


def _finding(unit: str, caller: _Method, callee: _Method, wiring: Wiring) -> Finding:
    one, other = caller.owners[0].short, callee.owners[0].short
    name = callee.node.name
    ids = [id_ for owner in caller.owners for id_ in (*wiring.ids[owner], owner.short)]
    subjects = dict.fromkeys([unit, *ids, *(f"{id_} -> {other}" for id_ in ids)])
    return Finding(
        file=caller.cls.path,
        line=caller.node.lineno,
        rule=REACHES_INSIDE,
        message=f"{caller.cls.name.short}.{caller.node.name} was seen to call {callee.cls.name.short}.{name} "
        f"({callee.cls.path}:{callee.node.lineno}), and no cell joins {one} and {other}.",
        fix=f"Register it: orch.register(<{other}>, {name!r}, <{one}>). If the record is old, run its tests again.",
        subjects=tuple(subjects),
    )
