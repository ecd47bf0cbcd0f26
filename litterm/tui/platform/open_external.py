"""Opening a paper in another program: a PDF viewer or a browser."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.model.paper import Paper
from litterm.text.escape import plain


def external_address(paper: Paper, page: int | None) -> str:
    """The PDF a paper was read from, else its first web address (with the page of a PDF); empty without either."""
    origin = paper.provenance.origin
    if origin.lower().endswith(".pdf") and Path(origin).is_file():
        return Path(origin).resolve().as_uri() + (f"#page={page}" if page else "")
    address = next((url for url in paper.urls if url.startswith(("https://", "http://"))), "")
    # Viewers and browsers take the page from the fragment; a page on the web that is no PDF would not know it.
    return f"{address}#page={page}" if page and address.lower().endswith(".pdf") else address


def open_task(paper: Paper, page: int | None) -> Task[str]:
    """Open a paper in another program; returns a sentence on what happened."""
    yield Progress("opening outside")
    place = external_address(paper, page)
    if not place:
        return "This paper has no local PDF and no web address."
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    if shutil.which(opener) is None:
        return f"No program to open it with ({opener}); the address is {plain(place)}"
    # The viewer outlives litterm: it gets a session of its own and none of our streams.
    subprocess.Popen(
        [opener, place],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return f"Opened {plain(place)}"
