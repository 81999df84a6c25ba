"""`serve`: an HTTP server that OpenAI's clients can talk to."""

import argparse
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from wiremap_llm.cli.opening import add_model_flags, open_engine
from wiremap_llm.cli.output import say
from wiremap_llm.errors import InputError, MissingExtraError

_NEEDED = ("starlette", "uvicorn")


def configure(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser("serve", help="answer OpenAI's clients over HTTP")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1: this machine only)")
    parser.add_argument("--port", type=int, default=8000, metavar="INT", help="the port; 0 takes a free one (8000)")
    parser.add_argument("--served-model-name", metavar="NAME", help="what clients call the model (default: its file)")
    parser.add_argument(
        "--max-queue",
        type=int,
        default=64,
        metavar="INT",
        help="completions that may wait beyond --max-num-seqs; further requests get 429 (64)",
    )
    parser.add_argument(
        "--stop-timeout",
        type=float,
        default=30.0,
        metavar="SECONDS",
        help="how long running requests may go on after SIGTERM (30)",
    )
    add_model_flags(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until SIGTERM or Ctrl-C."""
    _refuse_what_cannot_serve(options)
    from wiremap_llm.server.app import Server  # noqa: PLC0415 - needs the extra
    from wiremap_llm.server.running import HttpServer, listen  # noqa: PLC0415 - the same

    with listen(options.host, options.port) as listener:
        name = options.served_model_name or _name_of(options.model)
        server = Server(open_engine(options), name, max_queue=options.max_queue)
        host, port = listener.getsockname()[:2]
        say(f"serving {name} at http://{host if ':' not in host else f'[{host}]'}:{port}/v1")
        with _quiet_signals():
            HttpServer(server, stop_timeout_seconds=options.stop_timeout).run(sockets=[listener])
    say("stopped")
    return 0


def _name_of(model: str) -> str:
    path = Path(model)
    return path.stem if path.suffix == ".gguf" else path.resolve().name


def _refuse_what_cannot_serve(options: argparse.Namespace) -> None:
    absent = [name for name in _NEEDED if find_spec(name) is None]
    if absent:
        raise MissingExtraError("serve", absent)
    if not 0 <= options.port < 2**16:
        raise InputError(f"--port {options.port} is no port: they go from 0 to 65535")
    if options.max_queue < 0:
        raise InputError(f"--max-queue {options.max_queue} is below 0")
    if not 0 <= options.stop_timeout < float("inf"):
        raise InputError(f"--stop-timeout {options.stop_timeout} is no number of seconds from 0 up")


@contextmanager
def _quiet_signals() -> Iterator[None]:
    """Let the signals that stop the server end here: uvicorn raises them again when it has stopped."""
    kinds = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(kind, lambda *_: None) for kind in kinds]
    try:
        yield
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)
