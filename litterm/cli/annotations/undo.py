"""`litterm undo`: takes the last change back, or repeats it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from litterm.cli.context import Context

if TYPE_CHECKING:
    from litterm.engine import Engine


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds what else it can do."""
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--redo", action="store_true", help="repeat the change that was undone last")
    act.add_argument("--list", action="store_true", help="list the latest changes, undone ones first")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints what was undone or repeated; 0 also if there was nothing."""
    engine = context.engine()
    if args.list:
        return _list(engine, context, as_json=args.json)
    name = "redone" if args.redo else "undone"
    message = engine.annotations.redo() if args.redo else engine.annotations.undo()
    if args.json:
        context.output.write_json({name: message})
    else:
        nothing = f"There is nothing to {'redo' if args.redo else 'undo'}."
        context.output.write_lines([context.line_options().text(message or nothing)])
    return 0


def _list(engine: Engine, context: Context, *, as_json: bool) -> int:
    steps = context.run(engine.undo_steps())
    if as_json:
        data = [{"sentence": step.sentence, "at": step.at, "undone": step.undone} for step in steps]
        context.output.write_json({"count": len(data), "changes": data})
        return 0
    options = context.line_options()
    context.output.write_lines(
        [
            options.text(f"{step.at[:16].replace('T', ' ')}  {'(undone) ' * step.undone}{step.sentence}")
            for step in steps
        ]
    )
    if not steps:
        context.output.say("There is nothing to undo.")
    return 0
