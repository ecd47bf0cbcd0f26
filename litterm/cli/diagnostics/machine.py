"""Checks of the installation, the terminal and the clipboard for `doctor`; nothing is changed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Literal, TextIO

DiagnosisState = Literal["ok", "note", "missing", "bad"]
_TMUX_TIMEOUT_S = 1.0
_CLIPBOARD_TOOLS = (
    ("WAYLAND_DISPLAY", "wl-copy", "wl-clipboard"),
    ("DISPLAY", "xclip", "xclip"),
    ("DISPLAY", "xsel", "xsel"),
)
_TERM_HINT = "no colours and no progress bars; set TERM to the name of your terminal, for example xterm-256color"
_UTF_HINT = "set LC_ALL=C.UTF-8 (or your language's UTF-8 locale); until then marks are ASCII"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One line of `doctor`."""

    section: str
    name: str
    value: str
    where: str = ""
    """Where the value comes from, if it could come from several places."""
    state: DiagnosisState = "ok"
    hint: str = ""
    """What to do about it; empty when there is nothing to do."""


def with_hint(finding: Diagnosis, hint: str, *, when: bool, state: DiagnosisState = "note") -> Diagnosis:
    """`finding` with this state and hint if `when`, else unchanged."""
    return replace(finding, state=state, hint=hint) if when else finding


def check_versions() -> list[Diagnosis]:
    """litterm, Python and every package litterm needs."""
    from litterm import __version__

    findings = [
        Diagnosis("versions", "litterm", __version__),
        Diagnosis("versions", "python", f"{sys.version.split()[0]} on {sys.platform}", where=sys.executable),
    ]
    return findings + [_check_package(name) for name in _required_packages()]


def _required_packages() -> list[str]:
    try:
        lines = metadata.requires("litterm") or []
    except metadata.PackageNotFoundError:
        return []
    # What an extra would bring may be left out on purpose.
    plain = (line for line in lines if "extra ==" not in line)
    # The name ends where extras, versions or conditions begin: `pypdf[crypto]>=7.1,<8`.
    return sorted(re.split(r"[\s\[<>=!~;(]", line, maxsplit=1)[0] for line in plain)


def _check_package(name: str) -> Diagnosis:
    try:
        return Diagnosis("versions", name, metadata.version(name))
    except metadata.PackageNotFoundError:
        hint = f"pip install {name}"
        return Diagnosis("versions", name, "not installed", state="bad", hint=hint)


def check_terminal(environ: Mapping[str, str]) -> list[Diagnosis]:
    """Streams, size, colours, encoding, multiplexer and clipboard."""
    size = shutil.get_terminal_size()
    encoding = getattr(sys.stdout, "encoding", None) or "none"
    term = environ.get("TERM", "")
    findings = [
        with_hint(Diagnosis("terminal", "TERM", term), _TERM_HINT, when=term in ("", "dumb")),
        Diagnosis("terminal", "input, output", f"{_stream_kind(sys.stdin)}, {_stream_kind(sys.stdout)}"),
        with_hint(
            Diagnosis("terminal", "size", f"{size.columns}x{size.lines}"),
            "the workbench is made for 80x24 and more",
            when=size.columns < 80 or size.lines < 24,
        ),
        Diagnosis("terminal", "colours", _colours(environ)),
        with_hint(Diagnosis("terminal", "encoding", encoding), _UTF_HINT, when=not encoding.lower().startswith("utf")),
        _clipboard(environ),
    ]
    return findings + _tmux(environ)


def _stream_kind(stream: TextIO | None) -> str:
    if stream is None:
        return "closed"
    return "terminal" if stream.isatty() else "file or pipe"


def _colours(environ: Mapping[str, str]) -> str:
    if environ.get("NO_COLOR"):
        return "none (NO_COLOR)"
    term = environ.get("TERM", "")
    if environ.get("COLORTERM", "") in ("truecolor", "24bit"):
        return "16.7 million (COLORTERM)"
    if "256" in term:
        return "256 (TERM)"
    return "none (TERM)" if term in ("", "dumb") else "16"


def _clipboard(environ: Mapping[str, str]) -> Diagnosis:
    """The tool that copies; without one OSC 52, which the terminal must allow."""
    if sys.platform == "darwin" and shutil.which("pbcopy"):
        return Diagnosis("terminal", "clipboard", "pbcopy")
    for variable, tool, _package_name in _CLIPBOARD_TOOLS:
        if environ.get(variable) and shutil.which(tool):
            return Diagnosis("terminal", "clipboard", tool)
    if shutil.which("clip.exe"):
        return Diagnosis("terminal", "clipboard", "clip.exe")
    if environ.get("SSH_TTY") or environ.get("SSH_CONNECTION"):
        hint = "your terminal must allow programs to set the clipboard; the last copy is also in a file"
        return Diagnosis("terminal", "clipboard", "OSC 52, over ssh", state="note", hint=hint)
    package = next((package for variable, _tool, package in _CLIPBOARD_TOOLS if environ.get(variable)), "")
    hint = f"install {package}" if package else "no display found; the last copy is also in a file"
    return Diagnosis("terminal", "clipboard", "OSC 52", state="missing" if package else "note", hint=hint)


def _tmux(environ: Mapping[str, str]) -> list[Diagnosis]:
    if not environ.get("TMUX"):
        return []
    required_options = (("allow-passthrough", ("on", "all")), ("set-clipboard", ("on",)))
    findings = []
    for option, allowed in required_options:
        value = _tmux_option(option)
        hint = f"in tmux.conf: set -g {option} on (copying from inside tmux needs it)"
        findings.append(
            with_hint(Diagnosis("terminal", f"tmux {option}", value or "unknown"), hint, when=value not in allowed)
        )
    return findings


def _tmux_option(option: str) -> str:
    tmux = shutil.which("tmux")
    if tmux is None:
        return ""
    try:
        command = [tmux, "show-options", "-gqv", option]
        completed = subprocess.run(command, capture_output=True, text=True, timeout=_TMUX_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return completed.stdout.strip()


def is_writable(path: Path) -> bool:
    """Whether `path`, or the nearest folder above it that exists, can be written to."""
    existing = next(folder for folder in (path, *path.parents) if folder.exists() or folder == folder.parent)
    return os.access(existing, os.W_OK)
