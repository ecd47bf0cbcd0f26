"""`litterm` and `litterm read`: the workbench, where there is a terminal for it."""

from __future__ import annotations

import sys

from litterm.cli.context import Context
from litterm.core.errors import UsageError
from litterm.text.plural import count_phrase


def open_home(context: Context) -> int:
    """Opens the workbench as it was left; with `--plain` prints the size of the library and the main commands."""
    if context.plain:
        return _print_summary(context)
    _require_terminal("`litterm search WORDS` and the other commands work without one; see `litterm --help`")
    return _open(context, "")


def open_paper(key: str, context: Context) -> int:
    """Opens the workbench at one paper.

    Raises:
        UnknownPaper: no such paper; said before the screen changes.
    """
    _require_terminal("`litterm read PAPER --plain` prints the paper instead")
    return _open(context, key)


def _open(context: Context, key: str) -> int:
    engine = context.engine()
    engine.verify_all_indexes()
    paper_id = engine.paper(key).id if key else None
    # Imported after the paper is found: a mistyped id is answered without waiting for Textual.
    from litterm.tui.app import run

    return run(engine, context.settings, paper_id=paper_id)


def _require_terminal(instead: str) -> None:
    # Standard error as well: Textual draws on it.
    for stream, name in ((sys.stdin, "input"), (sys.stdout, "output"), (sys.stderr, "error")):
        if stream is None or not stream.isatty():
            raise UsageError(f"the workbench needs a terminal, but standard {name} is not one; {instead}")


def _print_summary(context: Context) -> int:
    status = context.engine().status()
    context.output.write_lines(
        [
            f"{count_phrase(status.papers, 'paper')}, {status.documents:,} with full text",
            "litterm search WORDS, litterm read PAPER --plain, litterm evidence PAPER HYPOTHESIS, litterm cite EXCERPT",
        ]
    )
    return 0
