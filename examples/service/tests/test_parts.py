import pytest
from service.app import AccessLog
from service.guards import KeyDoor, Limiter, OpenDoor, StepClock
from service.handlers import Html, PlainText
from service.messages import Request, Response
from service.storage import Cache, MemoryStore, VersionedStore


@pytest.mark.parametrize("store", [MemoryStore, VersionedStore])
def test_a_store_gives_back(store):
    kept = store()
    kept.save("a", "1")
    assert (kept.load("a"), kept.load("b"), kept.names()) == ("1", None, ["a"])


@pytest.mark.parametrize("store", [MemoryStore, VersionedStore])
def test_a_full_store_refuses(store):
    kept = store(1)
    kept.save("a", "1")
    with pytest.raises(OverflowError):
        kept.save("b", "2")


def test_a_cache_forgets_when_told():
    cache = Cache()
    cache.cached("a", str.upper)
    cache.forget("a")
    assert cache.entries == {}


def test_doors():
    request = Request("GET", "/health")
    assert OpenDoor().allows(request)
    assert KeyDoor("k").allows(request)
    assert not KeyDoor("k", ()).allows(request)


def test_a_limiter():
    limiter = Limiter(1)
    assert [limiter.admit(), limiter.admit()] == [True, False]


def test_a_clock():
    clock = StepClock(5, 2)
    assert [clock.now(), clock.now()] == [7, 9]


def test_text():
    assert PlainText().render("a", "b") == "a: b"


def test_html():
    assert Html("b").render("a", "c") == "<h1>a</h1><b>c</b>"


def test_a_log_keeps_the_latest():
    log = AccessLog("> ", 1)
    for path in ("/a", "/b"):
        log.log(Request("GET", path), Response(200))
    assert log.lines == ["> GET /b 200"]
