"""`litterm duplicates` and `litterm remove`: which records are one paper, and which papers are not shown."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.core.errors import UnknownPaper, UsageError
from litterm.text.plural import counted

if TYPE_CHECKING:
    from litterm.annotations.duplicates import Doubt
    from litterm.engine import Engine
    from litterm.model.paper import Paper, PaperId


def declare(verb: str, parser: argparse.ArgumentParser) -> None:
    """Adds what to decide."""
    if verb == "duplicates":
        act = parser.add_mutually_exclusive_group()
        act.add_argument("--merge", nargs=2, metavar="PAPER", help="these two records are one paper: show them as one")
        act.add_argument(
            "--apart", nargs=2, metavar="PAPER", help="these two records are different papers: do not ask again"
        )
        act.add_argument("--undo", action="store_true", help="undo the last decision on a pair")
    else:
        parser.add_argument("papers", nargs="*", metavar="PAPER", help="an id; with --undo, the id of a removed paper")
        act = parser.add_mutually_exclusive_group()
        act.add_argument(
            "--undo", action="store_true", help="restore these papers; without PAPER, undo the last removal"
        )
        act.add_argument("--list", action="store_true", help="what was removed")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(verb: str, args: argparse.Namespace, context: Context) -> int:
    """Does one of the two."""
    return _duplicates(args, context) if verb == "duplicates" else _remove(args, context)


def _duplicates(args: argparse.Namespace, context: Context) -> int:
    engine = context.engine()
    if args.undo:
        return _undone(engine.curating.undo_pair(), context, as_json=args.json)
    if args.merge:
        one, other = (engine.paper(key) for key in args.merge)
        shown = engine.curating.merge(one, other)
        hidden = other.id if shown == one.id else one.id
        if args.json:
            context.output.json({"shown": shown, "merged": hidden})
        else:
            context.output.lines([f"{hidden} is now shown as {shown}; both ids lead to it."])
        return 0
    if args.apart:
        ids = [_stored(engine, key) for key in args.apart]
        changed = engine.curating.apart(*ids)
        if args.json:
            context.output.json({"apart": ids, "changed": changed})
        else:
            context.output.lines([f"{ids[0]} and {ids[1]} are kept as two papers."])
        return 0
    return _list(engine.curating.doubts(), context, as_json=args.json)


def _stored(engine: Engine, key: str) -> PaperId:
    """The id of a record itself, also where it is shown in another."""
    paper = engine.paper(key)
    return next((each for each in (paper.id, *paper.aliases) if each.casefold() == key.casefold()), paper.id)


def _list(doubts: Sequence[Doubt], context: Context, *, as_json: bool) -> int:
    if as_json:
        pairs = [[_told(doubt.one), _told(doubt.other)] for doubt in doubts]
        context.output.json({"count": len(pairs), "pairs": pairs})
        return 0
    look = context.look()
    for doubt in doubts:
        context.output.lines([look.text(doubt.one.title), *(look.text(_line(each)) for each in _both(doubt)), ""])
    ways = "`litterm duplicates --merge A B` shows two as one, `--apart A B` keeps them as two."
    told = f"{counted(len(doubts), 'doubtful pair')}; {ways}"
    context.output.say(told if doubts else "No possible duplicates.")
    return 0


def _both(doubt: Doubt) -> tuple[Paper, Paper]:
    return doubt.one, doubt.other


def _line(paper: Paper) -> str:
    authors = ", ".join(author.family for author in paper.authors[:4]) + (" et al." if len(paper.authors) > 4 else "")
    parts = (paper.id, authors, str(paper.year or ""), paper.venue)
    return "  " + " · ".join(part for part in parts if part)


def _told(paper: Paper) -> dict[str, object]:
    return {
        "id": paper.id,
        "aliases": list(paper.aliases),
        "title": paper.title,
        "authors": [f"{author.given} {author.family}".strip() for author in paper.authors],
        "year": paper.year,
        "venue": paper.venue,
    }


def _remove(args: argparse.Namespace, context: Context) -> int:
    engine = context.engine()
    curating = engine.curating
    if args.list:
        if args.papers:
            raise UsageError("--list takes no PAPER")
        removed = curating.removed()
        if args.json:
            context.output.json({"count": len(removed), "removed": list(removed)})
        else:
            context.output.lines(list(removed))
        return 0
    if args.undo and not args.papers:
        return _undone(curating.undo_removal(), context, as_json=args.json)
    if not args.papers:
        raise UsageError("name each PAPER to remove, or give --list or --undo")
    if args.undo:
        return _restored(engine, args.papers, context, as_json=args.json)
    count = curating.remove([engine.paper(key) for key in args.papers])
    if args.json:
        context.output.json({"removed": count})
    else:
        context.output.lines([f"{count:,} removed; nothing is deleted: `litterm remove --undo` restores."])
    return 0


def _restored(engine: Engine, keys: Sequence[str], context: Context, *, as_json: bool) -> int:
    removed = {each.casefold(): each for each in engine.curating.removed()}
    unknown = next((key for key in keys if key.casefold() not in removed), None)
    if unknown is not None:
        raise UnknownPaper(f"{unknown} was not removed; `litterm remove --list` lists what was.")
    count = engine.curating.restore([removed[key.casefold()] for key in keys])
    if as_json:
        context.output.json({"restored": count})
    else:
        context.output.lines([f"{count:,} restored"])
    return 0


def _undone(said: str | None, context: Context, *, as_json: bool) -> int:
    if as_json:
        context.output.json({"undone": said})
    else:
        context.output.lines([context.look().text(said or "There is nothing to undo.")])
    return 0
