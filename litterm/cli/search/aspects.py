"""`litterm search --aspects`: a query in several parts, each with a score of its own."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.cli.evidence.llm import agree, show
from litterm.cli.parser import count, text_of
from litterm.cli.search.ranking_output import reasons, tell
from litterm.core.errors import ModelError, Stopped, UsageError
from litterm.text.plural import counted

if TYPE_CHECKING:
    from litterm.cli.context import Context
    from litterm.engine import Engine
    from litterm.model.aspects import AspectCoverage, AspectQuery, AspectRanking, AspectScores
    from litterm.model.search import RankedPaper, Ranking

_MOST_ASPECTS = 9
_SHORT = 60
"""Characters in which no query long enough to be split has room; such a query is not even looked at."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds what is said of aspects."""
    group = parser.add_argument_group(
        "aspects", "a query with several parts, separated by ||, or a long one, gets a score for each part"
    )
    group.add_argument("--aspects", metavar="A || B", help="these are its aspects; `*2` after one sets its weight")
    group.add_argument("--no-aspects", action="store_true", help="treat it as one query, however long it is")
    group.add_argument(
        "--mute",
        action="append",
        type=count(1, _MOST_ASPECTS),
        default=[],
        metavar="N",
        help="leave aspect N out of the score, and order by aspects (may be repeated)",
    )
    group.add_argument("--decompose", action="store_true", help="let the language model split the query into aspects")
    group.add_argument(
        "--grade", action="store_true", help="let it grade the papers shown with 0, 1 or 2 for each aspect"
    )
    group.add_argument("--grounds", action="store_true", help="show the model's reason and sentence below each paper")


def refuse_contradictions(args: argparse.Namespace) -> None:
    """What cannot be meant together.

    Raises:
        UsageError: something of it was typed.
    """
    if args.no_aspects and (args.aspects or args.mute or args.decompose or args.grade):
        raise UsageError("--no-aspects cannot be combined with --aspects, --mute, --decompose or --grade")
    if args.aspects and args.decompose:
        raise UsageError("--aspects names the aspects, --decompose lets a model name them; use one of them")


def whole_of(args: argparse.Namespace) -> str:
    """What is searched for: the query, or without one the aspects all together."""
    typed = text_of(args.query)
    return typed or text_of([args.aspects or ""])


def aspects_of(typed: str, args: argparse.Namespace, engine: Engine, context: Context) -> AspectQuery | None:
    """The aspects asked for or found, with those muted; `None` where the query has but one, or none are wanted.

    Raises:
        UsageError: fewer aspects than were asked for.
    """
    wanted = args.aspects or args.decompose or args.grade or args.mute or args.sort == "aspects"
    if args.no_aspects or not (wanted or len(typed) > _SHORT or "||" in typed or "\n" in typed):
        return None
    if args.aspects:
        found = engine.aspects.read(text_of([args.aspects]).replace("\n", "||").split("||"))
    elif args.decompose:
        found = _decomposed(typed, args, engine, context)
    else:
        found = engine.aspects.split(typed, long=bool(args.grade or args.mute or args.sort == "aspects"))
    if not found.aspects and (args.mute or args.grade or args.sort == "aspects"):
        raise UsageError("this query has no aspects; separate them with || or name them with --aspects")
    if args.mute and max(args.mute) > len(found.aspects):
        raise UsageError(f"--mute {max(args.mute)}: there are {len(found.aspects)} aspects")
    muted = (replace(each, muted=at in args.mute) for at, each in enumerate(found.aspects, 1))
    return replace(found, aspects=tuple(muted)) if found.aspects else None


def _decomposed(typed: str, args: argparse.Namespace, engine: Engine, context: Context) -> AspectQuery:
    with suppress(ModelError):
        # A model that cannot be asked costs nothing; `decompose` says why, and splits the query without it.
        agree(context.drive(engine.aspects.estimate_split(typed)), args, context)
    return context.drive(engine.aspects.decompose(typed))


def rehearse_split(typed: str, engine: Engine, context: Context) -> int:
    """What would be sent to name the aspects; what is asked then depends on the reply."""
    show(context.drive(engine.aspects.preview_split(typed)), context, more=True)
    return 0


def show_covered(query: AspectQuery, ranking: Ranking, args: argparse.Namespace, context: Context) -> int:
    """The ranking with its aspects, cut to what is shown; after a rehearsal only what would be sent."""
    engine = context.engine()
    if args.grade and args.dry_run:
        papers = [each.paper for each in _arranged(query, ranking, args, engine, context)[0][: args.k]]
        show(context.drive(engine.aspects.preview(query, papers)), context, more=False)
        return 0

    covered = _cover(query, ranking, args, engine, context)
    if args.json:
        from litterm.render import aspects, json

        context.output.json(aspects.search(json.search(covered.ranking, typed=whole_of(args)), covered))
    else:
        from litterm.render import aspects

        why = reasons(covered.ranking, args, context)
        context.output.lines(aspects.lines(covered, context.look(), grounds=args.grounds, why=why))
    _tell(covered, args, context)
    return 0


def _arranged(
    query: AspectQuery, ranking: Ranking, args: argparse.Namespace, engine: Engine, context: Context
) -> tuple[tuple[RankedPaper, ...], AspectScores]:
    """The papers in the order wanted, and their scores."""
    ids = [each.paper.id for each in ranking.papers]
    scores = context.drive(engine.aspects.score(query, ids))
    if not _by_aspects(args):
        return ranking.papers, scores
    return _reordered(ranking.papers, engine.aspects.ranked(query, scores, ids)), scores


def _cover(
    query: AspectQuery, ranking: Ranking, args: argparse.Namespace, engine: Engine, context: Context
) -> AspectRanking:
    from litterm.model.aspects import AspectRanking

    aspects = engine.aspects
    pool, scores = _arranged(query, ranking, args, engine, context)
    shown = pool[: args.k]
    ids, papers = [each.paper.id for each in shown], [each.paper for each in shown]
    if args.grade and shown:
        context.output.say(f"At most {aspects.cost(query, papers):,} grades, for {len(papers):,} papers.")
        with suppress(ModelError):
            agree(context.drive(aspects.estimate(query, papers)), args, context, less="a smaller -k needs fewer")
        try:
            scores = context.drive(aspects.grade(query, papers, scores))
        except (Stopped, SystemExit):
            context.output.say("Every grade so far is saved; run the same command to continue.")
            raise
        if _by_aspects(args):
            shown = _reordered(shown, aspects.ranked(query, scores, ids))
            ids = [each.paper.id for each in shown]
    return AspectRanking(query, scores, aspects.coverage(query, scores, ids), replace(ranking, papers=shown))


def _by_aspects(args: argparse.Namespace) -> bool:
    return bool(args.sort == "aspects" or (args.mute and args.sort is None))


def _reordered(papers: Sequence[RankedPaper], order: Sequence[AspectCoverage]) -> tuple[RankedPaper, ...]:
    known = {each.paper.id: each for each in papers}
    return tuple(replace(known[row.paper_id], rank=rank) for rank, row in enumerate(order, 1))


def _tell(covered: AspectRanking, args: argparse.Namespace, context: Context) -> None:
    """What stderr says: how the query was read, in which order, what the model could not do."""
    from litterm.model.aspects import POOL
    from litterm.render.aspects import by_words

    query, say = covered.query, context.output.say
    asked = args.aspects or args.decompose
    override = "" if asked else "; --no-aspects reads it as one"
    say(f"{counted(len(query.aspects), 'aspect')}, split {by_words(query)}{override}.")
    if _by_aspects(args):
        say(f"In the order of the aspects, among the first {min(POOL, covered.ranking.found):,} of the whole query.")
    for notice in covered.scores.notices:
        say(notice)
    tell(covered.ranking, args, context)
