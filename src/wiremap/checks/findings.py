"""What a rule finds: a place, what is wrong there, and how to mend it."""

from dataclasses import dataclass
from typing import Final

LOCK_DRIFT: Final = "lock-drift"
UNREGISTERED: Final = "unregistered-component"
REACHES_INSIDE: Final = "reaches-inside"
UNUSED_ALLOWANCE: Final = "unused-allowance"

RULES: Final = {
    LOCK_DRIFT: "The graphs of the recipes are those in wiremap.lock.",
    UNREGISTERED: "Each class that is written as a component is registered by a recipe.",
    REACHES_INSIDE: "A component reaches another by its cells, and not past them.",
    UNUSED_ALLOWANCE: "Each allowance in the configuration allows something.",
}
"""What holds where a rule finds nothing, by the name of the rule."""

ALLOWABLE: Final = (LOCK_DRIFT, UNREGISTERED, REACHES_INSIDE)


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One breach of a rule.

    Attributes:
        file: Relative to the root, with `/`.
        line: 1-based.
        rule: One of `RULES`.
        message: What is wrong: a sentence, and perhaps lines below it.
        fix: What to do about it.
        subjects: What else than the file an allowance may name: units, components, recipes.
    """

    file: str
    line: int
    rule: str
    message: str
    fix: str
    subjects: tuple[str, ...] = ()
