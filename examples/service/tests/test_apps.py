import pytest
from service.messages import Request
from service.recipes import private_app, public_app, reader


def put(app, name, text, **headers):
    return app(Request("PUT", f"/notes/{name}", text, headers))


def get(app, path, **headers):
    return app(Request("GET", path, headers=headers))


@pytest.mark.parametrize("storage", ["memory", "versions"])
def test_a_note_comes_back(storage):
    app, _, _ = public_app(storage=storage)
    assert put(app, "a", "first").status == 201
    assert get(app, "/notes/a").body == "a: first"


def test_a_note_as_html():
    app, _, _ = public_app("html")
    put(app, "a", "first")
    assert get(app, "/notes/a").body == "<h1>a</h1><p>first</p>"


def test_the_list_as_html():
    app, _, _ = public_app("html")
    assert get(app, "/notes").body == "<h1>notes</h1><p></p>"


@pytest.mark.parametrize("storage", ["memory", "versions"])
def test_three_notes_are_enough(storage):
    app, store, _ = public_app(storage=storage)
    assert [put(app, name, "").status for name in "abcd"] == [201, 201, 201, 507]
    assert store.names() == ["a", "b", "c"]


def test_two_versions_are_kept():
    app, store, _ = public_app(storage="versions")
    for text in ("1", "2", "3"):
        put(app, "a", text)
    assert store.history("a") == ["2", "3"]


def test_a_missing_note():
    app, _, _ = public_app()
    assert (get(app, "/notes/x").status, get(app, "/notes/x").body) == (404, "missing: x")


def test_health_tells_version_and_time():
    app, _, _ = public_app()
    assert [get(app, "/health").body for _ in range(2)] == ["ok 1.4 at 1", "ok 1.4 at 2"]


def test_too_many_requests():
    app, _, _ = public_app()
    assert [get(app, "/notes").status for _ in range(9)].count(429) == 1


def test_an_unknown_path():
    app, _, log = public_app()
    assert get(app, "/none").status == 404
    assert log.lines == ["GET /none 404"]


def test_a_stranger_is_refused():
    app, _, log = private_app()
    assert get(app, "/notes").status == 401
    assert log.lines == ["private GET /notes 401"]


def test_who_has_the_key_may_read():
    app, _, _ = private_app("abc")
    assert get(app, "/notes", key="abc").body == "notes: "


def test_health_is_open():
    app, _, _ = private_app()
    assert get(app, "/health").body == "ok private at 15"


def test_a_strict_door_is_shut():
    app, _, _ = private_app(strict=True)
    assert get(app, "/health").status == 401


def test_a_strict_app_admits_two():
    app, _, _ = private_app("k", strict=True)
    assert [get(app, "/notes", key="k").status for _ in range(3)] == [200, 200, 429]


def test_private_notes_have_three_versions():
    app, store, _ = private_app("k")
    for text in "1234":
        put(app, "a", text, key="k")
    assert store.history("a") == ["2", "3", "4"]


def test_a_private_log_is_short():
    app, _, log = private_app()
    for _ in range(7):
        get(app, "/health")
    assert len(log.lines) == 5


def test_what_was_read_is_cached():
    front, cache = reader(2, [("a", "1")])
    assert [front.read("a"), front.read("a")] == ["1", "1"]
    assert cache.hits == 1


def test_a_small_cache_forgets():
    front, cache = reader(1, [("a", "1"), ("b", "2")])
    assert [front.read(name) for name in "aba"] == ["1", "2", "1"]
    assert cache.hits == 0
