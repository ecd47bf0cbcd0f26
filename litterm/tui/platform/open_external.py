"""Opening a paper in another program: its PDF in a viewer, or its page on the web in a browser."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.model.paper import Paper
from litterm.text.escape import plain

_MAX_LAUNCH_S = 3.0
"""How long a launcher is watched: one that finds no program has ended by then, a viewer may run on."""
_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class ExternalPlace:
    """Where a paper can be looked at outside."""

    address: str = ""
    """What another program is given to open; empty if there is nothing."""
    host: str = ""
    """The host that is asked for it; empty for a file of this machine."""
    notice: str = ""
    """Which imported PDF cannot be opened, and why."""


def find_external_place(paper: Paper, page: int | None) -> ExternalPlace:
    """The PDF that the user imported, at `page`, else the first web address."""
    missing: dict[str, None] = {}
    for path in _imported_pdfs(paper):
        if path.is_file():
            return ExternalPlace(path.resolve().as_uri() + (f"#page={page}" if page else ""))
        missing[_where_it_was(path)] = None
    address = next((url for url in paper.urls if url.startswith(("https://", "http://"))), "")
    # Viewers and browsers take the page from the fragment; a page on the web that is no PDF would not know it.
    if page and address.lower().endswith(".pdf"):
        address = f"{address}#page={page}"
    return ExternalPlace(address, _host_name(address), " ".join(missing))


def open_task(place: ExternalPlace) -> Task[str]:
    """Open a place in another program; returns a sentence on what happened."""
    yield Progress("opening outside")
    opener, address = "open" if sys.platform == "darwin" else "xdg-open", plain(place.address)
    if shutil.which(opener) is None:
        return f"No program to open it with ({opener} is not installed); the address is {address}"
    try:
        # The viewer outlives litterm: it gets a session of its own and none of our streams.
        launcher = subprocess.Popen(
            [opener, place.address],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        return f"{opener} cannot be started ({error.strerror}); the address is {address}"
    # Waited for in a thread, however long the viewer runs: an ended process that nobody waits for stays as a zombie.
    threading.Thread(target=launcher.wait, name="litterm-viewer", daemon=True).start()
    until = time.monotonic() + _MAX_LAUNCH_S
    while launcher.returncode is None and time.monotonic() < until:
        yield Progress("opening outside")
        time.sleep(_POLL_S)
    if launcher.returncode:
        return f"No program opened it: {opener} ended with status {launcher.returncode}. The address is {address}"
    return f"Opened {address}"


def _imported_pdfs(paper: Paper) -> Iterator[Path]:
    """The files of this machine that the paper was read from, or that its record names, also before it was merged."""
    for record in (paper, *(source.paper for source in paper.sources)):
        origin = Path(record.provenance.origin)
        # Only whole paths: of a group's server only the name of a file is known, and it is on another machine.
        if origin.suffix.lower() == ".pdf" and origin.is_absolute():
            yield origin
    for record in (paper, *(source.paper for source in paper.sources)):
        folder = Path(record.provenance.origin).parent
        for name in record.imprint.files:
            file = folder / Path(name).expanduser()
            if file.suffix.lower() == ".pdf" and file.is_absolute():
                yield file


def _where_it_was(path: Path) -> str:
    archive, mark, member = str(path).partition("!")
    if mark and Path(archive).is_file():
        return f"Its PDF is {plain(member)} inside {plain(archive)}, which has to be unpacked first."
    return f"Its PDF is no longer at {plain(str(path))}; `:add PATH` says where it is now."


def _host_name(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    # Brackets of an IPv6 address that do not close.
    except ValueError:
        return address
