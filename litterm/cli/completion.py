"""`litterm completion SHELL`: a static script, so that a TAB never waits for Python."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from litterm.cli.commands import COMMANDS_BY_NAME
from litterm.cli.context import Context
from litterm.cli.manual import TOPICS_BY_NAME
from litterm.model.services import CATALOGUES, FINDERS

SHELLS = ("bash", "zsh", "fish")
KNOWN_VALUES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("sync", "source"): (*CATALOGUES, "counts"),
    ("find", "service"): FINDERS,
    ("help", "topic"): tuple(sorted({*TOPICS_BY_NAME, *COMMANDS_BY_NAME})),
}
"""By command and argument: values that the parser does not check itself, as names of services."""
_FILE_ARGUMENTS = frozenset({("add", "paths"), ("cite", "excerpt")})
"""Arguments that may be files, whatever the help calls them."""
_FILE_WORDS = frozenset({"FILE", "PATH", "DRAFT", "OUT", "REFS.bib", "QUERY|PROJECT|FILE", "FILE|ID"})
"""What the help calls the value of an option that may be a file."""


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the argument that names the shell."""
    parser.add_argument("shell", choices=SHELLS, help="bash, zsh or fish")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the script of the shell named."""
    context.output.write_lines(completion_script(args.shell).splitlines())
    return 0


def completion_script(shell: str) -> str:
    """The completion script for `shell`, one of `SHELLS`."""
    import shtab

    from litterm.cli.commands import COMMANDS
    from litterm.cli.parser import build_parser

    # Never used for parsing: the values offered are not the only ones that a command accepts.
    parser = build_parser(COMMANDS)
    for command in COMMANDS:
        for action in parser.parser_of(command.name).actions():
            if (names := KNOWN_VALUES.get((command.name, action.dest))) is not None:
                action.choices = names
            elif action.choices is None and (
                (command.name, action.dest) in _FILE_ARGUMENTS or action.metavar in _FILE_WORDS
            ):
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif action.metavar == "DIR":
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
            if isinstance(action.metavar, tuple):
                # zsh shows it as it is.
                action.metavar = " ".join(action.metavar)
    script: str = shtab.complete(parser, shell=shell)
    return script
