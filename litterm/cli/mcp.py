"""`litterm mcp`: gives the library to an agent as tools, over the standard streams (Model Context Protocol)."""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from litterm.cli.context import Context
from litterm.cli.serve import library_words, server_settings
from litterm.core.errors import UsageError
from litterm.core.installation import install_command

_MISSING_EXTRA = "`litterm mcp` needs the extra `mcp`; type: {}"


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds which library, and whether an agent may change anything."""
    parser.add_argument("--library", metavar="DIR", help="the library to use (default: your own)")
    parser.add_argument(
        "--write",
        action="store_true",
        help="also offer tools that mark papers, tag and file them and write notes; `litterm undo` takes each back",
    )


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Serves until the agent closes standard input."""
    if find_spec("mcp") is None:
        raise UsageError(_MISSING_EXTRA.format(install_command("mcp")))
    if args.write and args.library:
        raise UsageError("--write changes the notes on your own library; leave out --library")
    from litterm.core.tasks import run as run_task
    from litterm.server.stdio.tool_server import ToolServer

    # Offline and without a model: the agent has one, and nothing it reads may send anything.
    settings = server_settings(context.settings, args.library)
    engine = context.build(settings)
    if context.project:
        engine.annotations.projects.use(context.project)
    run_task(engine.search(engine.parse("paper"), k=1))
    rights = "to read and to mark" if args.write else "to read"
    library = library_words(engine, settings)
    context.output.say(f"{library} {rights}, for an agent on standard input and output; ctrl+c ends it.")
    ToolServer(engine, may_change=args.write).run()
    return 0
