"""`litterm imports`: what the papers came from, and taking one of these imports back."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from litterm.core.errors import UsageError

if TYPE_CHECKING:
    from litterm.cli.context import Context


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the options of `imports`."""
    parser.add_argument(
        "--remove",
        metavar="NAME",
        help="take this import back: hide what came from it alone, and take what it said out of other records",
    )
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the imports, or what became of the papers of the one taken back; always 0."""
    engine = context.engine()
    if args.remove is not None:
        from litterm.cli.library.duplicates import show_taken_back

        if not args.remove.strip():
            raise UsageError("the NAME of --remove is empty")
        chosen = engine.import_index.find(args.remove)
        taken = context.run(engine.take_back(chosen))
        return show_taken_back(taken, chosen.origin, context, as_json=args.json)
    imports = context.run(engine.imports())
    if args.json:
        from litterm.render.imports import import_data

        data = [import_data(one) for one in imports]
        context.output.write_json({"count": len(data), "imports": data})
        return 0
    from litterm.render.lines import import_lines

    options = context.line_options()
    context.output.write_lines([line for one in imports for line in import_lines(one, options)])
    own = sum(one.is_mine for one in imports)
    hint = '`litterm search "is:mine"` finds the papers of all that are marked as yours'
    context.output.say(f"{hint}." if own else "Nothing of your own yet: `litterm add FILE` imports it.")
    return 0
