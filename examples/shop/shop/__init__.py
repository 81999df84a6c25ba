"""A small shop: the example of the README."""
