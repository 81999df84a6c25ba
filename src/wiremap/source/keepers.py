"""Who keeps what a function fills, so that it may find its work done the next time."""

Keepers = tuple[int, ...]
"""Positions of the function's parameters, and `PROCESS` for what all calls share."""
PROCESS = -1
