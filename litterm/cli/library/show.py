"""`litterm show` and `litterm read`: one paper, by its id."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.parser import join_words

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.document import Document
    from litterm.model.paper import Paper

PAPER_HELP = "an id such as acl:P18-1082, its key alone where that is unambiguous, or a citation key"


def declare(command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the paper, and for `show` the form of the answer."""
    parser.add_argument("paper", metavar="PAPER", help=PAPER_HELP)
    if command == "show":
        parser.add_argument(
            "--hide-name", metavar="NAME", help="NAME does not stand for this paper; `undo` takes it back"
        )
        parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(command: str, args: argparse.Namespace, context: Context) -> int:
    """Runs the command named."""
    key = join_words([args.paper])
    if command == "read":
        return _read(key, context)
    if args.hide_name is not None:
        engine = context.engine()
        engine.known_names.hide(engine.paper(key), join_words([args.hide_name]))
        context.output.say("Hidden; `litterm undo` takes it back.")
    return _show(key, context, as_json=args.json)


def _show(key: str, context: Context, *, as_json: bool) -> int:
    engine = context.engine()
    paper = engine.paper(key)
    document = _full_text(engine, paper, context)
    notes = engine.annotations.notes(paper.id)
    from litterm.library.imports import import_names
    from litterm.render.citations.citation_counts import count_sentences, counts_data

    names, known_as = import_names(paper), engine.known_names.of_paper(paper)
    if as_json:
        from litterm.render import json

        counts = engine.counts.counts_of([paper.id])[0]
        context.output.write_json(
            {
                **json.show(paper, document, notes),
                "imports": list(names),
                "known_as": json.known_names(known_as),
                "citations": counts_data(counts),
            }
        )
    else:
        from litterm.library.citation_facts.names import known_by
        from litterm.render import lines

        options = context.line_options()
        known = "; ".join(f"{fact.name} ({known_by(fact)})" for fact in known_as)
        known_lines = [f"known as: {options.text(known)}"] if known else []
        count_lines = [options.text(sentence) for sentence in count_sentences(engine.counts.counts_of([paper.id])[0])]
        context.output.write_lines(
            [
                *lines.show(paper, document, notes, options, names),
                *known_lines,
                *(["", *count_lines] if count_lines else []),
            ]
        )
    return 0


def _full_text(engine: Engine, paper: Paper, context: Context) -> Document | None:
    return context.run(engine.read(paper.id)) if paper.full_text else None


def _read(key: str, context: Context) -> int:
    if not context.plain:
        from litterm.cli.workbench import open_paper

        return open_paper(key, context)
    from litterm.render import lines

    engine = context.engine()
    paper = engine.paper(key)
    context.output.write_lines(lines.full_text(context.run(engine.read(paper.id)), paper, context.line_options()))
    return 0
