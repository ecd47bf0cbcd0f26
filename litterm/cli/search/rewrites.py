"""`litterm search --rewrite`: other queries for the same papers, searched with the one that was typed."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING

from litterm.cli.llm_consent import ask_consent, show_requests
from litterm.cli.parser import join_words
from litterm.core.errors import LibraryError, ModelError, UsageError
from litterm.render import sent_data

if TYPE_CHECKING:
    from litterm.cli.context import Context
    from litterm.engine import Engine
    from litterm.model.search import Query, Rewrite


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the options of rewriting."""
    group = parser.add_argument_group("other queries", "searched, too, and fused with your own; each result says which")
    way = group.add_mutually_exclusive_group()
    way.add_argument(
        "--rewrite", action="store_true", help="let the language model write three, from now on in this project"
    )
    way.add_argument("--rewrites", metavar="A || B", help="these queries, without a model")
    way.add_argument("--no-rewrite", action="store_true", help="search the query as it is, from now on in this project")


def refuse_contradictions(args: argparse.Namespace) -> None:
    """Refuses options that exclude each other.

    Raises:
        UsageError: two of them were typed.
    """
    option = "--rewrite" if args.rewrite else "--rewrites"
    if (args.rewrite or args.rewrites is not None) and (args.one_hop or args.sort not in (None, "relevance")):
        raise UsageError(f"{option} fuses rankings by relevance; leave out --sort and --one-hop")


def keep_choice(args: argparse.Namespace, engine: Engine) -> None:
    """Switches rewriting on or off in the project, if one of the options says so."""
    if args.rewrite or args.no_rewrite:
        # A library that cannot be written is searched all the same.
        with suppress(LibraryError):
            engine.annotations.set_rewriting(bool(args.rewrite))


def is_wanted(args: argparse.Namespace, engine: Engine, context: Context) -> bool:
    """Whether the model is to write other queries: because of the option, or because it was once asked for here."""
    if args.rewrite or args.rewrites is not None or args.no_rewrite:
        return bool(args.rewrite)
    # Without a model nothing is looked up, as most searches have none.
    if not context.settings.model.is_set or args.one_hop or args.sort not in (None, "relevance") or args.dry_run:
        return False
    return engine.annotations.is_rewriting


def rewrite_of(query: Query, args: argparse.Namespace, engine: Engine, context: Context) -> Rewrite | None:
    """The other queries to search, by the user or the model; `None`, after a sentence where one was asked for.

    Raises:
        UsageError: `--rewrites` holds no other query.
    """
    if args.rewrites is not None:
        return engine.rewriting.read(join_words([args.rewrites]), query)
    return written_by_model(query, args, engine, context) if is_wanted(args, engine, context) else None


def written_by_model(query: Query, args: argparse.Namespace, engine: Engine, context: Context) -> Rewrite | None:
    """The other queries that the model writes after consent; `None`, after a sentence, where it writes none."""
    # Imported when needed, as most searches are not rewritten.
    from litterm.search.rewrites.rewrites import why_not_rewritten

    if reason := why_not_rewritten(query):
        if args.rewrite:
            context.output.say(reason)
        return None
    try:
        ask_consent(context.run(engine.rewriting.estimate(query)), args, context, sent_data.REWRITES)
        return context.run(engine.rewriting.write(query))
    except (ModelError, UsageError) as error:
        context.output.say(f"Searched as typed, not rewritten: {error}")
        return None


def show_request(query: Query, engine: Engine, context: Context) -> int:
    """Prints the request for other queries."""
    show_requests(context.run(engine.rewriting.preview(query)), context, more_follow=False)
    return 0
