"""`litterm` and `python -m litterm`: as little as can be before ctrl+c is understood."""

import os
import signal

INTERRUPTED = 130


def entry() -> None:
    """Runs a command; until what reads it is imported, ctrl+c ends the process at once and without a word."""
    before = signal.getsignal(signal.SIGINT)
    # Whoever started this to run on in the background has it ignored.
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    from litterm.cli.main import entry as begin

    signal.signal(signal.SIGINT, before)
    begin()


if __name__ == "__main__":
    entry()
