"""The HTTP server. One idea a file; only the command `serve` imports it, since it needs the extra `serve`."""
