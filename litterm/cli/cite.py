"""`litterm cite`: which paper of the library a masked citation refers to."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from litterm.cli.context import Context
from litterm.cli.parser import count, text_of
from litterm.errors import BadInput, UsageError

_LARGEST_BYTES = 10_000_000
NOT_THERE = 3


def declare(_verb: str, parser: argparse.ArgumentParser) -> None:
    """Adds the excerpt and the form of the answer."""
    parser.add_argument(
        "excerpt", nargs="*", metavar="EXCERPT", help="text with [CITATION], a file that holds it, or - for stdin"
    )
    parser.add_argument("-k", type=count(1, 1000), default=5, metavar="N", help="candidates at most (5)")
    parser.add_argument("--before", type=count(1000, 9999), metavar="YEAR", help="only papers of that year or earlier")
    parser.add_argument("--mark", type=count(1, 100_000), default=1, metavar="N", help="which of several marks (1)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="JSON on stdout")
    form.add_argument("--bibtex", action="store_true", help="the candidates as BibTeX")


def run(_verb: str, args: argparse.Namespace, context: Context) -> int:
    """The candidates; 3 when the library holds none."""
    text = _excerpt(args.excerpt)
    engine = context.engine()
    found = context.drive(engine.cite(text, k=args.k, before=args.before, mark=args.mark - 1))
    if args.json:
        from litterm.render import json

        context.output.json(json.cite(found))
    elif args.bibtex:
        from litterm.render import bibtex

        context.output.data(bibtex.entries([item.paper for item in found.candidates]))
    else:
        from litterm.render import lines

        context.output.lines(lines.cite(found, context.look()))
    for line in (found.excerpt.lint, *found.notices):
        if line:
            context.output.say(line)
    if not found.candidates:
        context.output.say("No paper of your library fits this mark.")
        return NOT_THERE
    return 0


def _excerpt(words: list[str]) -> str:
    """The text itself, the content of the one file named, or stdin for `-` or nothing."""
    if words in ([], ["-"]):
        text = _stdin(asked=bool(words))
    elif len(words) == 1 and _is_file(words[0]):
        text = _file(Path(words[0]))
    else:
        text = text_of(words)
    if not text.strip():
        raise UsageError("the excerpt is empty")
    return text


def _stdin(*, asked: bool) -> str:
    if sys.stdin is None or (not asked and sys.stdin.isatty()):
        raise UsageError("give an excerpt, a file that holds one, or - to read it from stdin")
    return sys.stdin.buffer.read(_LARGEST_BYTES).decode("utf-8", "replace")


def _is_file(word: str) -> bool:
    # A text may be longer than any path, or hold what no path can.
    try:
        return "[" not in word and Path(word).is_file()
    except (OSError, ValueError):
        return False


def _file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from error
