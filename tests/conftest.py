"""Settings that all tests share. Nothing here may import torch: the tests of wiremap run without it."""

from hypothesis import settings

# The first call of a slow library takes a second, which no deadline should count; and a failure that comes
# back on every machine is worth more than one more random example.
settings.register_profile("shared", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("shared")
