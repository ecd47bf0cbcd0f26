"""`litterm ask QUESTION`: sentences of the papers of the library that answer."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from litterm.cli.parser import join_words, parse_capped_int
from litterm.cli.search.search import declare_filters, filter_values, with_filters
from litterm.cli.search.typed_query import parse_typed
from litterm.core.errors import UsageError
from litterm.model.answer import (
    DEFAULT_ANSWER_PAPERS,
    DEFAULT_ANSWER_SENTENCES,
    MAX_ANSWER_PAPERS,
    MAX_ANSWER_SENTENCES,
)

if TYPE_CHECKING:
    from litterm.cli.context import Context

EXIT_SILENT = 5


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the question, the filters of a search and the form of the answer."""
    parser.add_argument(
        "question",
        nargs="*",
        metavar="QUESTION",
        help="a question or a claim; several at once: A? and how B? or A || B; filters work as in search",
    )
    parser.add_argument(
        "-k",
        type=parse_capped_int(MAX_ANSWER_SENTENCES),
        default=DEFAULT_ANSWER_SENTENCES,
        metavar="N",
        help=f"at most this many sentences (default {DEFAULT_ANSWER_SENTENCES})",
    )
    parser.add_argument(
        "--papers",
        type=parse_capped_int(MAX_ANSWER_PAPERS),
        default=DEFAULT_ANSWER_PAPERS,
        metavar="N",
        help=f"papers of the search that are read (default {DEFAULT_ANSWER_PAPERS})",
    )
    declare_filters(parser)
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the sentences; returns 5 where the library does not say."""
    typed = join_words(args.question)
    if not typed:
        raise UsageError("give a QUESTION; see `litterm ask --help`")
    engine = context.engine()
    query = parse_typed(with_filters(typed, args), engine, option_values=filter_values(args))
    query = query.with_full_texts(context.settings.full_texts)
    answer = context.run(engine.ask(query, k=args.k, papers=args.papers))
    from litterm.render import answers

    if args.json:
        context.output.write_json(answers.answer_data(answer))
    elif not answer.silence:
        context.output.write_lines(answers.answer_lines(answer, context.line_options()))
    for notice in answer.notices:
        context.output.say(notice)
    if answer.silence:
        context.output.say(answers.silence_words(answer))
        return EXIT_SILENT
    return 0
