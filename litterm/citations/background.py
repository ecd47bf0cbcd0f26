"""`python -m litterm.citations.background LIBRARY`: reads the reference lists of a library that are not read yet.

A process of its own, which continues when the command that started it has ended. Killed, it costs the lists it was at.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from litterm.citations.citations import Citations
from litterm.citations.service_lists import ServiceLists
from litterm.citations.store import CitationStore
from litterm.core.errors import LittermError
from litterm.core.tasks import run
from litterm.library.workers.process import start_detached

_MODULE: Final = "litterm.citations.background"
_NICENESS: Final = 10
"""Niceness of the process, so that searches have priority."""
_LOG_FILE: Final = "background.log"
"""Log file next to the graph: why the last background process failed."""


def start_background(root: Path) -> subprocess.Popen[bytes] | None:
    """Starts a process that reads the lists of the library in `root`; `None` if it could not write there.

    Nobody has to wait for it.
    """
    return start_detached(_MODULE, str(root.resolve()), log=root / "citations" / _LOG_FILE)


def catch_up_all(citations: Citations) -> None:
    """Brings the graph up to date, also with papers added meanwhile; returns at once if another process does it."""
    while not citations.is_current():
        before = citations.settled
        run(citations.catch_up())
        if citations.settled == before:
            return


def main(arguments: Sequence[str]) -> int:
    """Reads the lists of the library in the folder named; 1 if it could not continue."""
    # Opened here and not in the starting process, which may never need them.
    from litterm.library.index.reader import IndexFolder
    from litterm.library.segments.citing_texts import CitingTexts
    from litterm.library.segments.library import DuckLibrary
    from litterm.library.title_lookup import LibraryWorks

    os.nice(_NICENESS)
    root = Path(arguments[0])
    library, index = DuckLibrary(root), IndexFolder()
    citations = Citations(
        CitationStore(root),
        CitingTexts(library),
        ServiceLists(root),
        library,
        lambda: LibraryWorks(library, index),
    )
    try:
        catch_up_all(citations)
    except LittermError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    finally:
        citations.store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
