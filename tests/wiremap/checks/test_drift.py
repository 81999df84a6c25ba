from dataclasses import replace

from tests.wiremap.checks.test_lock_file import SMALL
from wiremap.checks.drift import lock_drift
from wiremap.checks.findings import Finding
from wiremap.checks.lock_file import lock_text
from wiremap.graph import Binding, Component, Graph


def drift(locked: Graph | str | None, now: Graph) -> list[Finding]:
    text = lock_text({"recipe": locked}) if isinstance(locked, Graph) else locked
    return list(lock_drift(text, {"recipe": now}))


def test_what_is_locked_is_fine() -> None:
    assert drift(SMALL, SMALL) == []


def test_line_ends_of_another_system_make_no_difference() -> None:
    assert drift(lock_text({"recipe": SMALL}).replace("\n", "\r\n"), SMALL) == []


def test_no_lock_is_told() -> None:
    (found,) = drift(None, SMALL)

    assert (found.file, found.line, found.message) == ("wiremap.lock", 1, "There is no wiremap.lock.")
    assert "`wiremap lock`" in found.fix


def test_a_damaged_lock_is_told_with_its_line() -> None:
    (found,) = drift("wiremap.lock 1\n\nnonsense\n", SMALL)

    assert (found.line, found.message) == (3, "The lock can't be used: this line can't be read.")


def test_another_version_is_told() -> None:
    (found,) = drift("wiremap.lock 9\n", SMALL)

    assert found.message == "The lock can't be used: version '9', of another wiremap, can't be read."


def test_a_difference_is_told_in_words() -> None:
    a, b = SMALL.components
    now = Graph((replace(a, parameter_values=("size=16",)), b), (*SMALL.bindings[1:], Binding("A", "new", "B")))

    (found,) = drift(SMALL, now)

    assert (found.file, found.line, found.subjects) == ("wiremap.lock", 5, ("recipe",))
    assert found.message.splitlines() == [
        "What the recipe recipe wires differs from its lock.",
        "~ A.size: 8 -> 16",
        "- [sample] A -> B",
        "+ [new] A -> B",
    ]


def test_a_renaming_is_told_as_such() -> None:
    (found,) = drift(SMALL, SMALL.renamed({"A": "Pool"}))

    assert found.message.splitlines() == [
        "What the recipe recipe wires differs only in ids: nothing is wired otherwise.",
        "A -> Pool renamed",
    ]


def test_a_long_difference_is_cut() -> None:
    now = Graph(tuple(Component(f"part {number}", "Part", "parts") for number in range(100)))

    (found,) = drift(Graph(), now)

    assert found.message.splitlines()[-1] == "… and 60 more"


def test_recipes_that_are_new_and_gone_are_told() -> None:
    found = list(lock_drift(lock_text({"old": SMALL}), {"new": SMALL}))

    assert [one.message for one in found] == [
        "The recipe new is not in the lock.",
        "The lock holds the recipe old, which [tool.wiremap] does not name.",
    ]


def test_a_lock_that_was_edited_by_hand_is_told() -> None:
    (found,) = drift(lock_text({"recipe": SMALL}) + "# mine\n", SMALL)

    assert found.message == "The lock says the same as the code, and not as `wiremap lock` writes it."
