"""Output of the commands that rank papers: results on stdout, remarks on them on stderr."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.cli.context import Context
    from litterm.model.paper import PaperId
    from litterm.model.search import Ranking


def show_ranking(ranking: Ranking, typed: str, args: argparse.Namespace, context: Context) -> int:
    """Prints `ranking` as lines or JSON and the remarks on it; exit status 0."""
    if args.json:
        from litterm.render import json

        context.output.write_json(json.search(ranking, typed=typed))
    else:
        from litterm.render import lines

        context.output.write_lines(
            lines.search(ranking, context.line_options(), below=lines_below(ranking, args, context))
        )
    # With -k nothing was cut, so the remark on how many a question of this kind gets would be wrong.
    say_remarks(replace(ranking, first=args.k) if args.limited else ranking, args, context)
    return 0


def lines_below(ranking: Ranking, args: argparse.Namespace, context: Context) -> dict[PaperId, list[str]]:
    """The lines below each paper: what moved or found it, and with `--why` the explanation of its rank."""
    from litterm.render.explanation import move_lines

    moves, explanations = move_lines(ranking, context.line_options()), rank_explanations(ranking, args, context)
    return {
        item.paper.id: [*moves.get(item.paper.id, ()), *explanations.get(item.paper.id, ())] for item in ranking.papers
    }


def rank_explanations(ranking: Ranking, args: argparse.Namespace, context: Context) -> dict[PaperId, list[str]]:
    """The lines that explain the rank of each paper; empty without `--why`."""
    if not args.why:
        return {}
    from litterm.render.explanation import rank_reasons

    options = context.line_options()
    return {
        item.paper.id: [line for reason in rank_reasons(item) for line in options.block(reason, indent=5)]
        for item in ranking.papers
    }


def say_remarks(ranking: Ranking, args: argparse.Namespace, context: Context) -> None:
    """Says on stderr how the query was read, how much was left out, and what to try where nothing came."""
    from litterm.render.explanation import interpretation, rewrite_lines, word_sources

    say = context.output.say
    if ranking.kind != "keywords":
        say(f"{interpretation(ranking.kind, ranking.first)} Use --as to read it differently.")
    for sentence in word_sources(ranking.sources) if args.why and ranking.sources else ():
        say(sentence)
    for sentence in rewrite_lines(ranking.rewrite) if ranking.rewrite else ():
        say(sentence)
    say_what_was_found(ranking, context, more="-k shows more")


def say_what_was_found(ranking: Ranking, context: Context, *, more: str) -> None:
    """Says on stderr what to know of a ranking that is cut off or empty; `more` is how to get the rest."""
    say, paper_count = context.output.say, len(ranking.papers)
    for notice in ranking.notices:
        say(notice)
    if ranking.hidden:
        say(f"{ranking.hidden:,} more match without the filters.")
    if ranking.suggestion:
        say(f"Did you mean: {ranking.suggestion}")
    if not paper_count:
        say(f"Nothing found in {count_phrase(ranking.searched, 'paper')}.")
    elif ranking.found > paper_count:
        say(f"{paper_count:,} of {ranking.found:,} found; {more}.")
