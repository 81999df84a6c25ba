"""What a code base defines: modules, classes and functions, found in its syntax trees. Nothing is imported."""

import ast
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Role = Literal["function", "method", "classmethod", "staticmethod", "property"]

# What runs while an object is made, besides what these methods call on the object.
_CONSTRUCTORS = ("__new__", "__init__", "__post_init__", "__attrs_post_init__", "model_post_init", "__post_wire__")


_IMPLICIT_CLASS_METHODS = ("__new__", "__init_subclass__", "__class_getitem__")
# They share the name of the property that they belong to.
_SETTERS = frozenset({"setter", "deleter"})

# They bring nothing along that an object is asked for.
_BARE_BASES = frozenset(
    f"{module}.{name}" for module in ("typing", "typing_extensions", "abc") for name in ("Generic", "Protocol", "ABC")
)


@dataclass(eq=False, slots=True)
class Module:
    """One file, or a folder that is a package without an ``__init__.py``.

    Attributes:
        name: The name that it is imported under.
        root: The folder that this name is looked up in.
        path: The file below its root.
        tree: Its syntax tree; empty for a mere folder.
        is_package: Whether relative imports in it start from itself.
    """

    name: str
    root: str
    path: str
    tree: ast.Module
    is_package: bool = False


@dataclass(eq=False, slots=True)
class Function:
    """A function at module level, or a method. ``__new__`` counts as a class method, which it is in all but name.

    Attributes:
        makes_of: The parameter that is called for what is returned: given a class, it makes an object of that.
    """

    name: str
    module: Module
    owner: "Class | None"
    node: FunctionNode
    role: Role
    makes_of: str | None

    @property
    def parameters(self) -> list[ast.arg]:
        """The positional parameters, without the one that the receiver is bound to."""
        arguments = self.node.args
        positional = arguments.posonlyargs + arguments.args
        return positional if self.role in ("function", "staticmethod") else positional[1:]


@dataclass(eq=False)
class Class:
    """One class statement.

    Attributes:
        name: The qualified name in the module.
        methods: Its methods, those of conditional blocks included.
        bases: Its bases among the classes of the code base.
        outside: Full names of its other bases.
        is_record: Whether its ``__init__`` is made of its annotated attributes, as a dataclass's is.
        is_frozen: Whether it is a record whose attributes are never stored again.
    """

    name: str
    module: Module
    node: ast.ClassDef
    methods: dict[str, Function] = field(default_factory=dict)
    bases: tuple["Class", ...] = ()
    outside: tuple[str, ...] = ()
    is_record: bool = False
    is_frozen: bool = False

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the parameters that its own annotated attributes make, in order."""
        if not self.is_record:
            return ()
        annotated = [node for node in self.node.body if isinstance(node, ast.AnnAssign)]
        return tuple(node.target.id for node in annotated if isinstance(node.target, ast.Name) and _is_field(node))

    @cached_property
    def lineage(self) -> tuple["Class", ...]:
        """The class and its bases in the code base, nearest first. Ask when all bases are known."""
        found: dict[Class, None] = {}
        todo = [self]
        while todo:
            one = todo.pop(0)
            if one not in found:
                found[one] = None
                todo.extend(one.bases)
        return tuple(found)

    @cached_property
    def outside_bases(self) -> tuple[str, ...]:
        """The bases out of the code base, inherited ones included."""
        return tuple(name for one in self.lineage for name in one.outside)

    def inherit(self, bases: Iterable["Class"], outside: Iterable[str]) -> None:
        """Set the bases; what was derived from those before is forgotten."""
        self.bases, self.outside = tuple(bases), tuple(outside)
        self.forget_lineage()

    def forget_lineage(self) -> None:
        """Derive anew what depends on bases, which may have got others themselves."""
        for name in ("lineage", "outside_bases", "is_open"):
            self.__dict__.pop(name, None)

    def lineage_after(self, cls: "Class") -> tuple["Class", ...]:
        """Return where ``super()`` looks in a method of *cls*, on an object of this class."""
        lineage = self.lineage
        return lineage[lineage.index(cls) + 1 :] if cls in lineage else cls.lineage[1:]

    @cached_property
    def is_open(self) -> bool:
        """Whether objects have attributes from a base that the code base does not define.

        What ``__getattr__`` answers is not among them: it speaks for another object more often than not.
        """
        return bool(set(self.outside_bases) - _BARE_BASES)

    def find_method(self, name: str) -> Function | None:
        """Return the method that an object of this class has under *name*."""
        return next((one.methods[name] for one in self.lineage if name in one.methods), None)

    def inherits(self, other: "Class") -> bool:
        """Tell whether *other* is this class or one of its bases."""
        return other in self.lineage

    @cached_property
    def constructors(self) -> frozenset[str]:
        """Names of the methods that run while an object is made."""
        found: set[str] = set()
        todo = [name for name in _CONSTRUCTORS if name in self.methods]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo.extend(_called_on_self(self.methods[name].node) & self.methods.keys())
        return frozenset(found)

    @cached_property
    def is_abstract(self) -> bool:
        """Whether the class is there to be inherited from and not to be made."""
        marks = {"abc.ABC", "typing.Protocol", "typing_extensions.Protocol"}
        return (
            not marks.isdisjoint(self.outside)
            or self.name.endswith("Mixin")
            or any(_is_abstract(method.node) for method in self.methods.values())
        )


def find_definitions(module: Module) -> tuple[dict[ast.stmt, Class], dict[ast.stmt, Function]]:
    """Return the classes of *module* and its functions but for nested ones, each by its statement."""
    classes: dict[ast.stmt, Class] = {}
    functions: dict[ast.stmt, Function] = {}
    todo: list[tuple[list[ast.stmt], str, Class | None]] = [(module.tree.body, "", None)]
    while todo:
        body, prefix, owner = todo.pop()
        for node in statements(body):
            if isinstance(node, ast.ClassDef):
                classes[node] = Class(prefix + node.name, module, node)
                todo.append((node.body, f"{prefix}{node.name}.", classes[node]))
            elif isinstance(node, FunctionNode) and (role := _role(node, owner)) is not None:
                functions[node] = Function(node.name, module, owner, node, role, _class_made_of(node))
                if owner is not None and _SETTERS.isdisjoint(decorator_names(node)):
                    owner.methods[node.name] = functions[node]
    return classes, functions


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield each statement of a scope, also below ``if``, ``try``, ``with`` and loops, in order."""
    for node in body:
        yield node
        if isinstance(node, ast.ClassDef | FunctionNode):
            continue
        for name in ("body", "orelse", "finalbody"):
            yield from statements(getattr(node, name, None) or [])
        for block in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from statements(block.body)


def all_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield each statement of a scope and of the scopes in it."""
    for node in statements(body):
        yield node
        if isinstance(node, ast.ClassDef | FunctionNode):
            yield from all_statements(node.body)


def decorator_names(node: ast.ClassDef | FunctionNode) -> list[str]:
    """Return the last name of each decorator: ``setter`` for ``@size.setter``."""
    targets = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
    return [one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in targets]


def _role(node: FunctionNode, owner: Class | None) -> Role | None:
    """Return None for an overload, which only declares."""
    names = set(decorator_names(node))
    if "overload" in names:
        return None
    if owner is None:
        return "function"
    if "staticmethod" in names:
        return "staticmethod"
    if "classmethod" in names or node.name in _IMPLICIT_CLASS_METHODS:
        return "classmethod"
    is_property = any(name.endswith("property") for name in names)
    return "property" if is_property else "method"


def _class_made_of(node: FunctionNode) -> str | None:
    """Return the parameter that is called, and what that gives is returned: at once, or by a name."""
    own = list(statements(node.body))
    returned = {one.value.id for one in own if isinstance(one, ast.Return) and isinstance(one.value, ast.Name)}
    called = {name for one in own if (name := _called_for_result(one, returned)) is not None}
    parameters = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    return next((one.arg for one in parameters if one.arg in called), None)


def _called_for_result(node: ast.stmt, returned: Container[str]) -> str | None:
    match node:
        case ast.Return(value=ast.Call(func=ast.Name(id=called))):
            return called
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=called))) if name in returned:
            return called
        case _:
            return None


def _is_field(node: ast.AnnAssign) -> bool:
    if "ClassVar" in ast.unparse(node.annotation):
        return False
    keywords = node.value.keywords if isinstance(node.value, ast.Call) else []
    return not any(one.arg == "init" and getattr(one.value, "value", True) is False for one in keywords)


def _called_on_self(node: FunctionNode) -> set[str]:
    arguments = node.args.posonlyargs + node.args.args
    receiver = arguments[0].arg if arguments else ""
    return {
        call.func.attr
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == receiver
    }


def _is_abstract(node: FunctionNode) -> bool:
    if "abstractmethod" in decorator_names(node):
        return True
    last = node.body[-1]
    return isinstance(last, ast.Raise) and last.exc is not None and "NotImplementedError" in ast.unparse(last.exc)
