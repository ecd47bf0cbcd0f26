"""`python -m litterm`."""

from litterm.cli.main import entry

entry()
