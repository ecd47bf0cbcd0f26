"""`litterm bench NAME`: measurements, which are in the package `litterm_benchmarks`."""

from __future__ import annotations

import argparse

from litterm.cli.context import Context
from litterm.core.errors import UsageError

MISSING = "The benchmarks are not installed; they are part of litterm: install it again."


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Adds the options of `bench`, if the benchmarks are installed."""
    try:
        from litterm_benchmarks import command
    except ModuleNotFoundError as error:
        # A missing dependency of the benchmarks is a different error, which names itself.
        if error.name != "litterm_benchmarks":
            raise
        # Accepts any arguments, so that `run` can say what to install before argparse rejects an option.
        parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
        return
    command.declare(name, parser)


def run(name: str, args: argparse.Namespace, context: Context) -> int:
    """Runs a benchmark and returns its exit status."""
    try:
        from litterm_benchmarks import command
    except ModuleNotFoundError as error:
        if error.name != "litterm_benchmarks":
            raise
        raise UsageError(MISSING) from error
    return command.run(name, args, context)
