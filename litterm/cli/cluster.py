"""The option `--cluster` of commands that a Ray cluster makes faster."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from litterm.cli.context import Context


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the address of a cluster."""
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="work on a Ray cluster: auto for that of this machine, HOST:6379, or ray://HOST:10001",
    )


def apply_cluster_option(args: argparse.Namespace, context: Context) -> Context:
    """`context` with the cluster that was typed.

    Raises:
        UsageError: the library of a server is used, which has its own machines.
    """
    if args.cluster is None:
        return context
    if context.settings.server:
        raise UsageError("--cluster works on a library of this machine; leave out --server.")
    if not args.cluster.strip():
        raise UsageError("--cluster wants an address: auto, HOST:6379 or ray://HOST:10001.")
    return replace(context, settings=replace(context.settings, cluster=args.cluster.strip()))
