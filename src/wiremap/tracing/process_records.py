"""What a child process did, read back from its journal."""

from dataclasses import dataclass, field

from wiremap.source.units import unit_of_code
from wiremap.tracing import foreign_use, journal
from wiremap.tracing.expectation import Expectation, from_fields
from wiremap.tracing.foreign_use import ForeignUse
from wiremap.tracing.observation import Observation

_INFRASTRUCTURE = ("from multiprocessing.forkserver import ", "from multiprocessing.resource_tracker import ")


@dataclass(slots=True, eq=False)
class ProcessRecord:
    """What one process did.

    Attributes:
        pid: Its process id.
        parent: The process id of its parent when it began.
        arguments: Its command line as the interpreter got it.
        work: What it did outside of imports.
        imports: What happened while each project file was imported, by path.
        starts: Processes that it started, by id.
        graphs: JSON of each graph that was compiled, by digest.
        foreign: What foreign code was seen to import and to look up.
    """

    pid: int
    parent: int
    arguments: tuple[str, ...]
    work: Observation = field(default_factory=Observation)
    imports: dict[str, Observation] = field(default_factory=dict)
    starts: dict[str, Expectation] = field(default_factory=dict)
    graphs: dict[str, str] = field(default_factory=dict)
    foreign: ForeignUse = field(default_factory=ForeignUse)

    @property
    def is_infrastructure(self) -> bool:
        """Whether it only serves `multiprocessing`: what forks off it belongs to who asked for that."""
        return any(one.startswith(_INFRASTRUCTURE) for one in self.arguments)

    def fulfils(self, expected: Expectation) -> bool:
        """Tell whether this is the process that *expected* was noted of."""
        return expected.is_met_by(self.pid, self.parent, self.arguments)


def read_record(text: bytes) -> ProcessRecord | None:
    """Return the record that a journal holds, or None when it is damaged."""
    whole, end, rest = text.rpartition(b"\n")
    if not end or rest:
        return None  # the last line was cut off
    try:
        (tag, pid, parent, *arguments), *entries = journal.read_lines(whole)
        if tag != journal.HEADER:
            return None
        record = ProcessRecord(int(pid), int(parent), tuple(arguments))
        for entry in entries:
            _read_entry(record, *entry)
    except (ValueError, TypeError):
        return None
    return record


def _read_entry(record: ProcessRecord, tag: str, context: str, *values: str) -> None:
    seen = record.work if context == journal.OUTSIDE_OF_IMPORTS else record.imports.setdefault(context, Observation())
    match tag, values:
        case journal.CODE, (path, qualname, flags):
            seen.units.add((path, unit_of_code(qualname, int(flags))))
        case journal.IMPORTED, ():
            pass  # by now it has an observation
        case journal.STARTS, (process, *fields):
            record.starts[process] = from_fields(fields)
        case journal.GRAPH, (digest, text):
            record.graphs[digest] = text
        case foreign_use.IMPORTS, (importer, name):
            record.foreign.note_import(importer, name)
        case foreign_use.LOOKUPS, (asker, distribution):
            record.foreign.note_lookup(asker, distribution)
        case _, (member,) if tag in journal.SETS:
            getattr(seen, tag).add(member)
        case _, (key, value) if tag in journal.MAPPINGS:
            found = None if value == journal.NOTHING else value.removeprefix(journal.SOMETHING)
            getattr(seen, tag).setdefault(key, found)
        case _:
            raise ValueError(tag)
