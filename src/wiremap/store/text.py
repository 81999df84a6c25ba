"""Text as SQLite takes it: a file name that is no Unicode is held as bytes."""


def as_stored(text: str) -> str | bytes:
    """Return *text*, or its bytes where it holds what UTF-8 can't."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def as_text(stored: str | bytes) -> str:
    """Return what `as_stored` was given."""
    return stored if isinstance(stored, str) else stored.decode("utf-8", "surrogatepass")
