from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from textwrap import dedent
from types import CodeType

from wiremap.selection import facts as kinds
from wiremap.selection.dependencies import DependencyResolver
from wiremap.selection.facts import ABSENT
from wiremap.source.modules import ModuleIndex
from wiremap.source.units import SourceUnits, parse_units
from wiremap.tracing.observation import Observation


@dataclass
class Sources:
    """A project that is only text; every module of it is loaded unless it is named in `unloaded`."""

    files: Mapping[str, str]
    unloaded: frozenset[str] = frozenset()
    foreign: frozenset[str] = frozenset()
    _units: dict[str, SourceUnits] = field(default_factory=dict)

    def units(self, path: str) -> SourceUnits:
        if path not in self._units:
            text = self.files.get(path)
            self._units[path] = SourceUnits({}) if text is None else parse_units(dedent(text).encode())
        return self._units[path]

    def code_path(self, filename: str) -> str | None:
        return filename if filename in self.files else None

    def data_path(self, real: str) -> str | None:
        return real.removeprefix("/project/") if real.startswith("/project/") else None

    def loaded_path(self, module: str) -> str | None:
        found = self.candidates(module)
        return found[0] if found and found[0] not in self.unloaded else None

    def candidates(self, module: str) -> tuple[str, ...]:
        return ModuleIndex(self.files).candidates(module)

    def is_foreign_import(self, path: str) -> bool:
        return path in self.foreign

    def value(self, kind: str, key: str) -> str:
        return f"{kind} {key} now"

    def code(self, path: str, *qualnames: str) -> dict[int, CodeType]:
        """Return code objects of *path* as they would be observed."""
        found = {
            code.co_qualname: code
            for code in _all_codes(compile(dedent(self.files[path]), path, "exec"))
            if code.co_qualname in qualnames
        }
        return {id(found[name]): found[name] for name in qualnames}


def _all_codes(code: CodeType) -> Iterable[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all_codes(constant)


def facts(
    sources: Sources,
    seen: Observation,
    roots: Iterable[str] = ("test_a.py",),
    imports: Mapping[str, Observation] | None = None,
    kept: Iterable[tuple[CodeType, Observation]] = (),
) -> set[str]:
    """Return the facts as `kind key`, however finely modules are told apart.

    Each file's import was seen, unless *imports* says otherwise.
    """
    observed = {path: Observation() for path in sources.files} if imports is None else imports
    resolver = DependencyResolver(sources, observed, kept)
    found = resolver.facts([seen], roots)
    return {f"{kinds.MODULE if fact.kind in kinds.MODULES else fact.kind} {fact.key}" for fact in found}


def kinds_by_module(
    sources: Sources, seen: Observation, imports: Mapping[str, Observation] | None = None
) -> dict[str, str]:
    """Return how finely each module is told apart for a test that saw this, where *imports* were seen besides."""
    resolver = DependencyResolver(sources, {path: Observation() for path in sources.files} | dict(imports or {}))
    return {fact.key: fact.kind for fact in resolver.facts([seen], ["test_a.py"]) if fact.kind in kinds.MODULES}


PLAIN = Sources(
    {
        "test_a.py": "import shop\ndef test_f():\n    shop.f()\n",
        "shop.py": "import money\ndef f():\n    import late\n\ndef unused():\n    import never\n",
        "money.py": "RATE = 1\n",
        "late.py": "",
        "never.py": "",
        "other.py": "",
    }
)


def test_a_test_rests_on_the_functions_that_ran() -> None:
    seen = Observation(codes=PLAIN.code("test_a.py", "test_f") | PLAIN.code("shop.py", "f"))

    found = facts(PLAIN, seen)

    assert {"function test_a.py::test_f", "function shop.py::f"} <= found
    assert "function shop.py::unused" not in found


def test_a_test_rests_on_the_modules_that_its_own_imports_lead_to() -> None:
    found = facts(PLAIN, Observation())

    assert {"module test_a.py", "module shop.py", "module money.py"} <= found
    assert not {"module late.py", "module never.py", "module other.py"} & found


def test_what_a_function_imports_counts_when_it_ran() -> None:
    found = facts(PLAIN, Observation(codes=PLAIN.code("shop.py", "f")))

    assert "module late.py" in found
    assert "module never.py" not in found


def test_every_imported_name_is_a_fact_also_one_that_no_file_answers_to() -> None:
    sources = Sources({"test_a.py": "import json\nimport shop.missing\n"})

    found = facts(sources, Observation())

    assert {"import json", "import shop", "import shop.missing"} <= found


def test_functions_that_ran_during_an_import_count_for_all_who_import_it() -> None:
    imports = {path: Observation() for path in PLAIN.files}
    imports["money.py"] = Observation(codes=PLAIN.code("shop.py", "unused"))

    found = facts(PLAIN, Observation(), imports=imports)

    assert {"function shop.py::unused", "module never.py"} <= found


def test_files_that_an_import_read_count_for_all_who_import_it() -> None:
    imports = {path: Observation() for path in PLAIN.files}
    imports["money.py"] = Observation(files={"/project/rates.json": "file:1"}, variables={"HOME": None})

    found = facts(PLAIN, Observation(), imports=imports)

    assert {"file rates.json", "variable HOME"} <= found


def test_a_module_whose_import_nobody_saw_counts_as_a_whole() -> None:
    found = facts(PLAIN, Observation(), imports={"test_a.py": Observation()})

    assert {"source shop.py", "source money.py"} <= found
    assert "module shop.py" not in found


def test_readings_keep_the_state_that_was_observed() -> None:
    seen = Observation(
        files={"/project/a.txt": "file:1", "/elsewhere/b.txt": "file:2"}, variables={"A": "1", "B": None}
    )
    resolver = DependencyResolver(PLAIN, {})

    found = {(one.kind, one.key, one.value) for one in resolver.facts([seen], ())}

    assert found == {(kinds.FILE, "a.txt", "file:1"), (kinds.VARIABLE, "A", "1"), (kinds.VARIABLE, "B", ABSENT)}


def test_a_doubt_makes_the_test_rest_on_the_whole_project() -> None:
    assert "project *" not in facts(PLAIN, Observation())
    assert "project *" in facts(PLAIN, Observation(doubts={"a child process"}))


def test_a_doubt_during_an_import_counts_for_all_who_import_it() -> None:
    imports = {path: Observation() for path in PLAIN.files}
    imports["money.py"] = Observation(doubts={"a child process"})

    assert "project *" in facts(PLAIN, Observation(), imports=imports)


def test_a_name_that_was_computed_leads_to_its_module() -> None:
    found = facts(PLAIN, Observation(imports={"other"}))

    assert {"import other", "module other.py"} <= found


def test_a_module_that_the_process_did_not_load_is_only_a_name() -> None:
    sources = Sources(PLAIN.files, unloaded=frozenset({"money.py"}))

    found = facts(sources, Observation(), imports={"test_a.py": Observation(), "shop.py": Observation()})

    assert "import money" in found
    assert not any(fact.endswith(" money.py") for fact in found)


def test_the_body_of_a_class_belongs_to_its_module() -> None:
    sources = Sources({"test_a.py": "class C:\n    x = 1\n    def m(self): ...\n"})

    found = facts(sources, Observation(codes=sources.code("test_a.py", "C")))

    assert found == {"module test_a.py"}


def test_code_that_no_unit_stands_for_counts_as_the_whole_file() -> None:
    sources = Sources({"test_a.py": "def f(): ...\n"})
    made = compile("def made_at_run_time(): ...", "test_a.py", "exec")
    (code,) = [one for one in _all_codes(made) if one.co_qualname == "made_at_run_time"]

    found = facts(sources, Observation(codes={id(code): code}))

    assert "source test_a.py" in found


def test_a_relative_import_is_resolved_against_the_importer() -> None:
    sources = Sources({"pkg/__init__.py": "", "pkg/a.py": "from . import b\n", "pkg/b.py": "", "b.py": ""})

    found = facts(sources, Observation(), roots=["pkg/a.py"])

    assert "module pkg/b.py" in found
    assert "module b.py" not in found


def test_the_work_of_a_memoised_function_counts_for_who_imports_it() -> None:
    sources = Sources(
        {
            "test_a.py": "import cache\n",
            "cache.py": "import functools\n@functools.cache\ndef get(): ...\n",
            "rates.py": "def load(): ...\n",
        }
    )
    (get,) = sources.code("cache.py", "get").values()
    work = Observation(codes=sources.code("rates.py", "load"))

    assert "function rates.py::load" in facts(sources, Observation(), kept=[(get, work)])


def test_what_a_test_may_have_found_filled_counts() -> None:
    work = Observation(codes=PLAIN.code("shop.py", "unused"))

    assert "function shop.py::unused" in facts(PLAIN, Observation(kept={id(work): work}))


# How finely a module is told apart.


def of_test(text: str, **others: str) -> dict[str, str]:
    sources = Sources({"test_a.py": text, "shop.py": "RATE = 1\n", **others})
    return kinds_by_module(sources, Observation(codes=sources.code("test_a.py", "test_f")))


def test_a_test_that_reads_names_as_they_stand_rests_on_names() -> None:
    found = of_test("import shop\ndef test_f():\n    assert shop.RATE\n")

    assert found == {"test_a.py": kinds.NAMES, "shop.py": kinds.NAMES}


def test_a_test_that_computes_names_of_members_rests_on_whole_classes() -> None:
    found = of_test("import shop\ndef test_f(name):\n    assert getattr(shop.make(), name)\n")

    assert found == {"test_a.py": kinds.CLASSES, "shop.py": kinds.CLASSES}


def test_a_function_that_did_not_run_computes_no_names() -> None:
    found = of_test("import shop\ndef other(name):\n    getattr(shop, name)\ndef test_f(): shop.make()\n")

    assert found == {"test_a.py": kinds.NAMES, "shop.py": kinds.NAMES}


def test_a_test_that_computes_a_name_of_a_module_rests_on_that_module_as_a_whole() -> None:
    found = of_test("import shop\ndef test_f(name):\n    assert getattr(shop, name)\n")

    assert found == {"test_a.py": kinds.CLASSES, "shop.py": kinds.MODULE}


def test_a_test_that_computes_names_of_any_module_rests_on_whole_modules() -> None:
    found = of_test("import shop\ndef test_f(name):\n    assert eval(name)\n")

    assert found == {"test_a.py": kinds.MODULE, "shop.py": kinds.MODULE}


def test_a_module_that_is_handed_on_as_an_object_counts_as_a_whole() -> None:
    found = of_test("import shop\ndef test_f(register):\n    register(shop)\n")

    assert found == {"test_a.py": kinds.NAMES, "shop.py": kinds.MODULE}


def test_a_module_that_another_hands_on_counts_as_a_whole() -> None:
    found = of_test("import hub\ndef test_f(register):\n    register(hub.shop)\n", **{"hub.py": "import shop\n"})

    assert found == {"test_a.py": kinds.NAMES, "hub.py": kinds.NAMES, "shop.py": kinds.MODULE}


def test_a_module_of_which_everything_is_imported_is_told_apart_by_names() -> None:
    found = of_test("from shop import *\ndef test_f():\n    assert RATE\n")

    assert found == {"test_a.py": kinds.NAMES, "shop.py": kinds.NAMES}


def test_a_module_of_which_everything_is_had_by_one_that_is_handed_on_counts_as_a_whole() -> None:
    hubs = {"hub.py": "from part import *\n", "part.py": "from shop import *\n"}

    found = of_test("import hub\ndef test_f(register):\n    register(hub)\n", **hubs)

    assert found == {"test_a.py": kinds.NAMES, **dict.fromkeys(("hub.py", "part.py", "shop.py"), kinds.MODULE)}


def test_a_module_of_which_everything_is_had_by_one_that_a_library_imported_counts_as_a_whole() -> None:
    texts = {"test_a.py": "import hub\ndef test_f(): ...\n", "hub.py": "from shop import *\n", "shop.py": "RATE = 1\n"}
    sources = Sources(texts, foreign=frozenset({"hub.py"}))

    found = kinds_by_module(sources, Observation(codes=sources.code("test_a.py", "test_f")))

    assert found["shop.py"] == kinds.MODULE


def test_a_module_that_a_library_imported_counts_as_a_whole() -> None:
    text = "import shop\ndef test_f():\n    assert shop.RATE\n"
    sources = Sources({"test_a.py": text, "shop.py": "RATE = 1\n"}, foreign=frozenset({"shop.py"}))

    found = kinds_by_module(sources, Observation(codes=sources.code("test_a.py", "test_f")))

    assert found == {"test_a.py": kinds.NAMES, "shop.py": kinds.MODULE}


def test_a_module_whose_name_is_spelled_in_a_string_counts_as_a_whole() -> None:
    spelled = of_test("import shop\ndef test_f(load):\n    load('shop')\n")
    in_a_sentence = of_test("import shop\ndef test_f(load):\n    load('the shop')\n")

    assert spelled == {"test_a.py": kinds.NAMES, "shop.py": kinds.MODULE}
    assert in_a_sentence == {"test_a.py": kinds.NAMES, "shop.py": kinds.NAMES}


def test_a_test_with_a_child_process_rests_on_whole_modules() -> None:
    """Which libraries the process loads, and so which names they know, is not known here."""
    text = "import shop\ndef test_f():\n    assert shop.RATE\n"
    sources = Sources({"test_a.py": text, "shop.py": "RATE = 1\n"})
    codes = sources.code("test_a.py", "test_f")

    own = kinds_by_module(sources, Observation(codes=codes, processes={"1"}))
    of_import = kinds_by_module(sources, Observation(codes=codes), {"shop.py": Observation(processes={"1"})})

    assert own == {"test_a.py": kinds.MODULE, "shop.py": kinds.MODULE}
    assert of_import == own


def test_who_may_read_any_name_rests_on_whole_modules() -> None:
    sources = Sources({"test_a.py": "def test_f(): ...\n"})
    resolver = DependencyResolver(sources, {"test_a.py": Observation()})

    found = resolver.facts([Observation()], ["test_a.py"], whole=True)

    assert {fact.kind for fact in found if fact.key == "test_a.py"} == {kinds.MODULE}
