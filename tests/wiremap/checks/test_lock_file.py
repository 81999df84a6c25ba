import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wiremap.graph.strategies import graphs
from tests.wiremap.render.golden import assert_golden
from tests.wiremap.render.samples import moe_engine, nasty
from wiremap.checks.lock_file import DamagedLockError, lock_text, read_lock
from wiremap.checks.locked_form import locked_form
from wiremap.graph import CALL, Binding, Component, Graph

SMALL = Graph(
    components=(
        Component("A", "A", "parts", tags=("gpu",), extension="more", parameter_values=("size=8",)),
        Component("B", "B", "parts", requires=("allocate",)),
    ),
    bindings=(
        Binding("A", "allocate", "B"),
        Binding("A", "free", "B", "state"),
        Binding("A", "read", "B", interface="blocks"),
        Binding("A", CALL, "B", interface="sample"),
    ),
)


def test_a_lock_has_a_line_for_each_fact() -> None:
    assert_golden("moe_engine.lock", lock_text({"recipes.moe": locked_form(moe_engine())}))


def test_ids_that_look_like_something_else_are_quoted() -> None:
    assert_golden("nasty.lock", lock_text({"recipes.nasty": locked_form(nasty())}))


@given(st.dictionaries(st.text(min_size=1), graphs().map(locked_form), max_size=3))
def test_what_is_written_is_read(locked: dict[str, Graph]) -> None:
    assert read_lock(lock_text(locked)).graphs == locked


@given(st.text(min_size=1), st.text(), st.text(), st.text(), st.text())
def test_any_text_may_stand_anywhere(id_: str, cell: str, interface: str, value: str, tag: str) -> None:
    component = Component(id_, value, tag, tags=(tag,), extension=cell, requires=(cell,), parameter_values=(value,))
    graph = Graph((component,), (Binding(id_, cell, id_, interface=interface),))

    assert read_lock(lock_text({id_: graph})).graphs == {id_: graph}


def test_the_order_of_recipes_is_that_of_their_names() -> None:
    assert lock_text({"a": SMALL, "b": Graph()}) == lock_text({"b": Graph(), "a": SMALL})


def test_where_a_recipe_begins_is_known() -> None:
    text = lock_text({"a": SMALL, "b": Graph()})

    lines = read_lock(text).lines

    assert [text.splitlines()[line - 1] for line in lines.values()] == ["recipe a", "recipe b"]


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("wiremap.lock 1", "wiremap.lock 2", "version '2', of another wiremap, can't be read"),
        ("wiremap.lock 1", "", "what should be its version can't be read"),
        ("component B", "<<<<<<< ours\ncomponent B", "a merge conflict is left in it"),
        ("component B", "component A", "what stands twice can't be read"),
        ("component B\n", "", "an edge or a nested graph names 'B', and no component has that id"),
        ("component A\n", "", "what this line belongs to is missing above it"),
        ("-[allocate]->", "-[allo cate]->", "the cell 'allo cate' can't be read"),
        ("    size=8", "    size 8", "this line can't be read"),
        ("(state)", "(stat)", "this line can't be read"),
        ("A -[free]->", '"A -[free]->', "Unterminated string"),
        ("    size=8", '    "size', "can't be read"),
    ],
)
def test_damage_is_told_with_its_line(before: str, after: str, reason: str) -> None:
    text = lock_text({"a": SMALL})
    assert before in text

    with pytest.raises(DamagedLockError) as raised:
        read_lock(text.replace(before, after))

    assert reason in raised.value.reason
    assert 1 <= raised.value.line <= len(text.splitlines()) + 1


def test_an_empty_file_is_no_lock() -> None:
    with pytest.raises(DamagedLockError, match="empty"):
        read_lock("# nothing\n")


@given(st.text())
def test_whatever_a_file_holds_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(DamagedLockError):
        read_lock(f"wiremap.lock 1\n{text}")


@given(st.data())
def test_a_line_that_is_lost_is_missed(data: st.DataObject) -> None:
    lines = lock_text({"a": SMALL}).splitlines(keepends=True)
    facts = [number for number, line in enumerate(lines) if line.strip() and not line.startswith("#")]
    lost = data.draw(st.sampled_from(facts))

    try:
        found = read_lock("".join(lines[:lost] + lines[lost + 1 :]))
    except DamagedLockError:
        return
    assert found.graphs != {"a": SMALL}


def test_a_lock_holds_no_path_of_a_machine() -> None:
    graph = Graph((Component("A", "A", "parts", source_path="/home/me/parts.py", source_line=7),))

    assert not re.search(r"home|parts\.py|7", lock_text({"a": locked_form(graph)}))
