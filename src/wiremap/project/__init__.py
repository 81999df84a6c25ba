"""The project on disk: its files, sources, settings and environment."""
