"""`litterm show`, `litterm export` and `litterm read`: papers one already knows the ids of."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.parser import text_of
from litterm.core.errors import UsageError

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.document import Document
    from litterm.model.paper import Paper

_PAPER = "an id such as acl:P18-1082, or its key alone where that is unambiguous"


def declare(verb: str, parser: argparse.ArgumentParser) -> None:
    """Adds the papers and, for two of the three, the form."""
    if verb == "export":
        parser.add_argument("papers", nargs="*", metavar="PAPER", help=f"{_PAPER}; - reads ids from stdin, one a line")
        parser.add_argument("--all", action="store_true", help="every paper of the library; with --jsonl")
        form = parser.add_mutually_exclusive_group()
        for name, meaning in (("bibtex", "BibTeX (the default)"), ("ris", "RIS"), ("csl", "CSL-JSON")):
            form.add_argument(
                f"--{name}", dest="style", action="store_const", const=name, default="bibtex", help=meaning
            )
        form.add_argument("--jsonl", dest="style", action="store_const", const="jsonl", help="rows that `add` reads")
        return
    parser.add_argument("paper", metavar="PAPER", help=_PAPER)
    if verb == "show":
        parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(verb: str, args: argparse.Namespace, context: Context) -> int:
    """Does one of the three."""
    if verb == "export":
        return _export(args, context)
    key = text_of([args.paper])
    return _show(key, context, as_json=args.json) if verb == "show" else _read(key, context)


def _export(args: argparse.Namespace, context: Context) -> int:
    if args.all != (args.style == "jsonl") or args.all == bool(args.papers):
        raise UsageError("name the PAPERs to export, or give --all --jsonl for the whole library")
    engine = context.engine()
    if args.all:
        for line in engine.export_rows():
            context.output.data(f"{line}\n")
        if told := engine.left_out():
            context.output.say(told)
        return 0
    context.output.data(engine.export(_keys(args.papers), args.style))
    return 0


def _keys(words: Sequence[str]) -> list[str]:
    keys: list[str] = []
    for word in words:
        typed = sys.stdin.read().splitlines() if word == "-" and sys.stdin is not None else [word]
        keys += [text_of([line]) for line in typed if line.strip()]
    return keys


def _show(key: str, context: Context, *, as_json: bool) -> int:
    engine = context.engine()
    paper = engine.paper(key)
    document = _full_text(engine, paper, context)
    notes = engine.desk.notes(paper.id)
    from litterm.render.citation_counts import count_sentences, counts_data

    if as_json:
        from litterm.render import json

        counts = engine.counts.of([paper.id])[0]
        context.output.json({**json.show(paper, document, notes), "citations": counts_data(counts)})
    else:
        from litterm.render import lines

        look = context.look()
        told = [look.text(each) for each in count_sentences(engine.counts.of([paper.id])[0])]
        context.output.lines([*lines.show(paper, document, notes, look), *(["", *told] if told else [])])
    return 0


def _full_text(engine: Engine, paper: Paper, context: Context) -> Document | None:
    return context.drive(engine.read(paper.id)) if paper.full_text else None


def _read(key: str, context: Context) -> int:
    if not context.plain:
        from litterm.cli.workbench import open_paper

        return open_paper(key, context)
    from litterm.render import full_text

    engine = context.engine()
    paper = engine.paper(key)
    context.output.lines(full_text.lines(context.drive(engine.read(paper.id)), paper, context.look()))
    return 0
