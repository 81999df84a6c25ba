"""The elements of a graph as JSON data, and back with every fault named.

The schema of a graph is ``wiremap.graph/1``, that of a difference ``wiremap.graph-diff/1``. Reading refuses what it
does not know, since a key that is dropped silently is a difference that nobody sees. Digests leave source locations
out: moving a class within its file changes no topology. The values of parameters count in digests where they
have no digest of their own, and they are written where there are any: older graphs have none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any, ClassVar, Final, Protocol, TypeVar, get_args

from wiremap.errors import GraphFormatError
from wiremap.graph.elements import LOCATION, VALUES, CellKind

SCHEMA: Final = "wiremap.graph/1"
DIFF_SCHEMA: Final = "wiremap.graph-diff/1"
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "source_line": (int,),
    "tags": (list,),
    "provides": (list,),
    "requires": (list,),
    "parameters": (str, type(None)),
    "parameter_values": (list,),
    "before": (str, int, list, type(None)),  # what a change says of a field
    "after": (str, int, list, type(None)),
}
Document = dict[str, Any]


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


E = TypeVar("E", bound=_Dataclass)


def to_records(kind: type[E], elements: Iterable[E], *, locations: bool = True) -> list[Document]:
    """Return one JSON object per element, of the dataclass *kind*, with its fields under their own names."""
    names = [field.name for field in fields(kind) if locations or field.name not in LOCATION]
    values = attrgetter(*names)
    records = [dict(zip(names, values(element), strict=True)) for element in elements]
    for record in records if VALUES in names else ():
        if not record[VALUES] or not (locations or record["parameters"] is None):
            del record[VALUES]
    return records


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
    if not isinstance(record, dict) or record.keys() | ({VALUES} & names) != names:
        raise GraphFormatError(f"a {kind.__name__.lower()} has the fields {sorted(names)}, not {record!r:.120}")
    for name, value in record.items():
        if not fits(name, value):
            raise GraphFormatError(f"{value!r:.60} can't be the {name} of a {kind.__name__.lower()}")
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in record.items()
    }
    return kind(**values)


def fits(name: str, value: object) -> bool:
    """Tell whether *value* can be that field of a component or an edge; tuples count as the lists they become."""
    if name == "kind":
        return value in get_args(CellKind)
    if isinstance(value, tuple):
        value = list(value)
    if isinstance(value, list) and not all(isinstance(item, str) for item in value):
        return False
    return isinstance(value, _TYPES.get(name, (str,))) and not isinstance(value, bool)


def load(text: str, known_schema: str = SCHEMA) -> Document:
    """Parse *text* into a document of the known schema, and return it without that.

    Raises:
        GraphFormatError: It is not JSON, not an object, or of another schema.
    """
    import json  # noqa: PLC0415 -- keeps `import wiremap` cheap

    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GraphFormatError(f"it is not JSON ({error})") from error
    if not isinstance(document, dict):
        raise GraphFormatError("the outermost value is not an object")
    schema = document.pop("schema", None)
    if schema != known_schema:
        raise GraphFormatError(f"its schema is {schema!r}, and this version reads {known_schema!r}")
    return document


def dump(document: Document, schema: str = SCHEMA) -> str:
    """Return the text of *document*: the same document gives the same bytes, one line per value."""
    import json  # noqa: PLC0415 -- keeps `import wiremap` cheap

    return json.dumps({"schema": schema, **document}, indent=2, ensure_ascii=False) + "\n"


def digest(document: object) -> str:
    """Return 32 hexadecimal digits that change with *document*."""
    import json  # noqa: PLC0415 -- keeps `import wiremap` cheap
    from hashlib import blake2b  # noqa: PLC0415 -- same

    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode(), digest_size=16).hexdigest()
