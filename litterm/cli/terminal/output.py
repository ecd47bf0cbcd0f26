"""The two output streams of a command: results on stdout, remarks on stderr, neither able to crash it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from litterm.core.errors import LittermError
from litterm.text.escape import ascii_marks, plain

FORCE_HELP = "replace the file at -o without keeping it as NAME~, and follow a link that leads elsewhere"
"""What `--force` does, the same in every command that writes a file."""
_MAX_COLUMNS = 100
"""Cells; longer lines of text are hard to read, so wider terminals get a margin."""


class ReaderGone(Exception):
    """The reader of our standard output has closed the pipe, as `head` does; not an error."""


@dataclass(frozen=True, slots=True)
class Output:
    """The two streams of one command; either may be `None` when the shell closed it."""

    stdout: TextIO | None
    stderr: TextIO | None
    colour: bool = False
    columns: int = 0
    """Cells to wrap data to; 0 when it goes to a file or pipe."""
    ascii: bool = False
    terminal: bool = False
    """Whether data goes to a terminal."""
    command: str = ""
    """The command that writes; the first field of its JSON names it with the version of its fields."""

    def write(self, text: str) -> None:
        """One block of data on stdout; a line break is added unless it ends with one.

        Raises:
            ReaderGone: the pipe is closed at the other end.
            LittermError: it cannot be written (closed, disk full).
        """
        if self.stdout is None:
            raise LittermError("Standard output is closed; the result cannot be written.")
        try:
            self.stdout.write(text if text.endswith("\n") or not text else f"{text}\n")
            # At once: a reader that has gone is noticed here, where it differs from other trouble, and not at the
            # exit.
            self.stdout.flush()
        except BrokenPipeError as error:
            raise ReaderGone from error
        except (OSError, ValueError) as error:
            cause = getattr(error, "strerror", None) or error
            raise LittermError(f"The result could not be written: {cause}.") from error

    def write_lines(self, lines: Iterable[str]) -> None:
        """Data, a line each; nothing at all without lines."""
        self.write("".join(f"{line}\n" for line in lines))

    def write_json(self, body: Mapping[str, object] | Sequence[object]) -> None:
        """Data as JSON, in an encoding that any reader understands; an object begins with its schema and version."""
        from litterm.render.json import dumps, schema_name

        if self.command and isinstance(body, Mapping):
            body = {"schema": schema_name(self.command), **body}
        self.write(dumps(body, ascii_only=not self.is_unicode))

    def say(self, text: str) -> None:
        """Writes a remark to stderr; where that fails it is lost, and the command continues."""
        if self.stderr is None:
            return
        # Remarks quote titles and messages of services, which may hold terminal escapes.
        line = plain(text)
        try:
            self.stderr.write(f"{ascii_marks(line) if self.ascii else line}\n")
            self.stderr.flush()
        except (OSError, ValueError):
            return

    @property
    def is_unicode(self) -> bool:
        """Whether stdout can take any character."""
        return (getattr(self.stdout, "encoding", None) or "").lower().startswith("utf")


def standard_output(
    environ: Mapping[str, str], *, plain_look: bool = False, ascii_marks: bool | None = None, command: str = ""
) -> Output:
    """The streams of this process, and what their terminal can show."""
    stdout = sys.stdout
    terminal = _is_terminal(stdout) and not plain_look
    dumb = environ.get("TERM", "") in ("", "dumb")
    return Output(
        stdout=stdout,
        stderr=sys.stderr,
        colour=terminal and not dumb and not environ.get("NO_COLOR"),
        columns=_columns() if terminal else 0,
        ascii=_wants_ascii(stdout, environ) if ascii_marks is None else ascii_marks,
        terminal=terminal,
        command=command,
    )


def _columns() -> int:
    import shutil

    return min(shutil.get_terminal_size().columns, _MAX_COLUMNS)


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        # The stream is closed.
        return False


def _wants_ascii(stdout: TextIO | None, environ: Mapping[str, str]) -> bool:
    encoding = getattr(stdout, "encoding", None) or "ascii"
    try:
        "·…¶§“”".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return True
    # In the C locale Python writes UTF-8 all the same, but the terminal expects ASCII.
    locale = next((environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environ.get(name)), "")
    return locale in ("C", "POSIX") and _is_terminal(stdout)


def make_streams_safe() -> None:
    """Makes the standard streams safe to use, whatever the shell did to them; called once, at the start.

    A closed descriptor 0, 1 or 2 is taken by the null device, so that no file of ours is opened in its place;
    characters a stream cannot hold are replaced, not fatal.
    """
    # In ascending order: `open` takes the lowest free number, which is then the closed one.
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for stream, errors in ((sys.stdout, "replace"), (sys.stderr, "backslashreplace")):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=errors)


def discard_stdout() -> None:
    """Sends stdout to the null device, so that the interpreter ends without a complaint about a closed pipe."""
    if sys.stdout is not None:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
