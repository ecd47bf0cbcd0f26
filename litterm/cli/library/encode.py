"""`litterm encode`: makes the vectors of papers by the user's encoder, and says how far they are."""

from __future__ import annotations

import argparse

from litterm.cli.context import Context
from litterm.cli.encoder import require_encoder, show
from litterm.render.encoder import estimate_lines, status_data, status_lines


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds what to do instead of making vectors here and now."""
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--status", action="store_true", help="only say how many papers have vectors")
    act.add_argument("--background", action="store_true", help="make them in a process that goes on by itself")
    act.add_argument("--stop", action="store_true", help="stop making them; what is made stays")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Makes what is missing, with progress; 0."""
    encoder = require_encoder(context)
    if args.status:
        return show(context, as_json=args.json)
    if args.stop:
        encoder.stop()
        context.output.say("No vectors are made until `litterm encode` is run again.")
        return show(context, as_json=args.json)
    if encoder.status().missing:
        for line in estimate_lines(encoder.estimate()):
            context.output.say(line)
    if args.background:
        encoder.start()
        context.output.say("The vectors are made in the background; `litterm encode --status` says how far that is.")
        return 0
    status = context.run(encoder.make())
    if args.json:
        context.output.write_json(status_data(status))
    else:
        context.output.write_lines(status_lines(status))
    return 0
