"""The source model: files of Python text as units with fingerprints, and module names as paths."""
