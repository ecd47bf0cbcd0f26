"""`litterm first TOPIC`: where a topic comes from."""

from __future__ import annotations

import argparse

from litterm.cli.context import Context
from litterm.cli.parser import at_most, text_of
from litterm.cli.search.search import pointed
from litterm.core.errors import QueryError, UsageError


def declare(_verb: str, parser: argparse.ArgumentParser) -> None:
    """Adds the topic and the form of the answer."""
    parser.add_argument("topic", nargs="+", metavar="TOPIC", help="a topic; filters work as in search")
    parser.add_argument("-k", type=at_most(100), default=10, metavar="N", help="number of papers shown (default 10)")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(_verb: str, args: argparse.Namespace, context: Context) -> int:
    """The papers it began with, as far as the library tells; none is no failure."""
    typed = text_of(args.topic)
    engine = context.engine()
    try:
        query = engine.parse(typed)
    except QueryError as error:
        raise UsageError(pointed(error, typed)) from error
    firsts = context.drive(engine.first(query, k=args.k))
    from litterm.render import first_papers

    if args.json:
        context.output.json(first_papers.first_data(firsts, typed=typed))
    else:
        context.output.lines(first_papers.first_lines(firsts, context.look()))
    for notice in firsts.notices:
        context.output.say(notice)
    if not firsts.papers:
        context.output.say("No paper in the library is about that.")
    return 0
