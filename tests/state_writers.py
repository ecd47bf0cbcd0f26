"""Another process that is writing to the state of a library."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WRITER = """
import sys, time
from pathlib import Path
from litterm.library.state.connection import StateDatabase
with StateDatabase(Path(sys.argv[1])).write() as connection:
    connection.execute("INSERT INTO session VALUES ('other', '{}')")
    print("begun", flush=True)
    time.sleep(float(sys.argv[2]))
"""


@contextmanager
def other_writer(root: Path, seconds: float = 60.0) -> Iterator[subprocess.Popen[str]]:
    """Another process in the middle of a transaction that lasts `seconds`."""
    argv = [sys.executable, "-c", WRITER, str(root), str(seconds)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "begun\n"
        try:
            yield process
        finally:
            process.kill()
