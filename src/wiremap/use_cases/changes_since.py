"""The changes since a revision of the repository. They explain verdicts; verdicts come from recordings alone."""

import contextlib
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from wiremap.project.files import project_root
from wiremap.project.revision import Revision
from wiremap.project.settings import read_settings
from wiremap.project.sources import ProjectSources
from wiremap.selection.changes import Change, source_changes
from wiremap.selection.components import ComponentIndex
from wiremap.selection.report import changes_document
from wiremap.source.units import parse_units
from wiremap.store.map import FOLDER, Map
from wiremap.use_cases.component_index import component_index


def changes_since(rootdir: Path, revision: str) -> dict[str, object]:
    """Return `kind` and `changes` of a `wiremap.verdict/1` document, for what differs now from *revision*.

    Raises:
        UnknownRevisionError: There is no such revision.
    """
    root = project_root(rootdir)
    base = Revision(root, revision)
    sources = ProjectSources(root)
    differing = {path: base.text(path) for path in base.changed_paths()}
    texts = {path: text for path, text in differing.items() if text is not None or path in sources.files}
    changes = sorted({*_source_changes(texts, sources), *_data_changes(texts, sources)})
    return changes_document(changes, _components(rootdir))


def _source_changes(texts: dict[str, bytes | None], sources: ProjectSources) -> list[Change]:
    paths = [path for path in texts if path.endswith(".py")]
    by_digest = {_digest(text): text for path in paths if (text := texts[path]) is not None}
    before = {path: _digest(text) for path in paths if (text := texts[path]) is not None}
    now = {path: digest for path in paths if (digest := sources.digest(path)) is not None}
    return source_changes(before, now, lambda digest: parse_units(by_digest[digest]), sources.units)


def _data_changes(texts: dict[str, bytes | None], sources: ProjectSources) -> Iterator[Change]:
    for path, text in texts.items():
        if not path.endswith(".py"):
            there = path in sources.files
            detail = "added" if text is None else "content changed" if there else "removed"
            yield Change(path, "", "data", detail)


def _components(rootdir: Path) -> ComponentIndex:
    folder, settings = rootdir / FOLDER, read_settings(rootdir)
    if not folder.exists():
        return component_index(None, settings)
    with contextlib.closing(Map(folder)) as store:
        return component_index(store, settings)


def _digest(text: bytes) -> str:
    return blake2b(text, digest_size=12).hexdigest()
