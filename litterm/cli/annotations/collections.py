"""`litterm collections`: the user's collections as a tree; renames and deletes them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.parser import join_words
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.model.annotations import CollectionSummary
    from litterm.render.collections import CollectionData


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds what else it can do."""
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--rename", nargs=2, metavar="NAME", help="rename the first, or move it: `Methods Thesis/Methods`")
    act.add_argument("--delete", metavar="NAME", help="delete it with those that lie in it; the papers stay")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the tree, or what has become of a collection."""
    collections = context.engine().annotations.collections
    if args.rename:
        name = collections.rename(*(join_words([word]) for word in args.rename))
        return _answer({"renamed": name}, f"Renamed to {name}; `litterm undo` takes it back.", args, context)
    if args.delete is not None:
        count = collections.delete(join_words([args.delete]))
        message = f"{count_phrase(count, 'collection')} deleted; the papers stay, and `litterm undo` takes it back."
        return _answer({"deleted": count}, message, args, context)
    known = collections.all()
    if args.json:
        context.output.write_json({"count": len(known), "collections": [_data(item) for item in known]})
    else:
        context.output.write_lines(_tree(known, context))
    if not known:
        context.output.say("No collections; `litterm mark PAPER --collection NAME` makes one.")
    return 0


def _answer(data: dict[str, object], message: str, args: argparse.Namespace, context: Context) -> int:
    if args.json:
        context.output.write_json(data)
    else:
        context.output.write_lines([context.line_options().text(message)])
    return 0


def _data(item: CollectionSummary) -> CollectionData:
    return {"name": item.name, "papers": item.papers, "own_papers": item.own_papers, "depth": item.depth}


def _tree(known: Sequence[CollectionSummary], context: Context) -> list[str]:
    """A line for each, those that lie in another indented below it."""
    from litterm.text.collection_names import split_collection

    options = context.line_options()
    return [options.text(f"{item.papers:>6,}  {'  ' * item.depth}{split_collection(item.name)[-1]}") for item in known]
