import importlib
import importlib.util
import sysconfig
from pathlib import Path

import pytest

from tests.wiremap.tracing.recording import SOURCES, recording
from wiremap.tracing.foreign_use import IMPORTS, LOOKUPS, ForeignUse, loaded_names
from wiremap.tracing.observation import Observation

# Code of a library, by the name that its frames show and by its file.
LIBRARY = {"__name__": "library.part"}
FILE = str(Path(sysconfig.get_path("purelib"), "library", "part.py"))


def test_the_first_part_of_a_name_counts() -> None:
    use = ForeignUse()

    use.note_import("library", "other.part")

    assert use.imports == {"library": {"other"}}


def test_what_another_process_saw_is_added() -> None:
    use, other = ForeignUse(), ForeignUse(frozenset({"x"}), {"a": {"b"}}, {"a": {"*"}})
    use.note_import("a", "c")

    use.absorb(other)

    assert (use.loaded_before, use.imports, use.lookups) == (frozenset("x"), {"a": {"b", "c"}}, {"a": {"*"}})


def test_each_use_is_told_once() -> None:
    told: list[tuple[str, str, str]] = []
    use = ForeignUse(listener=lambda *one: told.append(one))

    for name in ("b.c", "b.d"):
        use.note_import("a", name)
    use.note_lookup("a", "b")
    use.note_lookup("a", "b")

    assert told == [(IMPORTS, "a", "b"), (LOOKUPS, "a", "b")]


def test_the_standard_library_and_the_observer_are_not_foreign() -> None:
    assert loaded_names(["os.path", "wiremap.graph", "__main__", "click.core", "click"]) == {"click"}


@pytest.mark.parametrize("source", SOURCES)
def test_an_import_by_a_library_is_its_own_in_vain_or_not(tmp_path: Path, source: str) -> None:
    with recording(tmp_path, source) as recorder, recorder.context(Observation()) as seen:
        code = compile("try: import surely_missing\nexcept ImportError: pass", FILE, "exec")
        exec(code, dict(LIBRARY))  # noqa: S102 - stands for a library

    assert "surely_missing" in recorder.foreign.imports["library"]
    assert "surely_missing" not in seen.imports


@pytest.mark.parametrize("source", SOURCES)
def test_a_look_up_of_metadata_by_a_library_is_its_own(tmp_path: Path, source: str) -> None:
    text = "import importlib.metadata as m\nm.version('pytest')\nm.entry_points(group='x')\nlist(m.distributions())"
    with recording(tmp_path, source) as recorder, recorder.context(Observation()) as seen:
        exec(compile(text, FILE, "exec"), dict(LIBRARY))  # noqa: S102 - stands for a library

    assert recorder.foreign.lookups["library"] == {"pytest", "entry points", "*"}
    assert seen.distributions == set()


@pytest.mark.parametrize("source", SOURCES)
def test_who_asks_for_a_module_by_a_computed_name_has_it_as_an_object(tmp_path: Path, source: str) -> None:
    with recording(tmp_path, source) as recorder, recorder.context(Observation()):
        importlib.import_module("json")
        importlib.util.find_spec("csv")

    assert recorder.foreign.modules == {"json"}


@pytest.mark.parametrize("source", SOURCES)
def test_a_module_that_a_library_looks_for_may_be_had_by_it(tmp_path: Path, source: str) -> None:
    code = compile("from importlib.util import find_spec\nfind_spec('csv')", FILE, "exec")
    with recording(tmp_path, source) as recorder, recorder.context(Observation()):
        exec(code, dict(LIBRARY))  # noqa: S102 - stands for a library

    assert "csv" in recorder.foreign.modules
