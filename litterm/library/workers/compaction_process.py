"""The process that compacts a library behind whoever uses it: starting it, and what the last one died of."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

from litterm.library.lock import read_holder
from litterm.library.workers.interpreter import start_detached

COMPACTION_LOCK: Final = "compaction.lock"
"""In the library's folder: two would do the same work."""
FAILURE: Final = "compaction.log"
"""What the last one died of; empty or not there when nothing went wrong."""
_MODULE: Final = "litterm.library.workers.compaction"


def start(root: Path) -> subprocess.Popen[bytes] | None:
    """Has segments of the library in `root` made one by another process, unless one is at it.

    Nobody has to wait for it; `None` where there is none.
    """
    if read_holder(root / COMPACTION_LOCK) is not None:
        return None
    return start_detached(_MODULE, str(root.resolve()), log=root / FAILURE)


def last_failure(root: Path) -> str:
    """What the last compaction died of; empty if nothing went wrong."""
    try:
        return (root / FAILURE).read_text("utf-8", "replace").strip().rpartition("\n")[2]
    except OSError:
        return ""
