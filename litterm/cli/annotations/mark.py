"""`litterm mark`: stars, decisions, reading status, tags and notes of many papers, as one change to undo."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from litterm.cli.context import Context
from litterm.cli.library.chosen_papers import declare_papers, found_ids, read_keys, refuse_lone_k
from litterm.cli.parser import ToggleOption, join_words
from litterm.core.errors import UnknownPaper, UsageError
from litterm.model.annotations import PaperChanges, ReadStatus, Screening
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.model.annotations import MarkedPapers

_SCREENING: Mapping[str, Screening | Literal["undecided"]] = {
    "include": "included",
    "exclude": "excluded",
    "undecided": "undecided",
}
_READ_STATUS: Mapping[str, ReadStatus] = {"to-read": "to read", "reading": "reading", "read": "read", "unread": ""}


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds which papers, and what to change."""
    declare_papers(parser)
    parser.add_argument("--star", action=ToggleOption, help="star them in the project, or remove the stars")
    parser.add_argument("--decide", choices=_SCREENING, help="include or exclude them in the project, or neither")
    parser.add_argument("--read-status", choices=_READ_STATUS, help="the reading status")
    parser.add_argument("--tag", action="append", default=[], metavar="TAGS", help="add tags: a, or a,b")
    parser.add_argument("--untag", action="append", default=[], metavar="TAGS", help="take tags off")
    parser.add_argument(
        "--collection", action="append", default=[], metavar="NAME", help="file them under NAME, or A/B"
    )
    parser.add_argument("--remove-collection", action="append", default=[], metavar="NAME", help="take them out of it")
    parser.add_argument("--note", metavar="TEXT", help="replace the note on each; an empty one removes it")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints one line with counts; 3 if a paper is unknown, after the others are done."""
    refuse_lone_k(args)
    changes = _changes(args)
    if bool(args.papers) == (args.query is not None):
        raise UsageError("name the PAPERs to mark, or give --query QUERY")
    if changes == PaperChanges():
        raise UsageError("say what to mark, as --star or --tag; see `litterm mark --help`")
    engine = context.engine()
    keys = read_keys(args.papers) if args.papers else found_ids(args, engine, context, more="-k marks more")
    marked = engine.marking.mark(keys, changes)
    for key in marked.unknown:
        context.output.say(f"{key} is not in the library; find its id with `litterm search`.")
    if args.json:
        from litterm.render import json

        context.output.write_json(json.marked(marked, engine.annotations.notes_on(marked.papers)))
    elif marked.papers:
        _write_line(marked, context)
    is_incomplete = bool(marked.unknown) or (args.query is not None and not marked.papers)
    return UnknownPaper.exit_code if is_incomplete else 0


def _changes(args: argparse.Namespace) -> PaperChanges:
    from litterm.annotations.paper_changes import check_changes, split_tags

    changes = PaperChanges(
        screening=_SCREENING.get(args.decide),
        starred=args.star,
        status=_READ_STATUS.get(args.read_status),
        note=None if args.note is None else join_words([args.note]),
        tags=tuple(tag for text in args.tag for tag in split_tags(join_words([text]))),
        removed_tags=tuple(tag for text in args.untag for tag in split_tags(join_words([text]))),
        collections=tuple(join_words([name]) for name in args.collection),
        removed_collections=tuple(join_words([name]) for name in args.remove_collection),
    )
    check_changes(changes)
    return changes


def _write_line(marked: MarkedPapers, context: Context) -> None:
    same = len(marked.papers) - len(marked.changed)
    remark = f"; {same:,} {'was' if same == 1 else 'were'} so already" if same else ""
    line = f"{count_phrase(len(marked.changed), 'paper')}: {marked.summary}{remark}."
    context.output.write_lines([context.line_options().text(line)])
    if marked.changed:
        context.output.say("`litterm undo` takes it back.")
