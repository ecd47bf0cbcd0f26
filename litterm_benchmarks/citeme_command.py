"""`litterm bench citeme`: offline over the user's own library, and with the language model once they agree."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.core.errors import UsageError
from litterm_benchmarks.retrieval_command import only

if TYPE_CHECKING:
    from litterm_benchmarks.report import BenchReport


def run_citeme(paths: Sequence[Path], args: argparse.Namespace, context: Context) -> BenchReport:
    """The report; methods that ask the model are estimated first."""
    from litterm.cli.llm_consent import ask_consent
    from litterm.library.segments.library import DuckLibrary
    from litterm_benchmarks import citeme
    from litterm_benchmarks.library_records import read_holdings

    if args.until is not None or args.corpus or args.full_texts or args.scale is not None:
        raise UsageError("bench citeme asks your own library to each citing year: only --method and --yes are for it")
    path = only(paths, args)
    engine = context.engine()
    for use in filter(None, citeme.uses(args.method).values()):
        ask_consent(citeme.estimated(path, engine, use), args, context, cheaper="without --method agent none is made")
    holdings = context.drive(read_holdings(DuckLibrary(context.settings.library)))
    titles = (title for title, _ in holdings.texts)
    return context.drive(citeme.measure(path, engine, titles, methods=args.method))
