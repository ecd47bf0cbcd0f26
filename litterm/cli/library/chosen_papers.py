"""The papers that a command is for: named, read from stdin, or found by a query."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.library.show import PAPER_HELP
from litterm.cli.parser import join_words, parse_capped_int
from litterm.cli.search.ranking_output import say_what_was_found
from litterm.cli.search.typed_query import parse_typed
from litterm.core.errors import UsageError
from litterm.model.search import DEFAULT_RESULTS

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.paper import PaperId

_MAX_PAPERS = 10_000


def declare_papers(parser: argparse.ArgumentParser) -> None:
    """Adds PAPER..., `--query` and `-k`."""
    parser.add_argument("papers", nargs="*", metavar="PAPER", help=f"{PAPER_HELP}; - reads ids from stdin, one a line")
    parser.add_argument("--query", metavar="QUERY", help="the papers that this query finds, best first")
    parser.add_argument(
        "-k",
        type=parse_capped_int(_MAX_PAPERS),
        metavar="N",
        help=f"with --query: number of papers (default {DEFAULT_RESULTS})",
    )


def refuse_lone_k(args: argparse.Namespace) -> None:
    """Refuses `-k` without a query.

    Raises:
        UsageError: it is there.
    """
    if args.k is not None and args.query is None:
        raise UsageError("-k belongs to --query")


def read_keys(words: Sequence[str]) -> list[str]:
    """The ids and keys typed; for `-` those on stdin, one a line."""
    keys: list[str] = []
    for word in words:
        typed = sys.stdin.read().splitlines() if word == "-" and sys.stdin is not None else [word]
        keys += [join_words([line]) for line in typed if line.strip()]
    return keys


def found_ids(args: argparse.Namespace, engine: Engine, context: Context, *, more: str) -> list[PaperId]:
    """The papers that the query finds, best first; `more` says on stderr what `-k` does if there are more.

    Raises:
        UsageError: the query cannot be parsed.
    """
    query = parse_typed(join_words([args.query]), engine)
    ranking = context.run(engine.search(query, k=args.k or DEFAULT_RESULTS))
    say_what_was_found(ranking, context, more=more)
    return [item.paper.id for item in ranking.papers]
