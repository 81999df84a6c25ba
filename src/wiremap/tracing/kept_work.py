"""Work that outlives the test that did it: what ran when a cache or a lazy value was filled.

A test that finds a cache full does not execute what filled it. So for each function that may fill something
(see `wiremap.source.lasting_state`) everything that happens during its calls is kept, for each object that
keeps what it fills. A later context that calls the function for the same object rests on that too.
"""

import contextlib
import weakref
from collections.abc import Iterable
from types import CodeType

from wiremap.source.keepers import PROCESS, Keepers
from wiremap.tracing.observation import Observation

# So many calls in one context that brought nothing new cost a tenth of a second; further ones are not looked into.
_IDLE_CALLS = 10_000
_MANY_OWNERS = 1000


class Kept:
    """What happened in all calls of one function for one keeper.

    Attributes:
        number: The `id` of the function. Asking for one is an audit event, and there may be very many calls.
        code: The function.
        context: The number of the context in which the first of them began.
        work: Everything that happened.
    """

    __slots__ = ("code", "context", "number", "work")

    def __init__(self, number: int, code: CodeType, context: int) -> None:
        self.number = number
        self.code = code
        self.context = context
        self.work = Observation()


class FillerCall:
    """A call of a filler that is looked into, or several, one after the other, for the same keepers and in one place.

    Those that repeat what an earlier one did, and they may be very many, then cost no more than to see that.

    Attributes:
        works: What is kept for whom it may fill something.
        around: What was seen in the place where it happens.
        seen: What was seen in it.
        size: How large that was when `works` and `around` last took it in.
        key: What tells its keepers and place.
        number: The `id` of the function.
    """

    __slots__ = ("around", "key", "number", "seen", "size", "works")

    def __init__(self, works: list[Kept], around: Observation) -> None:
        self.works = works
        self.around = around
        self.key: tuple[Observation | Kept, ...] = (around, *works)
        self.number = works[0].number
        self.seen = Observation()
        self.size = 0


class KeptWork:
    """All kept work of a process."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int], Kept] = {}
        self._owners: dict[tuple[int, int], weakref.ref[object]] = {}
        self._many_owners = _MANY_OWNERS
        self._context = 0
        self._unwatched: set[int] = set()
        self._unseen: dict[int, Kept] = {}
        self.most_idle = _IDLE_CALLS
        """So many calls of a function that brought nothing are looked into in one context."""
        self.idle: dict[int, int] = {}
        """How many there were, by `id` of the function."""
        self.ended: dict[tuple[Observation | Kept, ...], FillerCall] = {}
        """Calls of this context that may begin again, by their `key`."""

    def begin_context(self) -> None:
        """Begin a context: a test, a fixture, an import. What is kept from before was done by others."""
        self._context += 1
        if len(self._owners) > self._many_owners:
            self._forget_dead()
            self._many_owners = max(_MANY_OWNERS, 2 * len(self._owners))
        self.idle.clear()
        self._unwatched.clear()
        self._unseen.clear()
        self.ended.clear()

    def of(self, code: CodeType, keepers: Keepers, arguments: tuple[object, ...]) -> list[Kept]:
        """Return what is kept of *code* for each object that a call with *arguments* fills; begin it if need be."""
        number = id(code)
        owners = [None if place == PROCESS or place >= len(arguments) else arguments[place] for place in keepers]
        # What a class keeps is found by way of those that derive from it, too.
        return [self._of_owner(number, code, None if isinstance(owner, type) else owner) for owner in owners]

    def _of_owner(self, number: int, code: CodeType, owner: object) -> Kept:
        key = (number, id(owner) if owner is not None else 0)
        kept = self._kept.get(key)
        reference = self._owners.get(key)
        # The object that this was kept for may have died, and another have got its id.
        if kept is None or (reference is not None and reference() is not owner):
            kept = self._kept[key] = Kept(number, code, self._context)
            # A memoised function is not called again, so who finds its answer did not execute it either.
            kept.work.codes[number] = code
            self._owners.pop(key, None)
            # One that can't be referred to weakly stays: a later object of its id then rests on too much, no harm.
            if owner is not None:
                with contextlib.suppress(TypeError):
                    self._owners[key] = weakref.ref(owner)
        return kept

    def is_from_before(self, kept: Kept) -> bool:
        """Tell whether *kept* was begun by an earlier context than the one of now."""
        return kept.context < self._context

    def is_watched(self, kept: Kept) -> bool:
        """Tell whether calls of the function are still looked into in this context."""
        return kept.number not in self._unwatched

    def pass_by(self, kept: Kept) -> None:
        """Hear that a call is not looked into: all that happens in this context may happen in that one."""
        self._unseen[id(kept)] = kept

    def begin_call(self, works: list[Kept], around: Observation) -> FillerCall:
        """Begin to look into a call that may fill what *works* are kept for, in the place of *around*."""
        # One that is open, by recursion or in another thread, is not among the ended ones.
        return self.ended.pop((around, *works), None) or FillerCall(works, around)

    def end_call(self, call: FillerCall, around: Observation) -> None:
        """Keep what happened in a call; it happened in the place of *around* too."""
        size = call.seen.size()
        is_repetition = size == call.size and around is call.around
        if not is_repetition:
            around.absorb(call.seen)
        for kept in call.works:
            if not is_repetition and kept.work.absorb(call.seen):
                self.idle[kept.number] = 0
            else:
                self._note_idle(kept.number)
        if around is call.around:
            call.size = size
            self.ended[call.key] = call

    def _note_idle(self, number: int) -> None:
        idle = self.idle[number] = self.idle.get(number, 0) + 1
        if idle > self.most_idle:
            self._unwatched.add(number)

    def add_unseen(self, observations: Iterable[Observation]) -> None:
        """Keep what happened in this context for all whose calls were passed by in it."""
        for kept in self._unseen.values():
            for seen in observations:
                kept.work.absorb(seen)

    def all(self) -> list[Kept]:
        """Return everything that is kept for objects that live."""
        self._forget_dead()
        return list(self._kept.values())

    def _forget_dead(self) -> None:
        # Looked for now and then instead of being told by each: a callback would run in the middle of a test.
        for key in [key for key, reference in self._owners.items() if reference() is None]:
            del self._owners[key], self._kept[key]
