"""With what parameters a component was built: a digest of its plain-data attributes, and a text for each.

Rule: every attribute that the instance stores is digested, under its name, and the digest is None as soon
as one can't be. Digestible are what ``wiremap.registry.canonical`` has a canonical form for. Another component,
of this graph or of the local one inside, counts only as being there, since edges say which; a cell that was
handed to this one is left out. A function or class that is a component is digested as itself, and a
``functools.partial`` as what it is made of. So what can't be told apart for certain makes the digest None, and
whoever relies on it must then assume a difference.

The texts are for people: short, without what may not be shown, and the same in every process.
"""

import re
from collections.abc import Iterator
from enum import Enum
from functools import partial
from typing import Any, Final, NamedTuple

from wiremap.registry.canonical import ABSOLUTE, COMPONENT, CONTAINERS, NAMED, SCALARS, Encoder, IsComponent
from wiremap.registry.containment import own_attributes, parts_of_partial

_MAX_SHOWN: Final = 60  # characters
_MAX_SHOWN_ITEMS: Final = 16
_SECRET: Final = re.compile(
    r"(?:^|_)(?:password|passwd|passphrase|secret|credentials?|(?:api|private|secret)_?key|(?:access|auth|hf)_?token)(?:_|$)",
    re.IGNORECASE,
)


class Parameters(NamedTuple):
    """The parameters of a component.

    Attributes:
        digest: 32 hexadecimal digits over all of them, or None; the module has the rule.
        values: ``name=value`` for each, sorted; ``#`` and eight digits of a digest stand for what is not shown, ``~``
            and eight digits where another Python or machine would have others: compiled code, absolute paths.
    """

    digest: str | None
    values: tuple[str, ...]


class _Form(NamedTuple):
    """A canonical form, and whether it is the same on every machine."""

    text: str
    is_portable: bool


def parameters_of(component: object, is_component: IsComponent) -> Parameters:
    """Return what *component* was built with; *is_component* tells components from mere values."""
    if issubclass(type(component), NAMED):
        return Parameters(_digest_of_form(_encoded(component, is_component, 0)), ())
    if issubclass(type(component), partial):
        parts = parts_of_partial(component)
        whole = [*parts.values(), own_attributes(component)]
        values = _values(parts, {name: _encoded(part, is_component, 1) for name, part in parts.items()})
        return Parameters(_digest_of_form(_encoded(whole, is_component, 0)), tuple(sorted(values)))
    attributes = own_attributes(component)
    encoded = {name: _encoded(value, is_component, 1) for name, value in attributes.items()}
    shown = _without_inner_workings(attributes) if hasattr(type(component), "named_children") else attributes
    joined = _joined(encoded)
    return Parameters(None if joined is None else _digest_of(joined), tuple(sorted(_values(shown, encoded))))


def _encoded(value: object, is_component: IsComponent, depth: int) -> _Form | None:
    encoder = Encoder(is_component)
    try:
        text = encoder.encode(value, depth)
    except Exception:  # noqa: BLE001 -- an enumeration, say, may do anything when a member is asked for its name
        return None
    return _Form(text, encoder.is_portable)


def _joined(encoded: dict[str, _Form | None]) -> str | None:
    """Return the canonical form of a dictionary of the attributes, or None."""
    parts = []
    for name, form in encoded.items():
        if form is None or type(name) not in SCALARS:
            return None
        parts.append(f"{name!r}={form.text}")
    return f"builtins.dict({', '.join(parts)})"


def _digest_of_form(form: _Form | None) -> str | None:
    return None if form is None else _digest_of(form.text)


def _digest_of(text: str, size: int = 16) -> str:
    from hashlib import blake2b  # noqa: PLC0415 -- keeps `import wiremap` cheap

    return blake2b(text.encode(errors="surrogatepass"), digest_size=size).hexdigest()


# For people


def _without_inner_workings(attributes: dict[str, object]) -> dict[str, object]:
    """Leave out what every array module keeps for itself: hooks, children, weights."""
    hidden = (*CONTAINERS, bool, type(None))
    return {name: value for name, value in attributes.items() if not (name.startswith("_") and type(value) in hidden)}


def _values(attributes: dict[str, Any], encoded: dict[str, _Form | None]) -> Iterator[str]:
    for name, value in attributes.items():
        form = encoded[name]
        if isinstance(name, str) and (form is None or form.text != COMPONENT):
            readable_name = name.encode(errors="backslashreplace").decode()
            yield f"{readable_name}={_shown(name, value, form)}"


def _shown(name: str, value: object, form: _Form | None) -> str:
    if form is None:
        return f"<{type(value).__name__}>"
    digest = f"{'#' if form.is_portable else '~'}{_digest_of(form.text, 4)}"
    if _SECRET.search(name):
        return f"*** {digest}"
    text = _text(value)
    if text is None or ABSOLUTE.search(text):
        return f"<{type(value).__name__}> {digest}"
    if len(text) > _MAX_SHOWN:
        return f"{text[:_MAX_SHOWN]}… {digest}"
    return text


def _text(value: Any) -> str | None:
    """Return how *value* is written in source, or None if that is long or says too little."""
    if type(value) in SCALARS:
        return _text_of_scalar(value)
    if issubclass(type(value), Enum):
        return f"{type(value).__qualname__}.{value._name_}"
    if issubclass(type(value), NAMED):
        return None if "<" in value.__qualname__ else value.__qualname__
    return _text_of_items(value) if type(value) in CONTAINERS and len(value) <= _MAX_SHOWN_ITEMS else None


def _text_of_scalar(value: Any) -> str | None:
    if type(value) is int and value.bit_length() > 4 * _MAX_SHOWN:
        return None
    return repr(value[: 2 * _MAX_SHOWN] if isinstance(value, str | bytes) else value)


def _text_of_items(items: Any) -> str | None:
    if isinstance(items, dict):
        pairs = [(_text(key), _text(item)) for key, item in items.items()]
        texts = [None if None in pair else f"{pair[0]}: {pair[1]}" for pair in pairs]
    else:
        texts = [_text(item) for item in items]
    known = [text for text in texts if text is not None]
    if len(known) < len(texts):
        return None
    if isinstance(items, set | frozenset):
        return f"{{{', '.join(sorted(known))}}}" if known else "set()"
    opening, closing = "[]" if isinstance(items, list) else "()" if isinstance(items, tuple) else "{}"
    comma = "," if opening == "(" and len(known) == 1 else ""
    return f"{opening}{', '.join(known)}{comma}{closing}"
