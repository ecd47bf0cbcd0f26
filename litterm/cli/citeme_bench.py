"""`litterm bench citeme`: offline over the user's own library, and with the language model once they agree."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.retrieval_benches import only
from litterm.errors import UsageError

if TYPE_CHECKING:
    from litterm.bench.report import Report


def run_citeme(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> Report:
    """The report; methods that ask the model are estimated first."""
    from litterm.bench import citeme
    from litterm.bench.holdings import read_holdings
    from litterm.cli.judging import agree
    from litterm.store.library import DuckLibrary

    if args.until is not None or args.corpus or args.full_texts or args.scale is not None:
        raise UsageError("bench citeme asks your own library to each citing year: only --method and --yes are for it")
    path = only(paths, args)
    engine = context.engine()
    for use in filter(None, citeme.uses(args.method).values()):
        agree(citeme.estimated(path, engine, use), args, context, less="without --method agent none is made")
    holdings = context.drive(read_holdings(DuckLibrary(context.settings.library)))
    titles = (title for title, _ in holdings.texts)
    return context.drive(citeme.measure(path, engine, titles, methods=args.method))
