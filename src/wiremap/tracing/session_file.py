"""What a session tells its child processes: the project, the environment, and where the interpreter lies."""

import os
import sys
from typing import NamedTuple

from wiremap.tracing.journal import line, read_lines
from wiremap.tracing.territory import Territory
from wiremap.tracing.variables import Variables

_NAME = "session"


class Session(NamedTuple):
    """What every process of a session agrees upon."""

    territory: Territory
    variables: Variables


def write_session(folder: str, session: Session) -> None:
    """Write *session* to *folder*."""
    territory, variables = session
    with open(os.path.join(folder, _NAME), "wb") as file:
        file.write(line("root", territory.root))
        file.write(line("prefix", sys.prefix, sys.base_prefix))
        file.write(line("folders", *territory.interpreter_folders))
        file.writelines(line("variable", name, digest) for name, digest in variables.digests.items())
        file.write(line("end"))


def read_session(folder: str) -> Session:
    """Return the session that was written to *folder*.

    Raises:
        OSError: It isn't there.
        ValueError: It is not whole.
    """
    with open(os.path.join(folder, _NAME), "rb") as file:
        (_, root), prefix, folders, *variables, (_end,) = read_lines(file.read())
    # Another environment has other folders.
    known = folders[1:] if prefix[1:] == [sys.prefix, sys.base_prefix] else None
    return Session(Territory(root, known), Variables({name: digest for _, name, digest in variables}))
