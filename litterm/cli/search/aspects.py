"""`litterm search --aspects`: a query in several parts, each with a score of its own."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.cli.llm_consent import ask_consent, show_requests
from litterm.cli.parser import int_between, join_words
from litterm.cli.search import record
from litterm.cli.search.ranking_output import lines_below, say_remarks
from litterm.core.errors import ModelError, Stopped, UsageError
from litterm.render import sent_data
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.cli.context import Context
    from litterm.engine import Engine
    from litterm.model.agreement import AgreementMark
    from litterm.model.aspects import AspectCoverage, AspectQuery, AspectRanking, AspectScores
    from litterm.model.search import Query, RankedPaper, Ranking, Rewrite
    from litterm.model.search_record import SearchRequest

_MAX_ASPECTS = 9
_MAX_UNSPLIT_CHARS = 60
"""Characters; a query up to this length has no room for several parts, and is not even looked at."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the options of aspects."""
    group = parser.add_argument_group(
        "aspects", "a query with several parts, separated by ||, or a long one, gets a score for each part"
    )
    group.add_argument("--aspects", metavar="A || B", help="the aspects; `*2` after one sets its weight")
    group.add_argument("--no-aspects", action="store_true", help="treat it as one query, however long it is")
    group.add_argument(
        "--mute",
        action="append",
        type=int_between(1, _MAX_ASPECTS),
        default=[],
        metavar="N",
        help="leave aspect N out of the score, and order by aspects (may be repeated)",
    )
    group.add_argument(
        "--each-aspect",
        action="store_true",
        help="search each aspect by itself instead of the whole query, and merge the rankings",
    )
    group.add_argument("--decompose", action="store_true", help="let the language model split the query into aspects")
    group.add_argument(
        "--grade",
        action="store_true",
        help="let it grade the results with 0, 1 or 2 for each aspect, and order them by grade",
    )
    group.add_argument("--grounds", action="store_true", help="show the model's reason and sentence below each paper")


def refuse_contradictions(args: argparse.Namespace) -> None:
    """Refuses options that exclude each other.

    Raises:
        UsageError: two of them were typed.
    """
    if args.no_aspects and (args.aspects or args.mute or args.decompose or args.grade or args.each_aspect):
        raise UsageError(
            "--no-aspects cannot be combined with --aspects, --mute, --decompose, --grade or --each-aspect"
        )
    if args.each_aspect and args.sort not in (None, "relevance", "aspects"):
        raise UsageError("--each-aspect merges rankings by relevance; leave out --sort")
    if args.each_aspect and (args.rewrite or args.rewrites is not None):
        raise UsageError("--each-aspect searches the aspects alone; leave out --rewrite and --rewrites")
    if args.aspects and args.decompose:
        raise UsageError("--aspects names the aspects, --decompose lets a model name them; use one of them")


def typed_query(args: argparse.Namespace) -> str:
    """The query typed, or without one all the aspects together."""
    typed = join_words(args.query)
    return typed or join_words([args.aspects or ""])


def aspects_of(typed: str, args: argparse.Namespace, engine: Engine, context: Context) -> AspectQuery | None:
    """The aspects named or found in the query, with `--mute` applied; `None` where the query is not split.

    Raises:
        UsageError: fewer aspects than were asked for.
    """
    by_aspects = args.grade or args.mute or args.each_aspect or args.sort == "aspects"
    required = args.aspects or args.decompose or by_aspects
    if args.no_aspects or not (required or len(typed) > _MAX_UNSPLIT_CHARS or "||" in typed or "\n" in typed):
        return None
    if args.aspects:
        query = engine.aspects.read(join_words([args.aspects]).replace("\n", "||").split("||"))
    elif args.decompose:
        query = _decompose(typed, args, engine, context)
    else:
        query = engine.aspects.split(typed, long=bool(by_aspects))
    if not query.aspects and by_aspects:
        raise UsageError("this query has no aspects; separate them with || or name them with --aspects")
    if args.mute and max(args.mute) > len(query.aspects):
        raise UsageError(f"--mute {max(args.mute)}: there are {len(query.aspects)} aspects")
    muted = (replace(aspect, muted=number in args.mute) for number, aspect in enumerate(query.aspects, 1))
    return replace(query, aspects=tuple(muted)) if query.aspects else None


def queries_of(split: AspectQuery, rewrite: Rewrite | None, query: Query, engine: Engine) -> Rewrite | None:
    """The queries to search with `query`: those of `rewrite`, and the aspects, each a query of its own."""
    if not split.is_by_model:
        return rewrite
    queries = (*(rewrite.queries if rewrite else ()), *(aspect.text for aspect in split.active))
    by = rewrite.by if rewrite and rewrite.by else split.by
    with suppress(UsageError):
        return replace(engine.rewriting.read(queries, query), by=by)
    return rewrite


def _decompose(typed: str, args: argparse.Namespace, engine: Engine, context: Context) -> AspectQuery:
    with suppress(ModelError):
        # A model that cannot be asked costs nothing; `decompose` says why, and splits the query without it.
        ask_consent(context.run(engine.aspects.estimate_split(typed)), args, context, sent_data.ASPECTS)
    return context.run(engine.aspects.decompose(typed))


def show_split_request(typed: str, engine: Engine, context: Context) -> int:
    """Prints the request that would split the query; later requests depend on its reply."""
    show_requests(context.run(engine.aspects.preview_split(typed)), context, more_follow=True)
    return 0


def show_by_aspects(
    request: SearchRequest, ranking: Ranking, typed: str, args: argparse.Namespace, context: Context
) -> int:
    """Prints the first papers with the aspects of `request`; in a dry run only what would be sent.

    Raises:
        UsageError: it has none.
    """
    engine, query = context.engine(), request.aspects
    if query is None:
        raise UsageError("this query has no aspects; separate them with || or name them with --aspects")
    if args.grade and args.dry_run:
        papers = [result.paper for result in _order(query, ranking, args, engine, context)[0][: args.k]]
        show_requests(context.run(engine.aspects.preview(query, papers)), context, more_follow=False)
        return 0

    local, scores = _order(query, ranking, args, engine, context)
    covered = _rank_by_aspects(query, replace(ranking, papers=local), scores, args, engine, context)
    is_graded = _sorts_by_grades(covered.scores, args) or (_sorts_by_aspects(args) and bool(covered.scores.graded_by))
    ordered_by = covered.scores.graded_by if is_graded else ""
    record.keep(request, covered.ranking, typed, args, context, ordered_by=ordered_by, local=local[: args.k])
    if args.json:
        from litterm.render import aspects, json

        body = json.search(covered.ranking, typed=typed_query(args))
        context.output.write_json(aspects.search_data(body, covered, _mark_of(covered, engine)))
    else:
        from litterm.render import aspects

        explanations = lines_below(covered.ranking, args, context)
        context.output.write_lines(
            aspects.lines(covered, context.line_options(), grounds=args.grounds, reasons=explanations)
        )
    _say_aspects(covered, args, context)
    if covered.scores.graded_by:
        from litterm.render.agreement import mark_words

        context.output.say(f"Grades by {covered.scores.graded_by}: {mark_words(_mark_of(covered, engine))}.")
    return 0


def _mark_of(covered: AspectRanking, engine: Engine) -> AgreementMark:
    """What is known of the agreement of the model that graded, with people."""
    from litterm.model.agreement import AgreementMark

    return engine.agreement.mark("aspects", covered.scores.graded_by) if covered.scores.graded_by else AgreementMark()


def _order(
    query: AspectQuery, ranking: Ranking, args: argparse.Namespace, engine: Engine, context: Context
) -> tuple[tuple[RankedPaper, ...], AspectScores]:
    """The papers in the order of `--sort`, and their scores for each aspect."""
    ids = [result.paper.id for result in ranking.papers]
    scores = context.run(engine.aspects.score(query, ids))
    if not _sorts_by_aspects(args):
        return ranking.papers, scores
    return _reorder(ranking.papers, engine.aspects.rank_by_coverage(query, scores, ids)), scores


def _rank_by_aspects(
    query: AspectQuery,
    ranking: Ranking,
    scores: AspectScores,
    args: argparse.Namespace,
    engine: Engine,
    context: Context,
) -> AspectRanking:
    """The first papers of `ranking`, which is in the local order, in that of their grades if they are graded."""
    from litterm.model.aspects import AspectRanking

    aspects = engine.aspects
    top_papers = ranking.papers[: args.k]
    ids, papers = [result.paper.id for result in top_papers], [result.paper for result in top_papers]
    if args.grade and top_papers:
        which = (
            "the papers that cover the aspects best, not the first of the whole query"
            if _sorts_by_aspects(args)
            else "the first papers of the whole query"
        )
        grades = count_phrase(aspects.max_grades(query, papers), "grade")
        context.output.say(f"At most {grades}, for {count_phrase(len(papers), 'paper')}: {which}.")
        with suppress(ModelError):
            ask_consent(
                context.run(aspects.estimate(query, papers)),
                args,
                context,
                sent_data.ASPECTS,
                cheaper="a smaller -k needs fewer",
            )
        try:
            scores = context.run(aspects.grade(query, papers, scores))
        except (Stopped, SystemExit):
            context.output.say("Every grade so far is saved; run the same command to continue.")
            raise
        if _sorts_by_aspects(args):
            top_papers = _reorder(top_papers, aspects.rank_by_coverage(query, scores, ids))
        elif _sorts_by_grades(scores, args):
            # Nothing but the grade: papers with equal ones, and those with none, keep the order of the whole query.
            covered = aspects.coverage(query, scores, ids)
            top_papers = _reorder(
                top_papers, sorted(covered, key=lambda row: -1 if row.average is None else row.average, reverse=True)
            )
        ids = [result.paper.id for result in top_papers]
    counted_ranking = engine.counts.with_counts(replace(ranking, papers=top_papers))
    return AspectRanking(query, scores, aspects.coverage(query, scores, ids), counted_ranking)


def _sorts_by_aspects(args: argparse.Namespace) -> bool:
    return bool(args.sort == "aspects" or (args.mute and args.sort is None))


def _sorts_by_grades(scores: AspectScores, args: argparse.Namespace) -> bool:
    # Where the model gave no grade, the order of the whole query stands.
    return bool(args.grade and args.sort is None and scores.graded_by)


def _reorder(papers: Sequence[RankedPaper], order: Sequence[AspectCoverage]) -> tuple[RankedPaper, ...]:
    by_id = {result.paper.id: result for result in papers}
    return tuple(replace(by_id[row.paper_id], rank=rank) for rank, row in enumerate(order, 1))


def _say_aspects(covered: AspectRanking, args: argparse.Namespace, context: Context) -> None:
    """Says on stderr how the query was split, how the papers are ordered, and what the model could not do."""
    from litterm.model.aspects import MAX_SCORED_PAPERS
    from litterm.render.aspects import split_words

    query, say = covered.query, context.output.say
    by_user = args.aspects or args.decompose
    override = "" if by_user else "; --no-aspects reads it as one"
    say(f"{count_phrase(len(query.aspects), 'aspect')}, split {split_words(query)}{override}.")
    if _sorts_by_aspects(args):
        considered = min(MAX_SCORED_PAPERS, covered.ranking.found)
        say(f"In the order of the aspects, among the first {considered:,} of the whole query.")
    elif _sorts_by_grades(covered.scores, args):
        say("In the order of the grades.")
    for notice in covered.scores.notices:
        say(notice)
    say_remarks(covered.ranking, args, context)
