"""The option `--cluster` of commands that a Ray cluster makes faster."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from litterm.cli.context import Context


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the option `--cluster`."""
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="use a Ray cluster: auto (the one this machine belongs to), HOST:6379, or ray://HOST:10001",
    )


def apply_cluster_option(args: argparse.Namespace, context: Context) -> Context:
    """Applies the option `--cluster` to the settings of `context`.

    Raises:
        UsageError: the address is empty, or the library is that of a server.
    """
    if args.cluster is None:
        return context
    if context.settings.server:
        raise UsageError("--cluster needs a library on this machine; leave out --server.")
    if not args.cluster.strip():
        raise UsageError("--cluster needs an address: auto, HOST:6379 or ray://HOST:10001.")
    return replace(context, settings=replace(context.settings, cluster=args.cluster.strip()))
