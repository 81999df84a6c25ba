"""The command line: parses arguments, drives an engine, prints. Nothing here computes."""
