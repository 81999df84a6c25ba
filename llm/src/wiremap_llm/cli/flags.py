"""Fields of a dataclass as flags, so that the command line has all of them and says of each what its class says."""

import argparse
import inspect
import re
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields
from types import MappingProxyType
from typing import Any, Union, get_args, get_origin, get_type_hints

_SCALARS = (str, float, int)  # in this order: of `int | float` a float takes both


def add_flags(
    parser: argparse.ArgumentParser,
    kind: type,
    title: str,
    *,
    defaults: Mapping[str, Any] = MappingProxyType({}),
    leave_out: Sequence[str] = (),
) -> None:
    """Add one flag per field of *kind*, but for those to *leave_out* and those that can't be written as text.

    A flag that is not given is absent from the result: defaults stay where the class has them. *defaults*
    are those of this command, which `given` adds.
    """
    group = parser.add_argument_group(title)
    hints, helps = get_type_hints(kind), _attribute_docs(kind)
    for field in fields(kind):
        how = _how_to_parse(hints[field.name])
        if how is not None and field.name not in leave_out:
            default = defaults.get(field.name, _default(field))
            told = "" if default in (None, (), []) else f" (default: {default})"
            text = helps.get(field.name, "").rstrip(".").replace("%", "%%")
            group.add_argument(_flag(field.name), default=argparse.SUPPRESS, help=text + told, **how)


def given(
    options: argparse.Namespace,
    kind: type,
    *,
    defaults: Mapping[str, Any] = MappingProxyType({}),
    leave_out: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the fields of *kind* that flags or *defaults* set."""
    names = {field.name for field in fields(kind)}.difference(leave_out)
    return {**defaults, **{name: value for name, value in vars(options).items() if name in names}}


def _how_to_parse(hint: Any) -> dict[str, Any] | None:
    choices = [each for each in _alternatives(hint) if each is not type(None)]
    for each in choices:
        if get_origin(each) in (tuple, list, Sequence, frozenset):
            item = next(scalar for scalar in _SCALARS if scalar in get_args(each))
            return {"action": "append", "type": item, "metavar": item.__name__.upper()}
    if bool in choices:
        return {"action": argparse.BooleanOptionalAction}
    scalar = next((scalar for scalar in _SCALARS if scalar in choices), None)
    return None if scalar is None else {"type": scalar, "metavar": scalar.__name__.upper()}


def _alternatives(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _default(field: "Field[Any]") -> Any:
    return None if field.default is MISSING else field.default


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _attribute_docs(kind: type) -> dict[str, str]:
    """Return what the section "Attributes:" of a class's docstring says of each; nothing under `python -OO`."""
    _, _, section = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:\n")
    found = re.findall(r"^ {4}(\w+): (.+(?:\n {5,}.+)*)", section, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in found}
