"""The decoders that the engine can run, one file each."""
