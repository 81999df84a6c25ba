"""What changed of a fact, in words that name it: `click 8.1.7 -> 8.1.8`, `pytest option --strict-markers`."""

import json

from wiremap.selection.environment import LOOSE
from wiremap.selection.facts import ABSENT, DATA, DISTRIBUTION, ENVIRONMENT, LIBRARY, VARIABLE, Fact
from wiremap.tracing.variables import ALL
from wiremap.tracing.watched_calls import ALL_DISTRIBUTIONS, ENTRY_POINTS

_SETS = {
    ALL_DISTRIBUTIONS: "the set of installed distributions, or what is in them,",
    ENTRY_POINTS: "the entry points of installed distributions",
}
_ARROW = "->"
_COMMAND_LINE = ("pytest option", "pytest options, all")


def is_of_environment(fact: Fact) -> bool:
    """Tell whether *fact* is about something outside of the project, or declared for all tests."""
    return fact.kind in (DATA, DISTRIBUTION, ENVIRONMENT, LIBRARY, VARIABLE)


def difference(fact: Fact, now: str) -> str:
    """Return in one sentence what differs from *fact*, which is about the environment or declared data."""
    what = _what(fact, now)
    return what if _ARROW in what else f"{what} changed"


def _what(fact: Fact, now: str) -> str:
    if fact.kind == DISTRIBUTION:
        return _distribution(fact, now)
    if fact.kind == VARIABLE:
        return "the set of environment variables" if fact.key == ALL else f"variable {fact.key}"
    return _setting(fact, now) if fact.kind == ENVIRONMENT else f"{fact.kind} {fact.key}"


def _distribution(fact: Fact, now: str) -> str:
    if fact.key in _SETS:
        return _SETS[fact.key]
    if fact.key.startswith(LOOSE):
        return f"{fact.key}, which belongs to no distribution"
    before, after = (value.partition(" ")[0] if value != ABSENT else "none" for value in (fact.value, now))
    return f"{fact.key} {before} {_ARROW} {after}" if before != after else f"files of {fact.key} {after}"


def _setting(fact: Fact, now: str) -> str:
    before, after = _by_name(fact.value), _by_name(now)
    if before is None or after is None:
        return _text(fact, now)
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    if fact.key in _COMMAND_LINE:
        return f"pytest option {', '.join('--' + name.replace('_', '-') for name in names)}"
    return f"{fact.key.removesuffix(' of native code')} {', '.join(names)}"


def _text(fact: Fact, now: str) -> str:
    """Return the change of a value that is told as it is."""
    before, after = (value.removeprefix("CPython ") for value in (fact.value, now))
    return f"{fact.key} {before or 'none'} {_ARROW} {after or 'none'}"


def _by_name(value: str) -> dict[str, str] | None:
    try:
        found = json.loads(value)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
