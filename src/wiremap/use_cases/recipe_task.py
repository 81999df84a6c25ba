"""What the process that compiles a recipe is asked, and what it answers; both as JSON."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from wiremap.graph import Graph

_LONGEST_LINE = 300


@dataclass(frozen=True, slots=True)
class RecipeTask:
    """One recipe to compile.

    Attributes:
        recipe: `package.module` or `package.module:function`.
        answer: The path of the file in which the answer is expected.
        folder: Where the process runs.
        search_path: Folders in which modules are looked up next, before all others.
        copy: The root of the copy of the project that the folder is part of; empty if it is no copy.
        original: The root of the project itself, where it is a copy.
        tells_classes: Whether kin and files are asked for.
    """

    recipe: str
    answer: str
    folder: str
    search_path: tuple[str, ...] = ()
    copy: str = ""
    original: str = ""
    tells_classes: bool = False

    def to_json(self) -> str:
        """Return the task as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "RecipeTask":
        """Return the task that `to_json` wrote."""
        document: dict[str, Any] = json.loads(text)
        return cls(**document | {"search_path": tuple(document["search_path"])})


@dataclass(frozen=True, slots=True)
class CompiledRecipe:
    """What became of a recipe: it has a graph or an error.

    Attributes:
        graph: The graph, if it could be compiled.
        error: Why not.
        is_there: Whether its module has such a recipe, as far as is known.
        kin: For the class of each component what it derives from, itself included: module and qualified name of both.
        files: The files of modules that the recipe and these classes are written in, by module.
        talk: What it printed, and warnings.
        last_words: The last lines of that, where its process ended without an answer.
    """

    graph: Graph | None = None
    error: str = ""
    is_there: bool = True
    kin: tuple[tuple[str, str, str, str], ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    talk: str = ""
    last_words: tuple[str, ...] = ()

    @property
    def whole_error(self) -> str:
        """The error, and the last words if there are any."""
        return "\n".join([f"{self.error}. It said:", *self.last_words]) if self.last_words else self.error

    def error_line(self, *folders: Path | None) -> str:
        """Return the error in one line that is not too long, without the names of *folders*, which tell nothing."""
        text = ": ".join([self.error, *self.last_words[-1:]])
        names = {str(name) for folder in folders if folder is not None for name in (folder, folder.resolve())}
        for name in sorted(names, key=len, reverse=True):
            text = text.replace(f"{name}/", "").replace(name, ".")
        line = " ".join(text.split())
        return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}\u2026"

    def with_talk(self, talk: str) -> "CompiledRecipe":
        """Return the same with what its process printed."""
        return replace(self, talk=talk)

    def to_json(self) -> str:
        """Return what the process itself knows, as JSON."""
        graph = None if self.graph is None else self.graph.to_json()
        known = {"error": self.error, "is_there": self.is_there, "kin": self.kin, "files": dict(self.files)}
        return json.dumps({"graph": graph, **known})

    @classmethod
    def from_json(cls, text: str) -> "CompiledRecipe":
        """Return what `to_json` wrote."""
        document: dict[str, Any] = json.loads(text)
        graph = None if document["graph"] is None else Graph.from_json(document["graph"])
        kin = tuple((module, name, above, qualname) for module, name, above, qualname in document["kin"])
        return cls(graph, document["error"], document["is_there"], kin, document["files"])
