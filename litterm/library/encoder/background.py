"""`python -m litterm.library.encoder.background LIBRARY`: makes the vectors of a library in the background.

A process of its own, which continues when the command that started it has ended. Killed, it costs a few papers.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from litterm.core.errors import LittermError
from litterm.core.tasks import run
from litterm.library.workers.process import start_detached

if TYPE_CHECKING:
    from litterm.library.encoder.model_folder import EncoderFolder

_MODULE: Final = "litterm.library.encoder.background"
_NICENESS: Final = 10
"""Niceness of the process, so that searches have priority."""
LOG_FILE: Final = "encoder.log"
"""Why the last background process failed; in the folder of the vectors."""


def start_background(root: Path, files: EncoderFolder) -> subprocess.Popen[bytes] | None:
    """Starts a process that makes the vectors of the library in `root`; `None` if it could not write there.

    Nobody has to wait for it.
    """
    folder = root / "encoder"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    instructions = files.instructions
    argument = json.dumps([str(root.resolve()), str(files.folder.resolve()), instructions.query, instructions.passage])
    return start_detached(_MODULE, argument, log=folder / LOG_FILE)


def main(arguments: Sequence[str]) -> int:
    """Makes the vectors of the library in the folder named; 1 if it could not continue."""
    os.nice(_NICENESS)
    # Before numpy is loaded: half of the cores are left to whoever sits before them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // 2)))
    from litterm.library.encoder.make_vectors import VectorMaker
    from litterm.library.encoder.model_folder import read_folder
    from litterm.library.encoder.sentence_encoder import SentenceEncoder
    from litterm.library.encoder.vector_folder import VectorFolder
    from litterm.library.segments.library import DuckLibrary

    root, folder, query, passage = json.loads(arguments[0])
    try:
        files = read_folder(Path(folder), query=query, passage=passage)
        run(VectorMaker(DuckLibrary(Path(root)), VectorFolder(Path(root), files), SentenceEncoder(files)).make())
    except LittermError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
