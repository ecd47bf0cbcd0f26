"""`litterm` and `python -m litterm`: as little as can be before ctrl+c is understood."""

import os
import signal
import sys

INTERRUPTED = 130


NO_WINDOWS = (
    "litterm: Windows is not supported: locks, signals and memory limits are those of Unix. It works in WSL, the "
    "Windows Subsystem for Linux: `wsl --install`, then install litterm there."
)


def entry() -> None:
    """Runs a command; until what reads it is imported, ctrl+c ends the process at once and without a word."""
    if os.name == "nt":
        # Before anything is imported that Windows has not.
        sys.exit(NO_WINDOWS)
    before = signal.getsignal(signal.SIGINT)
    # Whoever started this to run on in the background has it ignored.
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    from litterm.cli.main import entry as begin

    signal.signal(signal.SIGINT, before)
    begin()


if __name__ == "__main__":
    entry()
