"""What becomes of components and cells where a recipe takes other steps, in words.

Not for deciding: what is told here is read from the steps as they are written. Loops are not looked into, and what
the words leave out may differ, too.
"""

from collections import Counter
from collections.abc import Sequence

from wiremap.source.interactions import Step

_MOST = 3
_DEEPEST = 4  # of what stands in the arguments of a component


def star_changes(before: Sequence[Step], now: Sequence[Step]) -> str:
    """Return which components and cells came, went or were built otherwise between two ways; empty if none is seen."""
    if now and now[-1].what[0] == "another test":
        return ""  # how it goes on is not known
    old, new = _Wiring(before), _Wiring(now)
    gone, came = old.components - new.components, new.components - old.components
    lines = []
    for was in sorted(gone.elements()):
        same_class = [one for one in sorted(came) if one.partition("(")[0] == was.partition("(")[0]]
        if same_class:
            came -= Counter(same_class[:1])
            lines.append(f"the component {was} is {same_class[0]} now")
        else:
            lines.append(f"the component {was} is gone")
    lines += [f"the component {one} is new" for one in sorted(came.elements())]
    lines += [f"the cell {cell} no more" for cell in sorted((old.cells - new.cells).elements())]
    lines += [f"the cell {cell} now" for cell in sorted((new.cells - old.cells).elements())]
    more = [f"{len(lines) - _MOST} more"] if len(lines) > _MOST else []
    return ", ".join([*lines[:_MOST], *more])


class _Wiring:
    """The components and the cells of one way."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self.components: Counter[str] = Counter()
        self.cells: Counter[str] = Counter()
        for number, step in enumerate(steps):
            self._note(number, step)

    def _note(self, number: int, step: Step) -> None:
        match step.what:
            case ("call", called, _, _) if self._is_class(called):
                self.components[self._told(("step", number))] += 1
            case ("call", called, (provider, ("constant", _, cell), consumer), _) if self._method(called) == "register":
                ends = [self._told(one).partition("(")[0] for one in (provider, consumer)]
                self.cells[f"{str(cell)[1:-1]} of {ends[0]} goes to {ends[1]}"] += 1
            case _:
                pass

    def _is_class(self, called: object) -> bool:
        what = self._what(called)
        name = str(what[1]).lstrip("_") if what[:1] == ("global",) else ""
        return name[:1].isupper() and name != "RegistryOrchestrator"

    def _method(self, called: object) -> str:
        what = self._what(called)
        return str(what[2]) if what[:1] == ("attribute",) else ""

    def _what(self, value: object) -> tuple[object, ...]:
        match value:
            case ("step", int(number)) if number < len(self._steps):
                return self._steps[number].what
        return ()

    def _told(self, value: object, depth: int = 0) -> str:
        """Return what *value* is, as one would write it without variables."""
        if depth > _DEEPEST:
            return "…"
        match value:
            case ("constant", _, text):
                return str(text)
            case ("parameter", name):
                return str(name)
            case ("part", int(number), int(place)):
                return self._part(self._what(("step", number)), place, depth)
            case ("step", _):
                return self._of_step(self._what(value), depth + 1)
        return "…"

    def _part(self, unpacked: tuple[object, ...], place: int, depth: int) -> str:
        match unpacked:
            case ("unpack", whole, _):
                match self._what(whole):
                    case ("made", _, tuple(parts)) if place < len(parts):
                        return self._told(parts[place], depth)
        return "…"

    def _of_step(self, what: tuple[object, ...], depth: int) -> str:
        match what:
            case ("global", name):
                return str(name)
            case ("attribute", owner, name):
                return f"{self._told(owner, depth)}.{name}"
            case ("call", called, tuple(given), tuple(named)):
                if self._method(called) == "add" and given:
                    return self._told(given[0], depth)  # it gives back what it was given
                arguments = [self._told(one, depth) for one in given]
                arguments += [f"{name}={self._told(one, depth)}" for name, one in named]
                return f"{self._told(called, depth)}({', '.join(arguments)})"
            case ("made", _, tuple(parts)):
                return f"[{', '.join(self._told(one, depth) for one in parts)}]"
        return "…"
