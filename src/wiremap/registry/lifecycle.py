"""The life of components: started in dependency order, closed in reverse, each once.

A component takes part by defining ``__post_wire__``, which starts it, ``__pre_close__``, which ends it, or
both: in its class as a rule, as a function in a module that is a component, or on the instance. While either runs,
everything that the component is handed is started and not yet closed.
"""

import weakref
from collections.abc import Callable, Container, Iterable, Mapping
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any, Final

from wiremap.errors import AsyncHookError
from wiremap.registry.attributes import instance_dict, is_class
from wiremap.registry.cell_table import wiring_lock
from wiremap.registry.declarations import Declarations
from wiremap.registry.state_cell import bound, defined_by
from wiremap.registry.weak_table import WeakTable, is_weakly_referable

START_HOOK = "__post_wire__"
CLOSE_HOOK = "__pre_close__"
_NOT_RUN_YET: Final = (CoroutineType, GeneratorType, AsyncGeneratorType)

# Orchestrators may share components, and each is started by one. A component that can't be referenced weakly
# is forgotten, and started by each.
_running: WeakTable[bool] = WeakTable()


class Lifecycle:
    """What one orchestrator has started, and the lifecycles of those that were finalized inside its components.

    It keeps no component alive that can be referenced weakly: it is found through the components themselves.

    Attributes:
        is_adopted: Whether another lifecycle will close this one.
    """

    def __init__(self) -> None:
        self._order: tuple[str, ...] = ()
        self._started: dict[str, Callable[[], object | None]] = {}
        self._inside: dict[str, list[Lifecycle]] = {}
        self.is_adopted = False

    def start(self, order: Iterable[str], components: Mapping[str, object], unfinished: Container[object]) -> None:
        """Start all *components*, but those that are *unfinished* or that another orchestrator has started.

        If a hook raises, nothing stays started: what had been is left to ``close``, which the caller must call.
        """
        self._order = tuple(order)
        for component_id in self._order:
            component = components[component_id]
            if not has_hooks(component) or component in unfinished or not _claimed(component):
                continue
            try:
                _call(component, START_HOOK, component_id)
            except BaseException:
                _running.discard(component)
                raise
            self._started[component_id] = _reference(component)

    def adopt(self, inside: Iterable[tuple[str, "Lifecycle"]]) -> None:
        """Close those lifecycles together with this one, each right after the component with the id before it.

        One that is adopted already stays where it is.
        """
        for owner, lifecycle in inside:
            if not lifecycle.is_adopted:
                lifecycle.is_adopted = True
                self._inside.setdefault(owner, []).append(lifecycle)
        self._order = tuple(dict.fromkeys((*self._order, *self._inside)))

    def close(self) -> list[BaseException]:
        """Close what was started, consumers first and an owner before its inside; return what was raised.

        A second time there is nothing left to close.
        """
        errors: list[BaseException] = []
        for component_id in reversed(self._order):
            if reference := self._started.pop(component_id, None):
                errors.extend(_close(component_id, reference()))
            for lifecycle in reversed(self._inside.pop(component_id, [])):
                errors.extend(lifecycle.close())
        return errors

    def fail(self, error: BaseException) -> None:
        """Close what was started because *error* was raised, and note on it what that raised in turn.

        An interrupt while closing is no note: it is raised, where *error* is none itself.
        """
        failures = self.close()
        for failure in failures:
            _cut_off(failure, error)
        if isinstance(error, Exception) and not all(isinstance(failure, Exception) for failure in failures):
            raise_together(failures)
        _note(error, "When what had been started was closed again", failures)


def has_hooks(component: object) -> bool:
    """Tell whether *component* is to be started or closed."""
    return any(_hook(component, name) is not None for name in (START_HOOK, CLOSE_HOOK))


def raise_together(errors: list[BaseException]) -> None:
    """Raise what was raised while closing: all as one group, or alone what is no ``Exception``.

    An interrupt in a group would not be seen as one by whoever waits for it; so it has the others in its notes.
    """
    for error in errors:
        if not isinstance(error, Exception):
            _note(error, "When the others were closed", [other for other in errors if other is not error])
            raise error
    if errors:
        raise BaseExceptionGroup("Components could not be closed; all others were", errors)


def _close(component_id: str, component: object | None) -> list[BaseException]:
    if component is None:
        return []  # gone, and its cells with it
    _running.discard(component)
    try:
        _call(component, CLOSE_HOOK, component_id)
    except BaseException as error:  # noqa: BLE001 -- the others are closed first, then it is raised
        return [error]
    return []


def _claimed(component: object) -> bool:
    """Note that *component* runs, unless it does already.

    Before its hook is called: that may finalize an orchestrator of its own, with this component in it.
    """
    with wiring_lock:
        is_free = not _running.get(component)
        if is_free:
            _running.put(component, value=True)
    return is_free


def _call(component: object, name: str, component_id: str) -> None:
    hook = _hook(component, name)
    try:
        if hook is not None:
            _check_has_run(hook(), type(component), name)
    except Exception as error:
        error.add_note(f"while {name} of the component {component_id!r} ran")
        raise


def _check_has_run(result: object, cls: type, hook: str) -> None:
    if isinstance(result, _NOT_RUN_YET):
        if isinstance(result, CoroutineType):
            result.close()  # else Python would tell of it, too
        raise AsyncHookError(cls.__name__, hook, Declarations().of_name(cls, hook))


def _hook(component: object, name: str) -> Any:
    """Return the hook that *component* keeps itself, as a module does, or that of its class; None if there is none."""
    cls = type(component)
    stored = {} if is_class(component) else instance_dict(component)  # what a class keeps is for its instances
    if name in stored:
        return stored[name]
    return bound(next((defined for _, defined in defined_by(cls.__mro__, name)), None), component, cls)


def _note(error: BaseException, occasion: str, failures: Iterable[BaseException]) -> None:
    from traceback import format_exception  # noqa: PLC0415 -- keeps `import wiremap` cheap

    for failure in failures:
        error.add_note(f"{occasion}:\n{''.join(format_exception(failure))}")


def _cut_off(failure: BaseException, error: BaseException) -> None:
    """Let *failure* not lead back to *error*: its text would then have all notes of that in it, each time twice."""
    while failure.__context__ is not None and failure.__context__ is not error:
        failure = failure.__context__
    failure.__context__ = None


def _reference(component: object) -> Callable[[], object | None]:
    return weakref.ref(component) if is_weakly_referable(component) else lambda: component
