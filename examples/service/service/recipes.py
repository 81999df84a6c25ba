"""The services that there are."""

from service.app import AccessLog, App
from service.guards import KeyDoor, Limiter, OpenDoor, StepClock
from service.handlers import HealthHandler, Html, ListHandler, NoteHandler, PlainText
from service.storage import Cache, MemoryStore, VersionedStore
from wiremap import RegistryOrchestrator, recipe

VERSION = "1.4"


@recipe
def public_app(page="text", storage="memory"):
    orch = RegistryOrchestrator()
    app = orch.add(App("public"))
    notes, names, health = orch.add(NoteHandler()), orch.add(ListHandler()), orch.add(HealthHandler(VERSION))
    if storage == "memory":
        store = orch.add(MemoryStore(3))
    else:
        store = orch.add(VersionedStore(3, 2))
    door = orch.add(OpenDoor())
    limiter = orch.add(Limiter(8))
    clock = orch.add(StepClock(0, 1))
    log = orch.add(AccessLog("", 20))
    if page == "html":
        page_writer = orch.add(Html("p"))
        orch.register(page_writer, "render", notes)
        orch.register(page_writer, "render", names)
    else:
        page_writer = orch.add(PlainText())
        for handler in (notes, names):
            orch.register(page_writer, "render", handler)
    orch.register(store, "load", notes)
    orch.register(store, "save", notes)
    orch.register(store, "names", names)
    orch.register(clock, "now", health)
    orch.register(door, "allows", app)
    orch.register(limiter, "admit", app)
    orch.register(notes, "handle_note", app)
    orch.register(names, "handle_list", app)
    orch.register(health, "handle_health", app)
    orch.register(log, "log", app)
    orch.finalize()
    return app, store, log


@recipe
def private_app(key="k", *, strict=False):
    orch = RegistryOrchestrator()
    app = orch.add(App("private"))
    notes, names, health = orch.add(NoteHandler()), orch.add(ListHandler()), orch.add(HealthHandler("private"))
    store = orch.add(VersionedStore(5, 3))
    if strict:
        door = orch.add(KeyDoor(key, ()))
        limiter = orch.add(Limiter(2))
    else:
        door = orch.add(KeyDoor(key))
        limiter = orch.add(Limiter(50))
    clock = orch.add(StepClock(10, 5))
    log = orch.add(AccessLog("private ", 5))
    writer = orch.add(PlainText())
    orch.register(writer, "render", notes)
    orch.register(writer, "render", names)
    orch.register(store, "load", notes)
    orch.register(store, "save", notes)
    orch.register(store, "names", names)
    orch.register(clock, "now", health)
    orch.register(door, "allows", app)
    orch.register(limiter, "admit", app)
    orch.register(notes, "handle_note", app)
    orch.register(names, "handle_list", app)
    orch.register(health, "handle_health", app)
    orch.register(log, "log", app)
    orch.finalize()
    return app, store, log


class Reader:
    def __init__(self, depth=1):
        self.depth = depth

    def read(self, name):
        return self.cached(name, self.load)


@recipe
def reader(size=2, notes=()):
    orch = RegistryOrchestrator()
    store = orch.add(MemoryStore(20))
    front = orch.add(Reader(1))
    cache = orch.add(Cache(size))
    for name, text in notes:
        store.save(name, text)
    orch.register(store, "load", front)
    orch.register(cache, "cached", front)
    orch.finalize()
    return front, cache
