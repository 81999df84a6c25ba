"""Environment variables, as they were before the project's code began to run."""

import os
from _blake2 import blake2b  # `hashlib` loads OpenSSL, which each child process would wait for
from collections.abc import Mapping

from wiremap.tracing.observation import Observation

# Variables that the shell, the terminal and the test runner change by themselves.
VOLATILE = frozenset(
    {
        "_", "COLUMNS", "LINES", "OLDPWD", "PWD", "SHLVL", "TERM", "COLORTERM", "WINDOWID", "NO_COLOR",
        "FORCE_COLOR", "CLICOLOR", "PY_COLORS", "SSH_AUTH_SOCK", "SSH_CLIENT", "SSH_CONNECTION", "SSH_TTY",
    }
)  # fmt: skip
_VOLATILE_PREFIX = "PYTEST_"

# Bound at import: a test may put another mapping in its place.
_environ = os.environ

ALL = "*"
"""Stands for the names of all variables, for who goes through them."""


class Variables:
    """The variables that the session was started with; values are told as digests, since they may be secrets.

    A child process reads its own environment, and is judged by that of the session: what differs is the work of who
    started it.
    """

    def __init__(self, digests: Mapping[str, str] | None = None) -> None:
        """Take the environment of now, or one of which the *digests* were taken elsewhere."""
        self._at_start = dict(os.environ) if digests is None else {}
        self.digests = dict(digests or {name: _digest(value) for name, value in self._at_start.items()})
        self.digests.setdefault(ALL, _digest(_names(self._at_start)))

    @property
    def at_start(self) -> dict[str, str]:
        """All of them, with their values."""
        return dict(self._at_start)

    def digest(self, name: str) -> str | None:
        """Return a digest of the value that *name* had at the start, or None when it was not set."""
        return self.digests.get(name)

    def value(self, name: str) -> str | None:
        """Return the value that *name* had at the start of this process."""
        return self._at_start.get(name)

    def note_names_read(self, seen: Observation) -> None:
        """Note in *seen* that the names of all variables are gone through."""
        seen.variables[ALL] = self.digest(ALL)

    def note_read(self, name: str, seen: Observation) -> None:
        """Note in *seen* that *name* is read now.

        A value that the process has set itself is the work of its code, on which the test rests already.
        """
        if _is_volatile(name) or name in seen.variables:
            return
        now = value_now(name)
        if (None if now is None else _digest(now)) == self.digest(name):
            seen.variables[name] = self.digest(name)


def _digest(value: str) -> str:
    return blake2b(value.encode(errors="surrogateescape"), digest_size=8).hexdigest()


def _names(variables: Mapping[str, str]) -> str:
    return " ".join(sorted(name for name in variables if not _is_volatile(name)))


def _is_volatile(name: str) -> bool:
    return name in VOLATILE or name.startswith(_VOLATILE_PREFIX)


def value_now(name: str) -> str | None:
    """Return the value that *name* has now, without reading it as the program does."""
    # The raw mapping, as bytes on POSIX: reading `os.environ` itself would be seen as another read.
    raw = _environ._data.get(_environ.encodekey(name))  # type: ignore[attr-defined]  # noqa: SLF001 - see above
    return None if raw is None else str(_environ.decodevalue(raw))
