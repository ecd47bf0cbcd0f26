"""`litterm search --one-hop` and `--rerank`: the papers one citation away, and the order of a model."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, cast, get_args

from litterm.cli.llm_consent import ask_consent, show_requests
from litterm.cli.parser import Parser, int_between
from litterm.cli.search import record
from litterm.cli.search.ranking_output import lines_below, say_remarks
from litterm.core.errors import ModelError, UsageError
from litterm.render import sent_data

if TYPE_CHECKING:
    from litterm.cli.context import Context
    from litterm.model.search import HopOptions, Ranking, RerankOptions
    from litterm.model.search_record import SearchRequest

SCORE_ORDER = "score"
"""The order of `--one-hop` by one search over seeds and neighbours."""
_DEFAULT_RERANKED = 100
_DEFAULT_RERANKED_WITH_HOP = 200
"""Papers a model is shown by default, without and with one hop, as in the publication."""


class _OptionalValue(argparse.Action):
    """An option whose value may be left out; a word that cannot be its value is the first word of the query."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        """Stores the value, or the default and the word for the query."""
        from litterm.model.citations.graph import HopDirection

        cast(Parser, parser).record_option(self.dest, option_string)
        word = str(values)
        fits = word.isdecimal() if self.dest == "rerank" else word in get_args(HopDirection)
        if not fits:
            namespace.before = [*(namespace.before or []), word]
        setattr(namespace, self.dest, word if fits else self.const)


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the options of both."""
    from litterm.model.search import HopOrder

    group = parser.add_argument_group("a second ranking", "each result says what moved it, and from where")
    group.add_argument(
        "--one-hop",
        action=_OptionalValue,
        nargs="?",
        const="refs",
        metavar="refs|cited|both",
        help="add what the first 50 papers cite (refs), what cites them (cited), or both",
    )
    group.add_argument(
        "--one-hop-order",
        choices=(SCORE_ORDER, *get_args(HopOrder)),
        help="by score (default); each seed followed by its neighbours, as LitSearch has it; or all seeds first",
    )
    group.add_argument(
        "--rerank",
        action=_OptionalValue,
        nargs="?",
        const=str(_DEFAULT_RERANKED),
        metavar="N",
        help=f"let the language model order the first N (default {_DEFAULT_RERANKED}; "
        f"with --one-hop {_DEFAULT_RERANKED_WITH_HOP})",
    )
    group.add_argument(
        "--window",
        type=int_between(2, 1000),
        metavar="N",
        help="papers shown to the model per request (default all; 20 for a local model that cannot read all)",
    )
    group.add_argument(
        "--embeddings", action="store_true", help="order them by the embedding model (model.embedding) instead"
    )
    parser.set_defaults(before=None)


def is_wanted(args: argparse.Namespace) -> bool:
    """Whether a second ranking is wanted; returns words that an option swallowed to the query.

    Raises:
        UsageError: it is combined with an option that excludes it.
    """
    args.query = [*(args.before or []), *args.query]
    if args.window and (not args.rerank or args.embeddings):
        raise UsageError("--window is for --rerank by a language model")
    if args.one_hop_order and not args.one_hop:
        raise UsageError("--one-hop-order is for --one-hop")
    if args.embeddings and not args.rerank:
        raise UsageError("--embeddings is for --rerank")
    if not args.one_hop and not args.rerank:
        return False
    if args.sort not in (None, "relevance"):
        raise UsageError("--one-hop and --rerank have their own order; leave out --sort")
    if args.aspects or args.mute or args.decompose or args.grade:
        raise UsageError("--one-hop and --rerank cannot be combined with aspects")
    if args.rerank and not 2 <= int(args.rerank) <= 1000:
        raise UsageError(f"--rerank {args.rerank}: the model can order 2 to 1000 papers")
    return True


def hop_of(args: argparse.Namespace) -> HopOptions | None:
    """The hop that `--one-hop` asks for."""
    from litterm.model.search import HopOptions

    if not args.one_hop:
        return None
    hop = HopOptions(args.one_hop)
    if args.one_hop_order in (None, SCORE_ORDER):
        return hop
    return replace(hop, order=args.one_hop_order, rescored=False)


def options_of(args: argparse.Namespace) -> RerankOptions | None:
    """How a model is to order the papers, if `--rerank` asks for it."""
    from litterm.model.search import RerankOptions

    if not args.rerank:
        return None
    # The default cannot be distinguished from the same number typed; with a hop both mean the larger one.
    paper_count = (
        _DEFAULT_RERANKED_WITH_HOP if args.one_hop and args.rerank == str(_DEFAULT_RERANKED) else int(args.rerank)
    )
    by: Literal["model", "embeddings"] = "embeddings" if args.embeddings else "model"
    return RerankOptions(paper_count, args.window or 0, by=by)


def show_reranked(request: SearchRequest, typed: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the second ranking; in a dry run only what would be sent."""
    ranking = _rank(request, typed, args, context)
    if ranking is None:
        return 0

    if args.json:
        from litterm.render import json

        context.output.write_json(json.search(ranking, typed=typed))
    else:
        from litterm.render import lines

        context.output.write_lines(
            lines.search(ranking, context.line_options(), below=lines_below(ranking, args, context))
        )
    say_remarks(ranking, args, context)
    return 0


def _rank(request: SearchRequest, typed: str, args: argparse.Namespace, context: Context) -> Ranking | None:
    from litterm.engine.search_records import candidates

    engine = context.engine()
    local, options, asking = context.run(candidates(engine, request)), request.rerank, engine.model_ranking
    if options is None:
        ranking = engine.counts.with_counts(local)
        record.keep(request, ranking, typed, args, context)
        return ranking
    if args.dry_run:
        show_requests(context.run(asking.preview(local, options)), context, more_follow=False)
        return None
    with suppress(ModelError):
        # A model that cannot be asked costs nothing; the ranking says why, and keeps the local order.
        ask_consent(asking.estimate(local, options), args, context, sent_data.RANKING)
    ranked = context.run(asking.rerank(local, options))
    ranking = engine.counts.with_counts(replace(ranked, papers=ranked.papers[: args.k]))
    # Where no model could be asked the local order stands; an embedding model is named behind it.
    ordered_by = "" if ranked.by == local.by else ranked.by.removeprefix(f"{local.by} · ")
    record.keep(request, ranking, typed, args, context, ordered_by=ordered_by, local=local.papers)
    return ranking
