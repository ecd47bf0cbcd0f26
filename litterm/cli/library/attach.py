"""`litterm attach`: gives a paper its PDF, with the highlights and notes in it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.library.show import PAPER_HELP
from litterm.core.errors import OtherPaper, UsageError
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.model.paper import Paper


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the paper and its PDF."""
    parser.add_argument("paper", metavar="PAPER", help=PAPER_HELP)
    parser.add_argument("file", metavar="FILE", help="its PDF, which stays where it is")
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--force", action="store_true", help="attach it even if it prints another title")
    act.add_argument("--undo", action="store_true", help="take it out of the record again")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Attaches the PDF, or takes it out again; 2 if it is that of another paper."""
    engine, file = context.engine(), Path(args.file).expanduser()
    paper = engine.paper(args.paper)
    if args.undo:
        return _show(
            context.run(engine.attachments.detach(paper.id, file)), context, "Taken out of the record", args.json
        )
    try:
        attached = context.run(engine.attachments.attach(paper.id, file, force=args.force))
    except OtherPaper as error:
        raise UsageError(f"{error}; --force attaches it all the same") from None
    status = _show(attached, context, "Attached", args.json)
    if not args.json:
        context.output.say(f"`litterm attach {paper.id} {args.file} --undo` takes it out again.")
    context.run(engine.after_import())
    return status


def _show(paper: Paper, context: Context, done: str, as_json: bool) -> int:
    from litterm.render.annotations import annotations_data

    annotations = annotations_data(paper, None)
    if as_json:
        context.output.write_json(
            {"id": paper.id, "title": paper.title, "full_text": paper.full_text, "annotations": len(annotations)}
        )
    else:
        options = context.line_options()
        marked = f"; {count_phrase(len(annotations), 'annotation')} in its files" if annotations else ""
        context.output.write_lines([options.text(f"{done}: {paper.title} ({paper.id}){marked}")])
    return 0
