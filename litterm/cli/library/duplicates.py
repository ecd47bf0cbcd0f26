"""`litterm duplicates` and `litterm remove`: merges records and takes them apart, hides papers and whole imports."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.core.errors import UnknownPaper, UsageError
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.annotations.duplicates import Doubt
    from litterm.engine import Engine
    from litterm.model.library import TakenBack
    from litterm.model.paper import Paper, PaperId
    from litterm.render.duplicates import DuplicateData


def declare(command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command named."""
    if command == "duplicates":
        act = parser.add_mutually_exclusive_group()
        act.add_argument("--merge", nargs=2, metavar="PAPER", help="these two records are one paper: show them as one")
        act.add_argument(
            "--apart", nargs=2, metavar="PAPER", help="these two records are different papers: do not ask again"
        )
        act.add_argument(
            "--split",
            nargs="+",
            metavar="PAPER",
            help="take source N of a merged record out of it, as `litterm show` numbers them (PAPER [N]); of two, the "
            "later one without N",
        )
        act.add_argument("--undo", action="store_true", help="undo the last decision on a pair")
    else:
        parser.add_argument("papers", nargs="*", metavar="PAPER", help="an id; with --undo, the id of a removed paper")
        act = parser.add_mutually_exclusive_group()
        act.add_argument(
            "--undo", action="store_true", help="restore these papers; without PAPER, undo the last removal"
        )
        act.add_argument("--list", action="store_true", help="list the removed papers")
        act.add_argument(
            "--import",
            dest="import_path",
            metavar="FILE",
            help="take back the import of a file, archive or folder: hide what came from it alone, and take what it "
            "said out of other records",
        )
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(command: str, args: argparse.Namespace, context: Context) -> int:
    """Runs the command named."""
    return _duplicates(args, context) if command == "duplicates" else _remove(args, context)


def _duplicates(args: argparse.Namespace, context: Context) -> int:
    engine = context.engine()
    if args.undo:
        return _show_undone(engine.record_curation.undo_pair(), context, as_json=args.json)
    if args.split:
        return _split(engine, args.split, context, as_json=args.json)
    if args.merge:
        first, second = (engine.paper(key) for key in args.merge)
        merged_id = engine.record_curation.merge(first, second)
        hidden = second.id if merged_id == first.id else first.id
        if args.json:
            context.output.write_json({"shown": merged_id, "merged": hidden})
        else:
            context.output.write_lines([f"{hidden} is now shown as {merged_id}; both ids lead to it."])
        return 0
    if args.apart:
        ids = [_typed_id(engine, key) for key in args.apart]
        changed = engine.record_curation.apart(*ids)
        if args.json:
            context.output.write_json({"apart": ids, "changed": changed})
        else:
            context.output.write_lines([f"{ids[0]} and {ids[1]} are kept as two papers."])
        return 0
    return _list(engine.record_curation.doubts(), context, as_json=args.json)


def _split(engine: Engine, typed: Sequence[str], context: Context, *, as_json: bool) -> int:
    from litterm.library.corrections import choose_source

    key, *rest = typed
    if len(rest) > 1 or not all(word.isdecimal() for word in rest):
        raise UsageError("--split takes a PAPER and the number of one of its sources; `litterm show` numbers them")
    paper = engine.paper(key)
    number = int(rest[0]) if rest else choose_source(paper)
    kept, apart = context.run(engine.separate(paper.id, number))
    if as_json:
        context.output.write_json({"kept": _paper_data(kept), "apart": _paper_data(apart)})
        return 0
    options = context.line_options()
    context.output.write_lines(
        [line for one in (kept, apart) for line in (options.text(one.title), options.text(_paper_line(one)))]
    )
    context.output.say(f"Two papers now; `litterm duplicates --merge {kept.id} {apart.id}` shows them as one again.")
    return 0


def _typed_id(engine: Engine, key: str) -> PaperId:
    """The id of the record typed, even where it is merged into another."""
    paper = engine.paper(key)
    return next(
        (paper_id for paper_id in (paper.id, *paper.aliases) if paper_id.casefold() == key.casefold()), paper.id
    )


def _list(doubts: Sequence[Doubt], context: Context, *, as_json: bool) -> int:
    if as_json:
        pairs = [[_paper_data(doubt.one), _paper_data(doubt.other)] for doubt in doubts]
        shared = [doubt.shared for doubt in doubts]
        context.output.write_json({"count": len(pairs), "pairs": pairs, "shared": shared})
        return 0
    options = context.line_options()
    for doubt in doubts:
        context.output.write_lines(
            [
                options.text(doubt.one.title),
                *(options.text(line) for paper in _both(doubt) for line in _pair_lines(paper, doubt.one)),
                options.text(f"  {doubt.shared}"),
                "",
            ]
        )
    commands = "`litterm duplicates --merge A B` shows two as one, `--apart A B` keeps them as two."
    summary = f"{count_phrase(len(doubts), 'doubtful pair')}; {commands}"
    context.output.say(summary if doubts else "No possible duplicates.")
    return 0


def _both(doubt: Doubt) -> tuple[Paper, Paper]:
    return doubt.one, doubt.other


def _pair_lines(paper: Paper, first: Paper) -> tuple[str, ...]:
    """The paper of a pair in one line, and its title where that is another than the first one's."""
    return (_paper_line(paper), *([f"    “{paper.title}”"] if paper.title != first.title else []))


def _paper_line(paper: Paper) -> str:
    from litterm.render.names import short_authors

    parts = (paper.id, short_authors(paper), str(paper.year or ""), paper.venue)
    return "  " + " · ".join(part for part in parts if part)


def _paper_data(paper: Paper) -> DuplicateData:
    from litterm.render.names import full_name

    return {
        "id": paper.id,
        "aliases": list(paper.aliases),
        "title": paper.title,
        "authors": [full_name(author) for author in paper.authors],
        "year": paper.year,
        "venue": paper.venue,
    }


def _remove(args: argparse.Namespace, context: Context) -> int:
    engine = context.engine()
    record_curation = engine.record_curation
    if args.papers and args.list:
        raise UsageError("--list takes no PAPER")
    if args.list:
        return _list_removed(record_curation.removed_papers(), context, as_json=args.json)
    if args.import_path is not None:
        if args.papers:
            raise UsageError("--import takes a FILE, and no PAPER")
        return _take_back(engine, args.import_path, context, as_json=args.json)
    if args.undo and not args.papers:
        return _show_undone(record_curation.undo_removal(), context, as_json=args.json)
    if not args.papers:
        raise UsageError("name each PAPER to remove, or give --import FILE, --list or --undo")
    if args.undo:
        return _restore(engine, args.papers, context, as_json=args.json)
    return _hide(engine, args.papers, context, as_json=args.json)


def _list_removed(removed: Sequence[PaperId], context: Context, *, as_json: bool) -> int:
    if as_json:
        context.output.write_json({"count": len(removed), "removed": list(removed)})
    else:
        context.output.write_lines(list(removed))
    return 0


def _hide(engine: Engine, papers: Sequence[str], context: Context, *, as_json: bool) -> int:
    count = engine.record_curation.remove([engine.paper(key) for key in papers])
    if as_json:
        context.output.write_json({"removed": count})
    else:
        context.output.write_lines([f"{count:,} removed; nothing is deleted: `litterm remove --undo` restores."])
    return 0


def _take_back(engine: Engine, typed: str, context: Context, *, as_json: bool) -> int:
    if not typed:
        raise UsageError("the FILE of --import is empty")
    taken = context.run(engine.take_back(Path(typed)))
    return show_taken_back(taken, typed, context, as_json=as_json)


def show_taken_back(taken: TakenBack, origin: str, context: Context, *, as_json: bool) -> int:
    """Prints what became of the papers of the import of `origin`; always 0."""
    if as_json:
        context.output.write_json({"removed": len(taken.hidden), "changed": len(taken.changed)})
        return 0
    hidden = count_phrase(len(taken.hidden), "paper")
    changed = count_phrase(len(taken.changed), "record")
    context.output.write_lines(
        [f"{hidden} of that import alone removed, {changed} of other sources without what it said"]
    )
    undo = ", and `litterm remove --undo` shows the removed papers" if taken.hidden else ""
    context.output.say(f"Nothing is deleted: `litterm add {shlex.quote(origin)} --retry` brings it back{undo}.")
    return 0


def _restore(engine: Engine, keys: Sequence[str], context: Context, *, as_json: bool) -> int:
    removed = {paper_id.casefold(): paper_id for paper_id in engine.record_curation.removed_papers()}
    unknown = next((key for key in keys if key.casefold() not in removed), None)
    if unknown is not None:
        raise UnknownPaper(f"{unknown} was not removed; `litterm remove --list` lists what was.")
    count = engine.record_curation.restore([removed[key.casefold()] for key in keys])
    if as_json:
        context.output.write_json({"restored": count})
    else:
        context.output.write_lines([f"{count:,} restored"])
    return 0


def _show_undone(undone: str | None, context: Context, *, as_json: bool) -> int:
    if as_json:
        context.output.write_json({"undone": undone})
    else:
        context.output.write_lines([context.line_options().text(undone or "There is nothing to undo.")])
    return 0
