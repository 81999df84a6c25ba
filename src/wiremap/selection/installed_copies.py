"""Changed files of which no test saw anything, since tests import an installed copy of their package."""

from collections.abc import Callable, Collection, Iterable

from wiremap.selection import facts as kinds
from wiremap.selection.facts import Fact, Trace, matching
from wiremap.wording import counted


def notes_of_copies(
    changed: Iterable[str],
    traces: Collection[Trace],
    files: Collection[str],
    providers: Callable[[str], Iterable[str]],
) -> list[str]:
    """Return a note for each distribution that tests import where files of its source have changed.

    An edit of source that was installed by copying reaches no test: that none runs is right, and reads as if the edit
    were safe.

    Args:
        changed: Paths of changed files.
        traces: The records of tests.
        files: Paths of all files of the project.
        providers: Takes a top-level name, returns the distributions that answer to it.
    """
    by_package: dict[str, list[str]] = {}
    for path in sorted(set(changed)):
        if path in files and path.endswith(".py") and not path.startswith("../"):
            by_package.setdefault(_package(path, files), []).append(path)
    if not by_package:
        return []
    unseen = sorted(by_package.keys() - _seen_among(by_package, traces))
    used = _distributions(traces) if unseen else set[str]()
    notes = []
    for package in unseen:
        name = package.rpartition("/")[2].removesuffix(".py")
        if not used.isdisjoint(providers(name)):
            notes.append(_note(by_package[package], name))
    return notes


def _package(path: str, files: Collection[str]) -> str:
    """Return the folder of the outermost package that *path* lies in; the file itself without one."""
    found, folder = path, path.rpartition("/")[0]
    while folder and f"{folder}/__init__.py" in files:
        found, folder = folder, folder.rpartition("/")[0]
    return found


def _seen_among(packages: Collection[str], traces: Iterable[Trace]) -> set[str]:
    """Return those of *packages* that a test saw anything of: then what else changed in them is just not imported."""

    def around(fact: Fact) -> str:
        path = "" if fact.kind == kinds.PRESENCE else fact.path or ""
        return next((one for one in packages if path == one or path.startswith(f"{one}/")), "")

    def is_inside(fact: Fact) -> bool:
        return around(fact) != ""

    return {around(fact) for trace in traces for fact in matching(trace.facts, is_inside)}


def _distributions(traces: Iterable[Trace]) -> set[str]:
    def is_distribution(fact: Fact) -> bool:
        return fact.kind == kinds.DISTRIBUTION

    return {fact.key for trace in traces for fact in matching(trace.facts, is_distribution)}


def _note(paths: list[str], module: str) -> str:
    others = f" and {counted(len(paths) - 1, 'more changed file')}" if len(paths) > 1 else ""
    return f"no test was seen to import {paths[0]}{others}: tests import the installed {module}, which is a copy"
