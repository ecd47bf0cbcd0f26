"""Pure functions between strings and the dataclasses of `model`."""
