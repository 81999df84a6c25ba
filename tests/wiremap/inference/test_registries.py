"""Registries of a project's own, in the shapes that inference engines keep them."""

from textwrap import dedent

from wiremap.graph import Graph
from wiremap.inference import Inference, infer_graph, infer_registries
from wiremap.source.adapters import Adapter


def inferred(
    files: dict[str, str], *adapters: Adapter, entry_points: dict[str, dict[str, str]] | None = None
) -> Inference:
    texts = {f"/src/{path}": dedent(text).encode() for path, text in files.items()}
    return infer_graph(texts, adapters, entry_points or {})


def entries(graph: Graph, registry: str) -> dict[str, str]:
    """Return the component behind each name in *registry*."""
    return {binding.cell: binding.provider for binding in graph.bindings if binding.consumer == registry}


def chosen(graph: Graph, registry: str) -> tuple[str, ...]:
    return graph.component(registry).parameter_values


def test_decorators_register_classes_and_functions_under_their_names() -> None:
    files = {
        "engine/ops.py": """\
            from engine.registry import CustomOp, register_attention

            @CustomOp.register("rms_norm")
            class RMSNorm:
                def forward(self): ...

            @register_attention("flash")
            def make_flash(runner): ...

            @register_attention
            class Plain: ...

            @other("x")
            class Unregistered: ...
            """,
        "engine/registry.py": "class CustomOp: ...\n",
    }
    graph = inferred(
        files,
        Adapter("CustomOp", decorators=("CustomOp.register",)),
        Adapter("attention", decorators=("register_attention",)),
    ).graph

    assert entries(graph, "CustomOp") == {"rms_norm": "RMSNorm"}
    assert entries(graph, "attention") == {"flash": "make_flash", "Plain": "Plain"}
    assert graph.component("CustomOp").source_path == "engine/registry.py", "the class of that name keeps it"
    assert graph.component("attention").source_path == ""
    assert "Unregistered" not in graph.ids


def test_calls_register_classes_by_name_by_import_and_by_path() -> None:
    files = {
        "engine/__init__.py": "from engine.backends.flash import FlashBackend\n",
        "engine/backends/__init__.py": "",
        "engine/backends/flash.py": "class FlashBackend: ...\n",
        "engine/backends/paged.py": "class PagedBackend: ...\nclass Enc: ...\n",
        "engine/setup.py": """\
            import engine.backends.paged as paged
            from engine import FlashBackend as Flash
            from .names import Backend

            class Local: ...

            def register_all():
                register_backend("flash", Flash)
                register_backend("paged", paged.PagedBackend)
                registry.register_backend(Backend.ENC, class_path="engine.backends.paged:Enc")
                register_backend("local", Local)
                register_backend("elsewhere", "other.package.Thing")
            """,
        "engine/names.py": "class Backend: ...\n",
    }
    inference = inferred(files, Adapter("backends", calls=("register_backend",)))

    assert entries(inference.graph, "backends") == {
        "flash": "FlashBackend",
        "paged": "PagedBackend",
        "ENC": "Enc",
        "local": "Local",
    }
    assert inference.registries[0].unresolved == {"register_backend('elsewhere', 'other.package.Thing')"}


def test_members_of_an_enumeration_are_paths_of_classes() -> None:
    files = {
        "engine/backends.py": "class Flash: ...\nclass Torch: ...\n",
        "engine/enums.py": """\
            import enum

            class _Backend(enum.Enum):
                FLASH = "engine.backends.Flash"
                TORCH = "engine.backends.Torch"
                GONE = "engine.backends.Gone"
                CUSTOM = ""
            """,
    }
    inference = inferred(files, Adapter("_Backend", enums=("_Backend",)))

    assert entries(inference.graph, "_Backend") == {"FLASH": "Flash", "TORCH": "Torch"}
    assert inference.registries[0].unresolved == {"GONE = engine.backends.Gone"}


def test_entry_points_are_what_the_project_declares() -> None:
    files = {"shop/plug.py": "class Plug: ...\ndef load(): ...\n"}
    points = {"shop.plugins": {"plug": "shop.plug:Plug", "load": "shop.plug:load"}, "other": {"x": "shop.plug:Plug"}}

    graph = inferred(files, Adapter("plugins", entry_points=("shop.plugins",)), entry_points=points).graph

    assert entries(graph, "plugins") == {"plug": "Plug", "load": "load"}


DEFAULTS = {
    "engine/config.py": """\
        import os

        BACKEND = os.environ.get("ENGINE_BACKEND", "flash")
        DEFAULT: str = "flash"

        class Config:
            backend: str = "flash"
            other = "torch"

        def get_backend(name="flash", *, kind=Config.other): ...
        """,
    "engine/other.py": 'import os\nNAME = os.getenv("ENGINE_BACKEND", "torch")\nDEFAULT = "torch"\n',
}


def test_what_is_chosen_by_default_is_a_parameter_of_the_registry() -> None:
    words = ("ENGINE_BACKEND", "config.py::DEFAULT", "Config.backend", "get_backend.name", "get_backend.kind")
    graph = inferred(DEFAULTS, Adapter("backends", defaults=words)).graph

    assert chosen(graph, "backends") == (
        "Config.backend=flash",
        "DEFAULT=flash",
        "ENGINE_BACKEND=flash",
        "ENGINE_BACKEND=torch",
        "get_backend.kind=Config.other",
        "get_backend.name=flash",
    )


def test_another_default_is_another_topology_and_is_told_by_its_name() -> None:
    adapter = Adapter("backends", defaults=("config.py::DEFAULT",))
    before = inferred(DEFAULTS, adapter).graph
    text = DEFAULTS["engine/config.py"].replace('DEFAULT: str = "flash"', 'DEFAULT: str = "paged"')
    after = inferred({**DEFAULTS, "engine/config.py": text}, adapter).graph

    assert before.star("backends").digest != after.star("backends").digest
    assert "DEFAULT: flash -> paged" in before.diff(after).describe()


def test_words_of_a_description_that_fit_nothing_are_told() -> None:
    adapter = Adapter("x", decorators=("register",), calls=("add",), enums=("E",), entry_points=("g",), defaults=("D",))

    assert inferred({"a.py": ""}, adapter).registries[0].unmatched == [
        "decorators: register",
        "calls: add",
        "enums: E",
        "entry-points: g",
        "defaults: D",
    ]


def test_the_rest_of_the_wiring_is_as_without_adapters() -> None:
    files = {
        "engine.py": """\
            class Flash:
                def run(self): ...

            class Engine:
                def __init__(self):
                    self.backend = Flash()

                def step(self):
                    return self.backend.run()

            register("flash", Flash)
            """
    }
    without, graph = inferred(files).graph, inferred(files, Adapter("backends", calls=("register",))).graph

    assert set(without.bindings) < set(graph.bindings)
    assert without.containment == graph.containment
    assert entries(graph, "backends") == {"flash": "Flash"}


def test_registries_alone_take_no_look_at_the_rest() -> None:
    texts = {"/src/a.py": b'@register("x")\nclass A: ...\nclass B: ...\n'}

    graph = infer_registries(texts, [Adapter("all", decorators=("register",))], {})

    assert graph.ids == ("A", "all")
