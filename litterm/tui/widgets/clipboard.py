"""Copies text with a local program, else through the terminal (OSC 52), and always to a file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from litterm.core.errors import LittermError
from litterm.core.filesystem import replace_text
from litterm.core.tasks import Task
from litterm.model.events import Progress

_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class ClipboardResult:
    """Where a copy went."""

    tool: str | None
    """The program that took it; `None`: none is here, the terminal must be asked."""
    file: Path


def clipboard_commands() -> tuple[tuple[str, ...], ...]:
    """Clipboard programs that make sense on this machine, in order."""
    if sys.platform == "darwin":
        return (("pbcopy",),)
    # By the variables of the session: over ssh the programs may be there while no display is.
    commands: list[tuple[str, ...]] = []
    if os.environ.get("WAYLAND_DISPLAY"):
        commands.append(("wl-copy",))
    if os.environ.get("DISPLAY"):
        commands += [("xclip", "-selection", "clipboard"), ("xsel", "--clipboard", "--input")]
    if os.environ.get("WSL_DISTRO_NAME"):
        commands.append(("clip.exe",))
    return tuple(commands)


def copy_task(text: str, file: Path) -> Task[ClipboardResult]:
    """Write `text` to `file` and hand it to the first clipboard program that takes it."""
    yield Progress("copying")
    try:
        # The file first: no program and no terminal tells for certain that it has the text.
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_text(file, text)
    except OSError as error:
        raise LittermError(f"{file}: the copy could not be saved ({error.strerror}).") from error
    for command in clipboard_commands():
        if shutil.which(command[0]) and _accepts_text(command, text):
            return ClipboardResult(command[0], file)
    return ClipboardResult(None, file)


def _accepts_text(command: tuple[str, ...], text: str) -> bool:
    try:
        # Without pipes for its output: xclip lives on to serve the text and would hold them open until the timeout.
        completed = subprocess.run(
            command,
            input=text.encode(),
            timeout=_TIMEOUT_S,
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return completed.returncode == 0
