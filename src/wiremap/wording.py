"""Words that sentences of every layer have in common."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return ``1 binding`` or ``2 bindings``; *plural* where that is more than the noun and an s."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"
