"""Records through plugins: one source, some stages, one sink, wired by recipes."""
