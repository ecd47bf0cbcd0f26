"""`litterm search`: options are translated into the query language, so that one parser reads both."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from litterm.cli import cluster
from litterm.cli.parser import ToggleOption, join_words, parse_capped_int
from litterm.cli.search import aspects, record, rerank, rewrites
from litterm.cli.search.ranking_output import show_ranking
from litterm.cli.search.typed_query import parse_typed
from litterm.core.errors import UsageError
from litterm.model.aspects import MAX_SCORED_PAPERS
from litterm.model.search import DEFAULT_RESULTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from litterm.cli.context import Context
    from litterm.engine import Engine
    from litterm.model.search_record import SearchRequest

_ORDERS_OF_FIRST = ("aspects", "sentences")
"""Orders of `--sort` that hold for the first papers of the whole query."""
_FILTER_OPTIONS = (
    ("venue", "ACL", "only this venue, by acronym or slug (may be repeated: any of them)"),
    ("year", "2019..2023", "2021, 2019..2023, ..2022, 2020.. or '>2020'"),
    ("author", "NAME", "only papers of an author with this name"),
    ("type", "TYPE", "article, inproceedings, preprint, book, ..."),
    ("source", "SOURCE", "acl, iclr, pmc, arxiv, ...: the source of the record's id"),
    ("decision", "WORD", "accept, reject, withdrawn, ..."),
    ("cited", "'>50'", "only papers cited that often, by the largest of all counts: '>50', 5..50, 0"),
    ("tag", "TAG", "only papers you gave this tag; also starred, included, excluded, read"),
    ("collection", "NAME", "only papers in this collection of yours, or in one that lies in it"),
)


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the query, its filters and the form of the answer."""
    from litterm.model.search import SortOrder

    parser.add_argument(
        "query",
        nargs="*",
        metavar="QUERY",
        help='words, "exact phrases", -word, venue:acl year:2020.., (a OR b) AND c*; "": the whole library',
    )
    parser.add_argument(
        "-k",
        type=parse_capped_int(10_000),
        metavar="N",
        help=f"number of papers (default {DEFAULT_RESULTS}, or 5 for a question that few papers answer)",
    )
    _declare_interpretation(parser)
    declare_filters(parser)
    parser.add_argument(
        "--sort",
        choices=(*get_args(SortOrder), *_ORDERS_OF_FIRST),
        help="order of the results (default relevance); aspects and sentences order the first "
        f"{MAX_SCORED_PAPERS} by how well they fit each part of the query",
    )
    parser.add_argument("--json", action="store_true", help="JSON on stdout")
    cluster.declare(parser)
    aspects.declare(parser)
    rewrites.declare(parser)
    rerank.declare(parser)
    record.declare(parser)
    group = parser.add_argument_group("with a language model", "`litterm config model` sets one up")
    group.add_argument("--dry-run", action="store_true", help="print the requests without sending them")
    group.add_argument("--yes", action="store_true", help="accept the cost estimate without being asked")


def declare_filters(parser: argparse.ArgumentParser) -> None:
    """Adds the filters of a search as options."""
    for name, example, meaning in _FILTER_OPTIONS:
        parser.add_argument(f"--{name}", action="append", default=[], metavar=example, help=meaning)
    parser.add_argument("--full-text", action="store_true", help="only papers whose full text is in the library")


def _declare_interpretation(parser: argparse.ArgumentParser) -> None:
    """Adds how the query is read, and whether the order is explained."""
    from litterm.model.search import QueryKind

    kinds = [kind for kind in get_args(QueryKind) if kind != "paper"]
    parser.add_argument("--as", dest="kind", choices=kinds, help="how to read the query (default: guessed)")
    parser.add_argument("--like", action="append", default=[], metavar="ID", help="papers like this one")
    parser.add_argument("--unlike", action="append", default=[], metavar="ID", help="no papers like this one")
    parser.add_argument("--in-full-text", action=ToggleOption, help="also search full texts")
    parser.add_argument("--why", action="store_true", help="explain the rank of each paper")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the ranking; returns 0 even if it is empty."""
    from litterm.model.search_record import SearchRequest

    aspects.refuse_contradictions(args)
    rewrites.refuse_contradictions(args)
    record.refuse_contradictions(args, context)
    reranked = rerank.is_wanted(args)
    typed = aspects.typed_query(args)
    full_query = _with_filters(typed, args)
    if not full_query and not args.query:
        listing = '`litterm search ""` lists the whole library'
        raise UsageError(f"give a QUERY, or its aspects; see `litterm search --help`; {listing}")
    context = cluster.apply_cluster_option(args, context)
    engine = context.engine()
    query = parse_typed(full_query, engine, option_values=filter_values(args))
    query = query.with_full_texts(context.settings.full_texts, args.in_full_text)
    query = replace(query, kind=args.kind or query.kind)
    # What is recorded is what is shown: a record must not hold papers that nobody saw.
    args.limited, args.k = args.k is not None or args.record is not None, args.k or DEFAULT_RESULTS
    rewrites.keep_choice(args, engine)
    if args.dry_run and (args.rewrite or args.decompose) and not reranked:
        return (
            rewrites.show_request(query, engine, context)
            if args.rewrite
            else aspects.show_split_request(typed, engine, context)
        )
    rewrite = rewrites.rewrite_of(query, args, engine, context)
    request = SearchRequest(
        query,
        args.k,
        args.sort or ("aspects" if args.mute else "relevance"),
        rewrite,
        hop=rerank.hop_of(args),
        rerank=rerank.options_of(args),
    )
    if reranked:
        return rerank.show_reranked(request, typed, args, context)
    return _show_results(request, typed, args, engine, context)


def _show_results(
    request: SearchRequest, typed: str, args: argparse.Namespace, engine: Engine, context: Context
) -> int:
    """Prints the papers in the local order, with their aspects if the query has several."""
    from litterm.engine.search_records import candidates

    split = aspects.aspects_of(typed, args, engine, context)
    if split is not None:
        request = replace(request, aspects=split, each_aspect=args.each_aspect)
        if args.decompose and not args.each_aspect:
            request = replace(request, rewrite=aspects.queries_of(split, request.rewrite, request.query, engine))
        return aspects.show_by_aspects(request, context.run(candidates(engine, request)), typed, args, context)
    ranking = context.run(candidates(engine, request))
    ranking = engine.counts.with_counts(replace(ranking, papers=ranking.papers[: args.k]))
    # A question that few papers answer gets a few; programs and users of -k get what they ask for.
    if not (args.limited or args.json):
        ranking = replace(ranking, papers=ranking.papers[: ranking.first])
    record.keep(request, ranking, typed, args, context)
    return show_ranking(ranking, typed, args, context)


def filter_values(args: argparse.Namespace) -> set[str]:
    """What the options of filters were given."""
    return {value for name, _example, _meaning in _FILTER_OPTIONS for value in getattr(args, name)}


def with_filters(typed: str, args: argparse.Namespace, more: Iterable[tuple[str, str]] = ()) -> str:
    """The query with the options of `declare_filters`, and then `more`, appended in its own language."""
    from litterm.text.queries.parser import append_filters

    filters = [
        (name, join_words([value])) for name, _example, _meaning in _FILTER_OPTIONS for value in getattr(args, name)
    ]
    return append_filters(typed, [*filters, *[("has", "fulltext")] * args.full_text, *more])


def _with_filters(typed: str, args: argparse.Namespace) -> str:
    """The query with all typed options appended."""
    similar_papers = [("like", key) for key in args.like] + [("-like", key) for key in args.unlike]
    return with_filters(typed, args, [*[("in", "fulltext")] * bool(args.in_full_text), *similar_papers])
