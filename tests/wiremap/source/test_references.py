from textwrap import dedent

from wiremap.source.references import References
from wiremap.source.units import UnitKey, parse_units

FILES = {
    "app.py": """\
        import helpers
        LIMIT = helpers.most()

        class Base:
            def ready(self): return LIMIT

        class Shop(Base):
            def __init__(self): self.ready()
            def idle(self): pass

        def open_shop(): return Shop()
        """,
    "helpers.py": "def most(): return 3\ndef other(): pass\n",
}


def references() -> References:
    return References({path: parse_units(dedent(text).encode()) for path, text in FILES.items()})


def units(*words: str) -> set[str]:
    found = references()
    return {str(key) for key in found.units(found.words(words))}


def test_a_word_leads_to_what_it_names_and_on() -> None:
    assert units("open_shop") == {
        "app.py::open_shop",
        "app.py::Shop.__init__",
        "app.py::Base.ready",
        "helpers.py::most",
    }


def test_a_word_that_names_nothing_leads_nowhere() -> None:
    assert units("nothing") == set()


def test_a_method_is_reached_by_its_name_alone() -> None:
    assert units("idle") == {"app.py::Shop.idle"}


def test_units_are_sorted() -> None:
    assert references().units({"other", "most"}) == [UnitKey("helpers.py", "most"), UnitKey("helpers.py", "other")]
