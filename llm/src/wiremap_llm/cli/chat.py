"""`chat`: a conversation on the terminal. Its history is kept and sent again with each message."""

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from types import FrameType

from wiremap_llm.cli.opening import add_model_flags, open_engine
from wiremap_llm.cli.output import say, write
from wiremap_llm.cli.sampling import DEFAULTS, add_sampling_flags, sampling_params
from wiremap_llm.engine_interface import Engine
from wiremap_llm.errors import EngineError, NoChatTemplateError, NoTokenizerError
from wiremap_llm.request import SamplingParams

_DEFAULTS = {**DEFAULTS, "max_tokens": 512}
_NO_FLAGS = ("n", "logprobs")  # a conversation goes on from one answer
_HELP = "/reset forgets the conversation, /help tells this; Ctrl-C ends an answer, Ctrl-D the program"


def configure(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser("chat", help="talk with a model on the terminal", epilog=_HELP)
    parser.add_argument("--system", metavar="TEXT", help="what the model is told before the conversation")
    add_model_flags(parser)
    add_sampling_flags(parser, _DEFAULTS, leave_out=_NO_FLAGS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Talk until the input ends."""
    params = sampling_params(options, _DEFAULTS, leave_out=_NO_FLAGS)
    chat = Chat(open_engine(options), params, options.system)
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if is_terminal:
        say(_HELP)
        if find_spec("readline"):
            import readline  # noqa: F401, PLC0415 - importing it gives input() its line editing
    for line in _lines("> " if is_terminal else ""):
        try:
            chat.take(line)
        except KeyboardInterrupt:  # before or after the answer itself
            write("\n")
    return 0


def _lines(prompt: str) -> Iterator[str]:
    """Yield what the user writes, until the end of input. Ctrl-C discards a line."""
    while True:
        try:
            line = input(prompt)
        except KeyboardInterrupt:
            write("\n")
            say("Ctrl-D ends the program")
            continue
        except EOFError:
            if prompt:
                write("\n")
            return
        if line.strip():
            yield line


class Chat:
    """One conversation, and what a line of the user's does to it."""

    def __init__(self, engine: Engine, params: SamplingParams, system: str | None = None) -> None:
        if engine.tokenizer is None:
            raise NoTokenizerError("tokenizer")
        if engine.tokenizer.chat_template is None:
            raise NoChatTemplateError
        self._engine = engine
        self._tokenizer = engine.tokenizer
        self._params = params
        self._start = [] if system is None else [{"role": "system", "content": system}]
        self.messages = list(self._start)

    def take(self, line: str) -> None:
        """Answer a message, or obey a command. What goes wrong is told, and the conversation is as before."""
        command = line.strip()
        if command == "/reset":
            self.messages = list(self._start)
            say("the conversation is forgotten")
        elif command == "/help":
            say(_HELP)
        elif command.startswith("/") and " " not in command:
            say(f"there is no command {command}; {_HELP}")
        else:
            self._answer({"role": "user", "content": line})

    def _answer(self, message: dict[str, str]) -> None:
        asked = [*self.messages, message]
        try:
            prompt = self._tokenizer.encode_chat(asked)
            text = self._generate(prompt)
        except EngineError as error:
            say(f"{error} The message was not taken; /reset forgets the conversation.")
            return
        self.messages = [*asked, {"role": "assistant", "content": text}]

    def _generate(self, prompt: list[int]) -> str:
        """Print the answer as it grows, and return as much of it as was printed."""
        text, end = "", None
        with _interrupts() as interrupts, closing(self._engine.stream(prompt, self._params)) as outputs:
            for end in outputs:
                text += end.text
                write(end.text)
                if interrupts:
                    break
            write("\n")
        if end is not None and end.error is not None:
            say(f"the answer ends here: {end.error}")
        elif end is not None and end.finish_reason == "length":
            say("the answer is cut off: it reached --max-tokens, or the model's longest text")
        return text


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Collect Ctrl-C instead of raising: an exception in the middle of a step could leave the engine in pieces."""
    seen: list[int] = []

    def note(signal_number: int, _frame: FrameType | None) -> None:
        seen.append(signal_number)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)
