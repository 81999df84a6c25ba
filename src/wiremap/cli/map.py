"""`wiremap map`: the store of traces, looked at, sent, taken in and kept small."""

import argparse
import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

from wiremap.cli.output import Subparsers, say, write
from wiremap.project.map_folder import find_map_folder
from wiremap.store.map import FOLDER
from wiremap.store.trace_rows import KEPT_PER_ENVIRONMENT
from wiremap.use_cases.sharing import Exchange, MapStats, export_map, map_stats, merge_files, prune, pull, push
from wiremap.wording import counted

_PLACE = "a folder, or a URL such as s3://bucket/maps (needs `pip install 'wiremap[share]'`)"


def configure(subparsers: Subparsers) -> None:
    """Add the command with its parts."""
    parser = subparsers.add_parser(
        "map", help="look at the store of traces, share it, keep it small", description="The store of traces."
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    stats = commands.add_parser("stats", help="say how large the map is, and of what")
    stats.add_argument("--json", action="store_true", help="print one JSON document (schema wiremap.map-stats/1)")
    stats.set_defaults(run=_stats)

    export = commands.add_parser("export", help="write what of the map may travel to a file")
    export.add_argument("file", metavar="FILE", type=Path)
    export.set_defaults(run=_export)

    merging = commands.add_parser("merge", help="add exported maps, of CI shards for example, to this one")
    merging.add_argument("files", metavar="FILE", type=Path, nargs="+")
    merging.set_defaults(run=_merge)

    for name, function, text in (
        ("push", _push, "add this map to those that are shared at a place"),
        ("pull", _pull, "add everything that is shared at a place to this map"),
    ):
        sharing = commands.add_parser(name, help=text, description=f"{text.capitalize()}.")
        sharing.add_argument("place", metavar="PLACE", help=_PLACE)
        sharing.set_defaults(run=function)

    pruning = commands.add_parser("prune", help="forget old traces, and delete maps that were set aside")
    pruning.add_argument(
        "--keep",
        metavar="N",
        type=_count,
        default=KEPT_PER_ENVIRONMENT,
        help=f"traces to keep of each test and environment (default: {KEPT_PER_ENVIRONMENT}, as recording does)",
    )
    pruning.add_argument("--max-days", metavar="DAYS", type=_days, help="forget traces older than this")
    pruning.set_defaults(run=_prune)


def _count(text: str) -> int:
    number = int(text)
    if not 1 <= number <= KEPT_PER_ENVIRONMENT:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and {KEPT_PER_ENVIRONMENT}")
    return number


def _days(text: str) -> float:
    number = float(text)
    if not 0 <= number < 1e6:  # noqa: PLR2004 - longer than anybody recorded, and no infinity
        raise argparse.ArgumentTypeError(f"{text} is no number of days")
    return number


def _stats(options: argparse.Namespace) -> int:
    stats = map_stats(_folder())
    if options.json:
        write(json.dumps({"schema": "wiremap.map-stats/1", **dataclasses.asdict(stats)}, indent=2, ensure_ascii=False))
    else:
        write("\n".join(_lines(stats)))
        _tell(stats.notes)
    return 0


def _lines(stats: MapStats) -> list[str]:
    by_outcome = ", ".join(f"{count} {outcome}" for outcome, count in stats.traces.items())
    lines = [
        f"{'tests':<14}{stats.tests}",
        f"{'traces':<14}{sum(stats.traces.values())}{f' ({by_outcome})' if by_outcome else ''}",
        f"{'facts':<14}{stats.facts} in {stats.sets} sets",
        f"{'environments':<14}{stats.environments}",
        f"{'graphs':<14}{stats.graphs}",
        f"{'size':<14}{_size(stats.num_bytes)}",
    ]
    return lines + [f"{'set aside':<14}{name}" for name in stats.kept]


def _export(options: argparse.Namespace) -> int:
    done = export_map(_folder(), options.file)
    return _said(f"Wrote the records of {_tests(done)} to {options.file}.", done)


def _merge(options: argparse.Namespace) -> int:
    done = merge_files(_folder(), options.files)
    return _said(f"Merged {counted(done.parts, 'map')}: records of {_tests(done)} now.", done)


def _push(options: argparse.Namespace) -> int:
    done = push(_folder(), options.place)
    if done.parts:
        return _said(f"Pushed the records of {_tests(done)} to {options.place}.", done)
    return _said(f"Nothing to push: {options.place} has all {_tests(done)}.", done)


def _pull(options: argparse.Namespace) -> int:
    done = pull(_folder(), options.place)
    if done.parts:
        return _said(f"Pulled {counted(done.parts, 'part')}: records of {_tests(done)} now.", done)
    if done.is_empty:
        return _said(f"Nothing was pushed to {options.place} yet; the map here has records of {_tests(done)}.", done)
    return _said(f"Nothing new at {options.place}: the map here has records of {_tests(done)}.", done)


def _prune(options: argparse.Namespace) -> int:
    before, after = prune(_folder(), options.keep, options.max_days)
    say(f"The map takes {_size(after)} now, and took {_size(before)}.")
    return 0


def _folder() -> Path:
    return find_map_folder(Path.cwd(), FOLDER)


def _said(sentence: str, done: Exchange) -> int:
    say(sentence)
    _tell(done.notes)
    return 0


def _tell(notes: Sequence[str]) -> None:
    for note in notes:
        say(f"note: {note}")


def _tests(done: Exchange) -> str:
    return counted(done.tests, "test")


def _size(num_bytes: int) -> str:
    return f"{num_bytes / 1e6:.1f} MB" if num_bytes >= 1e6 else f"{num_bytes / 1e3:.0f} kB"  # noqa: PLR2004 - a MB
