"""Wiring of real torch modules, which Wiremap knows by the shape of their class only."""

from collections.abc import Callable
from typing import Any, Protocol

import pytest

from wiremap import Graph, RegistryOrchestrator, Requires, WiringError
from wiremap.errors import ModuleCellNotWiredError, ModuleStateCellUnsetError, StateCellAssignmentError

torch: Any = pytest.importorskip("torch")


class Attention(torch.nn.Module):  # type: ignore[misc] # torch is Any here
    def __init__(self) -> None:
        super().__init__()
        self.proj = torch.nn.Linear(4, 4)
        self.register_buffer("bias", torch.ones(4))
        self.scale = 2.0

    def attn(self, x: Any) -> Any:
        return self.proj(x) * self.scale


class Layer(torch.nn.Module):  # type: ignore[misc] # same
    def forward(self, x: Any) -> Any:
        return self.attn(x) + self.bias + self.scale


class Attending(Protocol):
    scale: float
    bias: Any

    def attn(self, x: Any) -> Any: ...


class TypedLayer(torch.nn.Module):  # type: ignore[misc] # same
    attn = Requires[Callable[[Any], Any]]()
    backend = Requires[Attending]()

    def forward(self, x: Any) -> Any:
        return self.attn(x) + self.backend.attn(x) * self.backend.scale + self.backend.bias


class Model(torch.nn.Module):  # type: ignore[misc] # same
    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(Layer() for _ in range(2))

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x


CELLS = ("attn", "bias", "scale")


def _wired() -> tuple[Attention, Model, RegistryOrchestrator]:
    orch = RegistryOrchestrator()
    attention, model = orch.add(Attention()), orch.add(Model())
    for layer in model.layers:
        for cell in CELLS:
            orch.register(attention, cell, layer)
    return attention, model, orch


def test_layers_are_named_after_their_place_and_contained_in_the_model() -> None:
    _, _, orch = _wired()

    graph = orch.finalize()

    assert graph.ids == ("Attention", "Model", "Model.layers.0", "Model.layers.1")
    assert [(pair.child, pair.parent) for pair in graph.containment] == [
        ("Model.layers.0", "Model"),
        ("Model.layers.1", "Model"),
    ]
    assert {edge.cell: edge.kind for edge in graph.bindings} == {
        "attn": "method",
        "bias": "state",
        "scale": "state",
    }


def test_wiring_adds_nothing_to_the_state_of_a_module() -> None:
    _, model, orch = _wired()
    orch.finalize()

    assert list(model.state_dict()) == []
    assert [name for name, _ in model.named_modules() if "proj" in name] == []


def test_a_replaced_buffer_is_seen() -> None:
    attention, model, orch = _wired()
    orch.finalize()

    attention.bias = torch.zeros(4)

    assert model.layers[0].bias is attention.bias


def test_a_buffer_parameter_or_child_of_the_consumer_takes_the_name() -> None:
    orch = RegistryOrchestrator()
    layer = Layer()
    layer.register_buffer("bias", torch.zeros(4))
    orch.register(Attention(), "bias", layer)

    with pytest.raises(WiringError, match="taken by a parameter, buffer or child of the module"):
        orch.compile()


def test_a_child_or_parameter_assigned_through_the_consumer_is_refused_and_leaves_nothing_behind() -> None:
    attention, model, orch = _wired()
    orch.finalize()
    layer = model.layers[0]

    for value in (torch.nn.Linear(1, 1), torch.nn.Parameter(torch.ones(1)), torch.ones(1), None):
        with pytest.raises(StateCellAssignmentError, match="reads 'scale' from Attention and can't assign"):
            layer.scale = value
    with pytest.raises(StateCellAssignmentError):
        del layer.scale

    assert (list(layer.state_dict()), list(layer.children())) == ([], [])
    assert layer.scale == attention.scale


def test_a_module_can_register_nothing_under_the_name_of_a_state_cell() -> None:
    _, model, orch = _wired()
    orch.finalize()
    layer = model.layers[0]

    for register, value in (
        (layer.register_buffer, torch.ones(1)),
        (layer.register_parameter, torch.nn.Parameter(torch.ones(1))),
        (layer.add_module, torch.nn.Linear(1, 1)),
        (layer.register_module, torch.nn.Linear(1, 1)),
    ):
        with pytest.raises(StateCellAssignmentError, match="reads 'scale' from Attention"):
            register("scale", value)
    layer.register_buffer("other", torch.ones(1), persistent=False)

    assert [name for name, _ in layer.named_buffers()] == ["other"]


def test_a_module_can_register_nothing_under_a_state_cell_that_has_no_value_yet() -> None:
    class Late:
        scale: float

    orch = RegistryOrchestrator()
    layer: Any = Layer()
    orch.register(Late(), "scale", layer)
    orch.finalize()

    with pytest.raises(StateCellAssignmentError):
        layer.register_buffer("scale", torch.ones(1))
    with pytest.raises(ModuleStateCellUnsetError, match=r"read the cell 'scale', but Late has no value for it now"):
        _ = layer.scale


def test_a_module_with_an_assignment_of_its_own_refuses_and_assigns_as_before() -> None:
    class Noting(Layer):
        def __setattr__(self, name: str, value: object) -> None:
            self.__dict__.setdefault("noted", []).append(name)
            super().__setattr__(name, value)

    orch = RegistryOrchestrator()
    layer: Any = Noting()
    orch.register(Attention(), "scale", layer)
    orch.finalize()

    with pytest.raises(StateCellAssignmentError):
        layer.scale = torch.nn.Linear(1, 1)
    layer.other = torch.nn.Linear(1, 1)

    assert layer.noted[-1] == "other"
    assert list(layer.state_dict()) == ["other.weight", "other.bias"]


class Counting(torch.nn.Module):  # type: ignore[misc] # same
    total: Any

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.register_buffer("total", torch.zeros(()), persistent=False)

    def forward(self, x: Any) -> Any:
        self.calls = self.calls + 1
        self.total = self.total + x.sum()
        return x * self.scale + self.total


def test_compiled_and_exported_code_assigns_other_attributes_as_before() -> None:
    orch = RegistryOrchestrator()
    layer: Any = Counting()
    orch.register(Attention(), "scale", layer)
    orch.finalize()
    x = torch.ones(2)

    compiled = torch.compile(layer, fullgraph=True, backend="eager")

    assert [compiled(x).tolist() for _ in range(2)] == [[4.0, 4.0], [6.0, 6.0]]
    assert layer.calls == 2
    assert torch.export.export(layer, (x,)).module()(x).tolist() == [8.0, 8.0]


def test_other_instances_of_a_wired_class_keep_their_own_buffers() -> None:
    _, _, orch = _wired()
    orch.finalize()
    other = Layer()
    other.register_buffer("bias", torch.full((4,), 5.0))

    assert other.bias.tolist() == [5.0] * 4
    other.bias = torch.zeros(4)
    assert other.state_dict()["bias"].tolist() == [0.0] * 4


def test_compiled_code_runs_through_cells_and_sees_changes() -> None:
    attention, model, orch = _wired()
    orch.finalize()
    x = torch.ones(2, 4)
    compiled = torch.compile(model, fullgraph=True, backend="eager")

    assert torch.equal(compiled(x), model(x))
    attention.scale = 5.0
    assert torch.equal(compiled(x), model(x))


def _typed() -> tuple[Attention, TypedLayer, Graph]:
    orch = RegistryOrchestrator()
    attention, layer = orch.add(Attention().requires_grad_(requires_grad=False)), orch.add(TypedLayer())
    TypedLayer.attn.register(orch, attention.attn, layer)
    TypedLayer.backend.register(orch, attention, layer)
    return attention, layer, orch.finalize()


def test_compiled_code_runs_through_typed_cells_and_interfaces_and_sees_changes() -> None:
    attention, layer, _ = _typed()
    x = torch.ones(2, 4)
    compiled = torch.compile(layer, fullgraph=True, backend="eager")

    assert torch.equal(compiled(x), layer(x))
    attention.scale = 5.0
    assert torch.equal(compiled(x), layer(x))


def test_compiled_code_sees_an_override() -> None:
    _, layer, graph = _typed()
    x = torch.ones(2, 4)
    compiled = torch.compile(layer, fullgraph=True, backend="eager")
    before = compiled(x)

    with graph.override("Attention", Attention()):
        inside = compiled(x)
        assert torch.equal(inside, layer(x))
        assert not torch.equal(inside, before)
    assert torch.equal(compiled(x), before)


def test_tracing_and_exporting_go_through_cells() -> None:
    _, layer, _ = _typed()
    x = torch.ones(2, 4)

    assert torch.equal(torch.export.export(layer, (x,)).module()(x), layer(x))


def test_an_unwired_module_says_which_cell_is_missing() -> None:
    with pytest.raises(ModuleCellNotWiredError, match=r"TypedLayer read its cell 'attn'"):
        TypedLayer()(torch.ones(2, 4))


@pytest.mark.parametrize("name", ["attn", "backend"])
def test_a_child_module_that_is_assigned_over_a_required_cell_is_what_is_read(name: str) -> None:
    _, layer, _ = _typed()
    child = torch.nn.Identity()

    setattr(layer, name, child)

    assert getattr(layer, name) is child
    assert dict(layer.named_children())[name] is child


@pytest.mark.parametrize("cell", ["scale", "attn"])
def test_an_exported_root_that_holds_the_owner_keeps_its_parameters(cell: str) -> None:
    class Owner(torch.nn.Module):  # type: ignore[misc] # same
        def __init__(self) -> None:
            super().__init__()
            self.scale = torch.nn.Parameter(torch.ones(2))

        def attn(self, x: Any) -> Any:
            return x * self.scale

    class Reader(torch.nn.Module):  # type: ignore[misc] # same
        def forward(self, x: Any) -> Any:
            return self.attn(x) if cell == "attn" else x * self.scale

    class Root(torch.nn.Module):  # type: ignore[misc] # same
        def __init__(self) -> None:
            super().__init__()
            self.owner, self.reader = Owner(), Reader()

        def forward(self, x: Any) -> Any:
            return self.reader(x)

    root = Root()
    orch = RegistryOrchestrator()
    orch.register(root.owner, cell, root.reader)
    orch.finalize()

    exported = torch.export.export(root, (torch.ones(2),))

    assert list(exported.state_dict) == ["owner.scale"]
    assert not exported.constants
