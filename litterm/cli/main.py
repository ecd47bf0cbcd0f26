"""Entry point of the command line: finds the command, and turns its errors into a sentence and an exit code.

Heavy modules are imported where they are used: `litterm --version` answers in 30 ms.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from litterm.cli.context import Context
    from litterm.core.settings import Settings
    from litterm.core.settings.options import Value
    from litterm.engine import Engine

EXIT_INTERRUPTED = 130
_THREAD_COUNT_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""What numpy's libraries look at. One query is too little work to share: a second thread mostly waits for the first,
at full speed, and takes the core from whatever else runs."""
_GC_THRESHOLDS = (200_000, 20, 50)
"""Nearly all that a start makes stays: a search makes some 70,000 objects, and need not look for cycles in them."""


def entry() -> None:
    """The `litterm` command; ends the process with the exit status."""
    argv = sys.argv[1:]
    if argv in (["--version"], ["-V"]) and _print_version():
        return
    for name in _THREAD_COUNT_VARIABLES:
        os.environ.setdefault(name, "1")
    gc.set_threshold(*_GC_THRESHOLDS)
    try:
        status = _run_with_safe_streams(argv)
    except KeyboardInterrupt:
        raise SystemExit(EXIT_INTERRUPTED) from None
    # The interpreter looks for cycles once more as it ends, a twentieth of a search's time, and frees them in vain.
    gc.freeze()
    raise SystemExit(status)


def _print_version() -> bool:
    """Prints the version without the parser; whether it could.

    Scripts ask for it most often, and building the parser would double the time.
    """
    from litterm.core.version import __version__

    try:
        sys.stdout.write(f"litterm {__version__}\n")
        sys.stdout.flush()
    except (OSError, AttributeError):
        # Standard output is closed or full: the full parse, behind safe streams, copes with that.
        return False
    return True


def _run_with_safe_streams(argv: Sequence[str]) -> int:
    """`main` with streams made safe before it and flushed after it, so that the interpreter ends without complaints."""
    from litterm.cli.diagnostics.log import report_bugs
    from litterm.cli.terminal.output import discard_stdout, make_streams_safe

    make_streams_safe()
    report_bugs()
    status = main(argv)
    try:
        # Flushed here, where a failure can be handled: the interpreter would print a traceback at exit.
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        discard_stdout()
    return status


def main(argv: Sequence[str], build: Callable[[Settings], Engine] | None = None) -> int:
    """Runs one command and returns its exit status; `build` replaces the real engine in tests."""
    from litterm.cli.terminal.output import ReaderGone, discard_stdout, standard_output
    from litterm.core.errors import LittermError, QueryError

    try:
        return _run(argv, build)
    except LittermError as error:
        position = f"column {error.start + 1}: " if isinstance(error, QueryError) else ""
        standard_output(os.environ).say(f"litterm: {position}{error}")
        return error.exit_code
    except KeyboardInterrupt:
        standard_output(os.environ).say("litterm: interrupted")
        return EXIT_INTERRUPTED
    except ReaderGone:
        # As in `litterm search x | head`: whoever read the output has all that was wanted.
        discard_stdout()
        return 0
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except Exception:
        # Offsets read from a damaged file can raise anything anywhere. If a file is damaged, that is what the user
        # is told; only otherwise is it a bug of litterm.
        from litterm.cli.diagnostics.log import report_damage

        if not report_damage(argv):
            raise
        return LittermError.exit_code


def _run(argv: Sequence[str], build: Callable[[Settings], Engine] | None) -> int:
    from litterm.cli.commands import COMMANDS_BY_NAME, Subcommand
    from litterm.cli.parser import parse
    from litterm.core.errors import NoModelSet

    args = parse(argv)
    command: Subcommand | None = COMMANDS_BY_NAME.get(args.command)
    if command is not None and command.name == "doctor":
        # `doctor` has to run where nothing else does: it reports a fault in the settings instead of ending with it.
        return command.load().run(command.name, args, _context(args, build, faulty=True))
    context = _context(args, build).for_command(args.command)
    if command is None:
        from litterm.cli.workbench import open_home

        return open_home(context)
    try:
        return command.load().run(command.name, args, context)
    except NoModelSet:
        from litterm.cli.local_model import offer_local_model

        # Offered here, for all commands: each asks for its model before it does or prints anything.
        if not offer_local_model(context):
            raise
        return command.load().run(command.name, args, _context(args, build).for_command(args.command))


def _context(args: argparse.Namespace, build: Callable[[Settings], Engine] | None, *, faulty: bool = False) -> Context:
    """Settings and streams; with `faulty` a fault in the settings leaves the defaults (and is found by `doctor`)."""
    from litterm.build import build_engine
    from litterm.cli.context import Context
    from litterm.cli.diagnostics.log import start_log
    from litterm.cli.terminal.output import standard_output
    from litterm.core.errors import SettingsError
    from litterm.core.settings import load, load_folders

    typed = vars(args)
    overrides: dict[str, Value] = {name: typed[name] for name in ("offline", "home", "server") if name in typed}
    try:
        settings = load(overrides, os.environ)
    except SettingsError:
        if not faulty:
            raise
        settings = load_folders(overrides, os.environ)
    if build is None:
        # The log is a setting of the whole process, which belongs to the caller when an engine is handed in.
        start_log(settings.log_file)
    plain = "plain" in typed
    output = standard_output(os.environ, plain_look=plain, ascii_marks=settings.ascii, command=args.command)
    return Context(settings, output, build or build_engine, plain=plain, project=typed.get("project", ""))
