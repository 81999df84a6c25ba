"""The map: the store of traces in `.wiremap/`."""
