"""Which classes are components, and what contains what."""

import pytest

from tests.wiremap.inference.code_bases import cells, graph_of, holds

POOL = """
class Pool:
    def take(self): ...
    def step(self): ...
"""


def test_a_class_that_is_only_read_is_data() -> None:
    graph = graph_of("""
        class Config:
            size = 3
        class App:
            def __init__(self, config: Config):
                self.config = config
            def run(self):
                return self.config.size
    """)

    assert graph.components == ()


def test_state_is_read_from_what_hands_over_a_method_too() -> None:
    graph = graph_of("""
        class Pool:
            def __init__(self):
                self.num_free = 3
            def take(self): ...
        class App:
            def __init__(self):
                self.pool = Pool()
            def run(self):
                self.pool.take()
        class Monitor:
            def __init__(self, pool: Pool):
                self.pool = pool
            def show(self):
                return self.pool.num_free
    """)

    assert cells(graph) == {"Pool.take() > App", "Pool.num_free > Monitor"}
    assert graph.component("Pool").provides == ("num_free", "take")


@pytest.mark.parametrize(
    "queue",
    [
        "self.waiting: list[Request] = []",
        "self.waiting: 'deque[Request]' = deque()",
        "self.waiting = []",
    ],
)
def test_what_is_made_and_queued_while_the_program_runs_is_data(queue: str) -> None:
    graph = graph_of(f"""
        from collections import deque
        class Request:
            def finish(self): ...
        class Scheduler:
            def __init__(self):
                {queue}
            def add(self, request: Request):
                self.waiting.append(request)
            def step(self):
                for request in self.waiting:
                    request.finish()
        class Engine:
            def __init__(self):
                self.scheduler = Scheduler()
            def generate(self):
                request = Request()
                self.scheduler.add(request)
    """)

    assert cells(graph) == {"Scheduler.add() > Engine"}


def test_what_is_added_to_a_list_from_outside_is_a_part() -> None:
    graph = graph_of("""
        class Plugin:
            def start(self): ...
        class App:
            def __init__(self):
                self.plugins: list[Plugin] = []
            def register(self, plugin: Plugin):
                self.plugins.append(plugin)
            def run(self):
                for plugin in self.plugins:
                    plugin.start()
    """)

    assert cells(graph) == {"Plugin.start() > App"}
    assert holds(graph) == {"App holds Plugin"}


def test_a_list_that_a_method_of_the_constructor_fills_holds_parts() -> None:
    graph = graph_of("""
        class Layer:
            def forward(self): ...
        class Model:
            def __init__(self):
                self.layers = []
                self._build()
            def _build(self):
                for _ in range(3):
                    self.layers.append(Layer())
            def run(self):
                for layer in self.layers:
                    layer.forward()
    """)

    assert cells(graph) == {"Layer.forward() > Model"}
    assert holds(graph) == {"Model holds Layer"}


@pytest.mark.parametrize(
    ("decorator", "bases"),
    [
        ("", "Enum"),
        ("", "ValueError"),
        ("", "lib.SomeError"),
        ("", "NamedTuple"),
        ("@dataclass(frozen=True)", ""),
    ],
)
def test_values_are_no_components(decorator: str, bases: str) -> None:
    graph = graph_of(f"""
        import lib
        from dataclasses import dataclass
        from enum import Enum
        from typing import NamedTuple
        {decorator}
        class Value({bases}):
            size: int
            def double(self): ...
        class App:
            def __init__(self, value: Value):
                self.value = value
            def run(self):
                self.value.double()
    """)

    assert graph.components == ()


def test_a_frozen_record_that_holds_a_part_is_a_component() -> None:
    graph = graph_of(
        POOL
        + """
from dataclasses import dataclass

@dataclass(frozen=True)
class App:
    pool: Pool
    def run(self):
        self.pool.take()

class Main:
    def __init__(self, app: App):
        self.app = app
    def run(self):
        self.app.run()
"""
    )

    assert cells(graph) == {"Pool.take() > App", "App.run() > Main"}


def test_a_part_that_is_never_called_is_contained_if_it_does_something() -> None:
    app = """
class Watchdog:
    def watch(self): ...
class Options:
    size = 3
class App:
    def __init__(self):
        self.pool = Pool()
        self.watchdog = Watchdog()
        self.options = Options()
    def run(self):
        self.pool.take()
"""

    assert holds(graph_of(POOL + app)) == {"App holds Pool", "App holds Watchdog"}


def test_all_who_keep_a_part_contain_it() -> None:
    graph = graph_of(
        POOL
        + """
class Worker:
    def __init__(self, pool: Pool):
        self.pool = pool
    def run(self):
        self.pool.take()
class App:
    def __init__(self):
        self.pool = Pool()
        self.worker = Worker(self.pool)
    def run(self):
        self.worker.run()
"""
    )

    assert holds(graph) == {"Worker holds Pool", "App holds Pool", "App holds Worker"}


def test_a_part_that_knows_its_owner_does_not_contain_it() -> None:
    graph = graph_of("""
        class Worker:
            def __init__(self, app: "App"):
                self.app = app
            def run(self):
                self.app.report()
        class App:
            def __init__(self):
                self.worker = Worker(self)
            def run(self):
                self.worker.run()
            def report(self): ...
    """)

    assert cells(graph) == {"Worker.run() > App", "App.report() > Worker"}
    assert holds(graph) == {"App holds Worker"}


@pytest.mark.parametrize(("first", "second"), [("Http", "Smtp"), ("Smtp", "Http"), ("Zttp", "Smtp")])
def test_who_shares_a_container_that_starts_empty_contains_nothing_of_what_it_is_filled_with(
    first: str, second: str
) -> None:
    graph = graph_of(f"""
        class State:
            def __init__(self):
                self.connections: set[{first} | {second}] = set()
        class {first}:
            def __init__(self, state: State):
                self.connections = state.connections
            def made(self):
                self.connections.add(self)
            def shutdown(self): ...
        class {second}:
            def __init__(self, state: State):
                self.connections = state.connections
            def made(self):
                self.connections.add(self)
            def shutdown(self): ...
        class Server:
            def __init__(self):
                self.state = State()
            def stop(self):
                for connection in self.state.connections:
                    connection.shutdown()
    """)

    assert cells(graph) == {f"{first}.shutdown() > Server", f"{second}.shutdown() > Server"}
    assert holds(graph) == set()


@pytest.mark.parametrize(("left", "right"), [("Left", "Right"), ("Zeft", "Right")])
def test_of_a_circle_of_equals_no_edge_is_kept(left: str, right: str) -> None:
    graph = graph_of(f"""
        class {left}:
            def __init__(self, peer: "{right}"):
                self.peer = peer
            def ask(self):
                self.peer.ask()
        class {right}:
            def __init__(self, peer: {left}):
                self.peer = peer
            def ask(self):
                self.peer.ask()
        class App:
            def __init__(self, left: {left}):
                self.left = left
            def run(self):
                self.left.ask()
    """)

    assert holds(graph) == {f"App holds {left}"}


def test_what_somebody_keeps_for_itself_is_a_component_though_others_are_made_in_calls_and_handed_on() -> None:
    graph = graph_of("""
        class Headers:
            def get(self, name): ...
        class Request:
            def __init__(self):
                self.headers = Headers()
            def read(self):
                return self.headers.get("Content-Length")
        class Client:
            def __init__(self):
                self.headers = Headers()
            def merged(self):
                return Headers()
            def build(self):
                return Request()
    """)

    assert cells(graph) == {"Headers.get() > Request"}
    assert holds(graph) == {"Client holds Headers", "Request holds Headers"}


def test_what_a_lasting_part_makes_later_is_its_part_and_does_not_contain_it() -> None:
    graph = graph_of("""
        class Engine:
            def __init__(self, crawler: "Crawler"):
                self.crawler = crawler
            def start(self):
                self.crawler.report()
        class Crawler:
            def make(self):
                return Engine(self)
            def crawl(self):
                self.engine = self.make()
                self.engine.start()
            def report(self): ...
        class Extension:
            def __init__(self, crawler: Crawler):
                self.crawler = crawler
            def run(self):
                self.crawler.report()
        class Process:
            def start(self):
                return Crawler()
    """)

    assert holds(graph) == {"Crawler holds Engine", "Extension holds Crawler"}


def test_what_one_has_made_by_a_factory_is_its_part_though_both_know_the_owner() -> None:
    graph = graph_of("""
        from abc import ABC
        def build(factory, crawler):
            if hasattr(factory, "from_crawler"):
                made = factory.from_crawler(crawler)
            else:
                made = factory(crawler)
            return made
        class Manager(ABC):
            def __init__(self, crawler: "Crawler"):
                self.crawler = crawler
            def run(self):
                self.crawler.report()
        class Pipelines(Manager):
            pass
        class Extensions(Manager):
            pass
        class Scraper:
            def __init__(self, crawler: "Crawler"):
                self.crawler = crawler
                self.pipelines: Pipelines = build(Pipelines, crawler)
            def scrape(self):
                self.pipelines.run()
                self.crawler.report()
        class Crawler:
            def __init__(self):
                self.scraper = Scraper(self)
                self.extensions: Extensions = build(Extensions, self)
            def crawl(self):
                self.scraper.scrape()
                self.extensions.run()
            def report(self): ...
    """)

    assert holds(graph) == {"Crawler holds Scraper", "Crawler holds Extensions", "Scraper holds Pipelines"}


def test_an_inherited_method_counts_for_the_heir_and_an_abstract_base_stands_back() -> None:
    graph = graph_of(
        POOL
        + """
class QueueMixin:
    def __init__(self):
        self.pool = Pool()
    def receive(self):
        self.pool.take()
class Scheduler(QueueMixin):
    def step(self):
        self.pool.step()
"""
    )

    assert cells(graph) == {"Pool.take() > Scheduler", "Pool.step() > Scheduler"}
    assert holds(graph) == {"Scheduler holds Pool"}


def test_a_base_that_is_used_itself_stays_beside_its_heir() -> None:
    graph = graph_of(
        POOL
        + """
class Engine:
    def __init__(self):
        self.pool = Pool()
    def run(self):
        self.pool.take()
class FastEngine(Engine):
    def __init__(self):
        super().__init__()
        self.pool.step()
"""
    )

    assert cells(graph) == {"Pool.take() > Engine", "Pool.take() > FastEngine", "Pool.step() > FastEngine"}


def test_a_method_of_a_base_uses_what_its_heir_holds() -> None:
    graph = graph_of(
        POOL
        + """
from abc import ABC
class Base(ABC):
    def run(self):
        self.pool.take()
class Engine(Base):
    def __init__(self):
        self.pool = Pool()
    def start(self):
        self.pool.step()
"""
    )

    assert cells(graph) == {"Pool.take() > Engine", "Pool.step() > Engine"}


def test_classes_that_share_name_and_module_are_numbered() -> None:
    graph = graph_of("""
        import sys
        class Pool:
            def take(self): ...
        if sys.platform == "win32":
            class App:
                def __init__(self):
                    self.pool = Pool()
                def run(self):
                    self.pool.take()
        else:
            class App:
                def __init__(self):
                    self.pool = Pool()
                def start(self):
                    self.pool.take()
    """)

    assert graph.ids == ("Pool", "app.App", "app.App#2")


def test_a_nested_class_has_a_qualified_name() -> None:
    graph = graph_of("""
        class App:
            class Pool:
                def take(self): ...
            def __init__(self):
                self.pool = self.Pool()
            def run(self):
                self.pool.take()
    """)

    assert cells(graph) == {"App.Pool.take() > App"}


KEPT_AND_PASSED = """
    class Auth:
        def sign(self, request): ...
    class Basic(Auth):
        def sign(self, request): ...
    class Client:
        def __init__(self, auth: Auth | None):
            self._auth = auth if auth is not None else Basic()
        def choose(self):
            return self._auth
        def send(self, request):
            self._send(request, self.choose())
        def _send(self, request, auth{annotation}):
            self._sign(request, auth)
        def _sign(self, request, auth{annotation}):
            auth.sign(request)
"""


@pytest.mark.parametrize(
    ("annotation", "found"),
    [
        (": Auth", {"Auth.sign() > Client"}),
        ("", {"Auth.sign() > Client", "Basic.sign() > Client"}),
    ],
)
def test_who_is_passed_a_kept_object_by_its_own_method_uses_what_is_kept(annotation: str, found: set[str]) -> None:
    assert cells(graph_of(KEPT_AND_PASSED.replace("{annotation}", annotation))) == found


def test_what_is_kept_after_it_was_passed_on_is_no_part() -> None:
    graph = graph_of("""
        class Request:
            def body(self): ...
        class Pool:
            def take(self): ...
        class Worker:
            def __init__(self):
                self.pool = Pool()
                self.current = None
                self.last = None
            def run(self):
                self.pool.take()
                self.current = Request()
                self._keep(self.current)
                handle(self.current)
            def _keep(self, request):
                self.last = request
                self.last.body()
        def handle(request): ...
    """)

    assert "Worker holds Pool" in holds(graph)


def test_a_cell_that_another_distribution_defines_is_a_method_for_all_if_one_calls_it() -> None:
    graph = graph_of("""
        from elsewhere import Base

        class Pool(Base):
            def take(self): ...
        class One:
            def __init__(self, pool: Pool):
                self.pool = pool
            def run(self):
                self.pool.take()
                self.pool.apply()
        class Two:
            def __init__(self, pool: Pool):
                self.pool = pool
            def run(self):
                return self.pool.apply, self.pool.size
    """)

    assert cells(graph) == {
        "Pool.take() > One", "Pool.apply() > One", "Pool.apply() > Two", "Pool.size > Two",
    }  # fmt: skip


def test_descriptors_are_no_components() -> None:
    graph = graph_of("""
        class Item:
            def __init__(self, key):
                self.key = key
            def __get__(self, owner, cls):
                return owner.read(self.key)
            def path(self): ...
        class Pool:
            def take(self): ...
        class Engine:
            size = Item("size")
            def __init__(self):
                self.pool = Pool()
            def run(self):
                return self.pool.take(), self.size
    """)

    assert graph.ids == ("Engine", "Pool")


def test_who_keeps_a_component_and_calls_it_is_one_though_it_is_made_in_a_call_and_handed_on() -> None:
    graph = graph_of("""
        class Connection:
            def __init__(self): self.protocol = Protocol()
            def send(self): self.protocol.write()
        class Protocol:
            def write(self): ...
        class Tunnel:
            def __init__(self): self.connection = Connection()
            def send(self): self.connection.send()
        class Pool:
            def open(self, through_tunnel):
                return Tunnel() if through_tunnel else Connection()
    """)

    assert cells(graph) == {"Protocol.write() > Connection", "Connection.send() > Tunnel"}
