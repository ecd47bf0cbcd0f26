"""What the commands that rank papers print: results on stdout, on stderr what is to be said of them."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.text.plural import counted

if TYPE_CHECKING:
    from litterm.cli.context import Context
    from litterm.model.paper import PaperId
    from litterm.model.search import Ranking


def show(ranking: Ranking, typed: str, args: argparse.Namespace, context: Context) -> int:
    """Prints `ranking` as lines or JSON, and what is to be said of it; exit status 0."""
    if args.json:
        from litterm.render import json

        context.output.json(json.search(ranking, typed=typed))
    else:
        from litterm.render import lines

        context.output.lines(lines.search(ranking, context.look(), below=reasons(ranking, args, context)))
    # Who says how many gets as many, and wants no guess explained.
    tell(replace(ranking, first=args.k) if args.limited else ranking, args, context)
    return 0


def reasons(ranking: Ranking, args: argparse.Namespace, context: Context) -> dict[PaperId, list[str]]:
    """Per paper the lines on why it stands where it does; none where nobody asks."""
    if not args.why:
        return {}
    from litterm.render.explanation import why

    look = context.look()
    return {
        item.paper.id: [line for each in why(item) for line in look.block(each, indent=5)] for item in ranking.papers
    }


def tell(ranking: Ranking, args: argparse.Namespace, context: Context) -> None:
    """What stderr says about the ranking: how much was left out, and why nothing came."""
    from litterm.render.explanation import meanings, read_as

    say, shown = context.output.say, len(ranking.papers)
    if ranking.kind != "keywords":
        say(f"{read_as(ranking.kind, ranking.first)} use --as to read it differently.")
    for sentence in meanings(ranking.sources) if args.why and ranking.sources else ():
        say(sentence)
    for notice in ranking.notices:
        say(notice)
    if ranking.hidden:
        say(f"{ranking.hidden:,} more match without the filters.")
    if ranking.suggestion:
        say(f"Did you mean: {ranking.suggestion}")
    if not shown:
        say(f"Nothing found in {counted(ranking.searched, 'paper')}.")
    elif ranking.found > shown:
        say(f"{shown:,} of {ranking.found:,} found; -k shows more.")
