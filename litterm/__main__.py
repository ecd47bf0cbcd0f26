"""`litterm` and `python -m litterm`: as little as can be before ctrl+c is understood."""

# These are loaded before a line of ours runs; whatever else is imported before `_leave_out_working_directory` may be
# a file of the same name that somebody left beside the papers.
import os
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
    _leave_out_working_directory()
    import signal

    before = signal.getsignal(signal.SIGINT)
    # Whoever started this to run on in the background has it ignored.
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    from litterm.cli.main import entry as begin

    signal.signal(signal.SIGINT, before)
    begin()


def _leave_out_working_directory() -> None:
    """No module comes from the working directory, nor from what `PYTHONPATH` names relative to it."""
    stated = "" if sys.flags.ignore_environment else os.environ.get("PYTHONPATH", "")
    for folder in stated.split(os.pathsep) if stated else ():
        if not os.path.isabs(folder):  # noqa: PTH117  (pathlib would have to be imported)
            _remove(os.path.join(_working_directory(), folder))  # noqa: PTH118
    if __name__ == "__main__" and not sys.flags.safe_path:
        _remove(_working_directory())
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    if home not in sys.path:
        # Run from a checkout that is not installed: what litterm still imports of itself comes from there, last of all.
        sys.path.append(home)


def _remove(folder: str) -> None:
    if os.path.normpath(folder) in sys.path:
        sys.path.remove(os.path.normpath(folder))


def _working_directory() -> str:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        # Deleted: then nothing can be imported from it.
        return ""


if __name__ == "__main__":
    entry()
