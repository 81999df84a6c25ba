"""Which two states of the files are meant: `A`, `A B`, `A..B`, `A...B`, the index."""

from typing import NamedTuple

from wiremap.errors import RevisionRangeError
from wiremap.project.repository import INDEX, WORKING_TREE, Repository, State


class RevisionRange(NamedTuple):
    """Two states of the files."""

    base: State
    head: State


def revision_range(repository: Repository, base: str | None, head: str | None, *, staged: bool) -> RevisionRange:
    """Return the states that are meant; without *head* it is the working tree, without *base* the commit HEAD.

    Raises:
        RevisionRangeError: The arguments don't go together.
        UnknownRevisionError: A commit is not there.
        NoCommonAncestorError: For `A...B` there is none.
    """
    start, dots, end = _parts(base or "HEAD")
    if dots and head is not None:
        raise RevisionRangeError(f"{base} says already where the change ends, and {head} does so again")
    if staged and (dots or head is not None):
        raise RevisionRangeError("--staged ends at the index, and so goes with a base only")
    if dots:
        return _between(repository.commit(start or "HEAD"), repository.commit(end or "HEAD"), dots, repository)
    if head is not None:
        return RevisionRange(repository.commit(start), repository.commit(head))
    return RevisionRange(repository.commit(start), INDEX if staged else WORKING_TREE)


def _between(start: State, end: State, dots: str, repository: Repository) -> RevisionRange:
    return RevisionRange(repository.common_ancestor(start, end) if dots == "..." else start, end)


def _parts(text: str) -> tuple[str, str, str]:
    dots = "..." if "..." in text else ".." if ".." in text else ""
    return text.partition(dots) if dots else (text, "", "")
