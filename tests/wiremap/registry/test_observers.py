import threading

from tests.wiremap.registry.parts import Engine
from wiremap import Graph, RegistryOrchestrator, subscribe


def _orchestrator() -> RegistryOrchestrator:
    orch = RegistryOrchestrator()
    orch.add(Engine())
    return orch


def test_compile_and_finalize_tell_their_graph_once() -> None:
    seen: list[Graph] = []
    unsubscribe = subscribe(seen.append)
    orch = _orchestrator()

    compiled = orch.compile()
    finalized = orch.finalize()
    unsubscribe()
    _orchestrator().compile()

    assert len(seen) == 2
    assert seen[0] is compiled
    assert seen[1] is finalized


def test_the_same_callback_may_listen_twice_and_leave_once() -> None:
    seen: list[Graph] = []
    first, second = subscribe(seen.append), subscribe(seen.append)

    first()
    first()
    _orchestrator().compile()
    second()

    assert len(seen) == 1


def test_an_observer_may_leave_while_it_is_told() -> None:
    seen: list[Graph] = []

    def once(graph: Graph) -> None:
        seen.append(graph)
        unsubscribe()

    unsubscribe = subscribe(once)
    _orchestrator().compile()
    _orchestrator().compile()

    assert len(seen) == 1


def test_observers_may_come_and_go_in_many_threads() -> None:
    def come_and_go() -> None:
        for _ in range(200):
            subscribe(lambda _: None)()

    seen: list[Graph] = []
    unsubscribe = subscribe(seen.append)
    threads = [threading.Thread(target=come_and_go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _orchestrator().compile()
    unsubscribe()

    assert len(seen) == 1
