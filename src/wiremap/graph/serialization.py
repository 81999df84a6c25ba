"""The elements of a graph as JSON data, and back with every fault named.

The schema is ``wiremap.graph/1``. Reading refuses what it does not know, since a key that is dropped
silently is a difference that nobody sees. Digests leave source locations out: moving a class within
its file changes no topology.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from typing import Any, Final, TypeVar, get_args

from wiremap.errors import GraphFormatError
from wiremap.graph.elements import Binding, CellKind, Component, Containment

SCHEMA: Final = "wiremap.graph/1"
_LOCATION: Final = ("source_path", "source_line")
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "source_line": (int,),
    "tags": (list,),
    "provides": (list,),
    "requires": (list,),
    "parameters": (str, type(None)),
}
E = TypeVar("E", Component, Binding, Containment)

Document = dict[str, Any]


def to_records(elements: Iterable[Component | Binding | Containment]) -> list[Document]:
    """Return one JSON object per element, with its fields under their own names."""
    return [asdict(element) for element in elements]


def from_records(kind: type[E], records: object) -> tuple[E, ...]:
    """Return the elements that *records* describe.

    Raises:
        GraphFormatError: A record has a missing, unknown or mistyped field.
    """
    if not isinstance(records, list):
        raise GraphFormatError(f"a list of {kind.__name__.lower()} records was expected, not {records!r:.60}")
    return tuple(_from_record(kind, record) for record in records)


def _from_record(kind: type[E], record: object) -> E:
    names = {field.name for field in fields(kind)}
    if not isinstance(record, dict) or record.keys() != names:
        raise GraphFormatError(f"a {kind.__name__.lower()} has the fields {sorted(names)}, not {record!r:.120}")
    for name, value in record.items():
        if not _fits(name, value):
            raise GraphFormatError(f"{value!r:.60} can't be the {name} of a {kind.__name__.lower()}")
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in record.items()
    }
    return kind(**values)


def _fits(name: str, value: object) -> bool:
    if name == "kind":
        return value in get_args(CellKind)
    if isinstance(value, list) and not all(isinstance(item, str) for item in value):
        return False
    return isinstance(value, _TYPES.get(name, (str,))) and not isinstance(value, bool)


def load(text: str) -> Document:
    """Parse *text* into a graph document of the known schema.

    Raises:
        GraphFormatError: It is not JSON, not an object, or of another schema.
    """
    import json  # noqa: PLC0415 -- keeps `import wiremap` cheap

    try:
        document = json.loads(text)
    except ValueError as error:
        raise GraphFormatError(f"it is not JSON ({error})") from error
    if not isinstance(document, dict):
        raise GraphFormatError("the outermost value is not an object")
    schema = document.pop("schema", None)
    if schema != SCHEMA:
        raise GraphFormatError(f"its schema is {schema!r}, and this version reads {SCHEMA!r}")
    return document


def dump(document: Document) -> str:
    """Return the text of *document*: the same document gives the same bytes, one line per value."""
    import json  # noqa: PLC0415 -- keeps `import wiremap` cheap

    return json.dumps({"schema": SCHEMA, **document}, indent=2, ensure_ascii=False) + "\n"


def digest(document: Document) -> str:
    """Return 32 hexadecimal digits that change when *document* changes in more than source locations."""
    import json  # noqa: PLC0415 -- keeps `import wiremap` cheap
    from hashlib import blake2b  # noqa: PLC0415 -- same

    text = json.dumps(_without_locations(document), sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _without_locations(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_locations(inner) for key, inner in value.items() if key not in _LOCATION}
    if isinstance(value, list):
        return [_without_locations(inner) for inner in value]
    return value
