"""The changes since a revision of the repository. They explain verdicts; verdicts come from recordings alone."""

import contextlib
from pathlib import Path

from wiremap.project.files import project_root
from wiremap.project.repository import WORKING_TREE, Repository
from wiremap.project.revision_range import RevisionRange
from wiremap.project.settings import read_settings
from wiremap.selection.components import ComponentIndex
from wiremap.selection.report import changes_document
from wiremap.store.map import FOLDER, Map
from wiremap.use_cases.changes_between import changed_files
from wiremap.use_cases.component_index import component_index


def changes_since(rootdir: Path, revision: str) -> dict[str, object]:
    """Return `kind` and `changes` of a `wiremap.verdict/1` document, for what differs now from *revision*.

    Raises:
        UnknownRevisionError: There is no such revision.
    """
    repository = Repository(project_root(rootdir))
    found = changed_files(repository, RevisionRange(repository.commit(revision), WORKING_TREE))
    return changes_document(found.changes, _components(rootdir))


def _components(rootdir: Path) -> ComponentIndex:
    folder, settings = rootdir / FOLDER, read_settings(rootdir)
    if not folder.exists():
        return component_index(None, settings)
    with contextlib.closing(Map(folder)) as store:
        return component_index(store, settings)
