"""Rule `unregistered-component`: a class that is written as a component is registered by a recipe.

A class is written as a component if it declares a cell with `Requires`, has one of the hooks that only an orchestrator
calls, or derives from a class that does. Those that provide only are not told from others, and so are never found.
Abstract classes and those that others derive from are left out, and so is what `[tool.wiremap.components]` declares:
that is where a project says whose source is where nothing is registered.
"""

import ast
from collections.abc import Callable, Iterator

from wiremap.checks.findings import UNREGISTERED, Finding
from wiremap.checks.source_classes import ClassName, SourceClass, SourceCode
from wiremap.checks.wiring import Wiring

_REQUIRES = ("wiremap.Requires", "wiremap.registry.Requires", "wiremap.registry.requirements.Requires")
_HOOKS = ("__post_wire__", "__pre_close__")
_ABSTRACT = ("ABC", "Protocol")


def unregistered_components(code: SourceCode, wiring: Wiring, is_declared: Callable[[str], bool]) -> Iterator[Finding]:
    """Yield the component classes of *code* that nothing registers; *is_declared* tells of `path::unit`."""
    registered = frozenset[ClassName]().union(*wiring.kin.values())
    signs = {name: sign for name in code.classes if (sign := _sign(name, code))}
    derived_from = {above for name in signs for above in code.ancestors(name) - {name}}
    for name, sign in signs.items():
        cls = code.classes[name]
        if name in registered or name in derived_from or _is_abstract(cls, code) or is_declared(cls.unit):
            continue
        yield Finding(
            file=cls.path,
            line=cls.node.lineno,
            rule=UNREGISTERED,
            message=f"{name.short} {sign}, and no recipe registers it.",
            fix="Register it in a recipe that `recipes` in [tool.wiremap] names, or delete it.",
            subjects=(cls.unit, name.short),
        )


def _sign(name: ClassName, code: SourceCode) -> str:
    """Return what tells that the class is a component, or nothing."""
    if own := _own_sign(code.classes[name], code):
        return own
    above = sorted(one for one in code.ancestors(name) - {name} if one in code.classes)
    return next(
        (f"derives from {one.short}, which {sign}" for one in above if (sign := _own_sign(code.classes[one], code))), ""
    )


def _own_sign(cls: SourceClass, code: SourceCode) -> str:
    for node in cls.node.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and _is_requirement(node, cls, code):
            return f"requires the cell {node.target.id!r}"
        if isinstance(node, ast.Assign) and _names_requires(_called(node.value), cls, code):
            return f"requires the cell {ast.unparse(node.targets[0])!r}"
    hook = next((method.name for method in cls.methods() if method.name in _HOOKS), None)
    return f"has the hook {hook}" if hook else ""


def _is_requirement(node: ast.AnnAssign, cls: SourceClass, code: SourceCode) -> bool:
    return _names_requires(node.annotation, cls, code) or _names_requires(_called(node.value), cls, code)


def _called(node: ast.expr | None) -> ast.expr | None:
    return node.func if isinstance(node, ast.Call) else None


def _names_requires(node: ast.expr | None, cls: SourceClass, code: SourceCode) -> bool:
    found = code.meaning(node, cls.name.module) if node is not None else None
    return found is not None and ".".join(found) in _REQUIRES


def _is_abstract(cls: SourceClass, code: SourceCode) -> bool:
    is_marked = any(base.short in _ABSTRACT for base in code.bases(cls)) or any(
        keyword.arg == "metaclass" and ast.unparse(keyword.value).endswith("ABCMeta") for keyword in cls.node.keywords
    )
    return is_marked or any(
        ast.unparse(mark).rpartition(".")[2] == "abstractmethod"
        for method in cls.methods()
        for mark in method.decorator_list
    )
