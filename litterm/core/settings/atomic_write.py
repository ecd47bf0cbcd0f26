"""Small files of settings and keys, written whole or not at all, with their access rights from the first byte on."""

from __future__ import annotations

import os
from pathlib import Path

from litterm.core.filesystem import sync_file


def replace_text(path: Path, text: str, *, mode: int = 0o600) -> None:
    """`path` holds either its old content or all of `text`, whatever happens meanwhile; the folder must be there.

    Raises:
        OSError: it cannot be written.
    """
    replace_bytes(path, text.encode("utf-8"), mode=mode)


def replace_bytes(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """As `replace_text`, of bytes.

    Raises:
        OSError: it cannot be written.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}")
    # With its rights when it is made: a key that is protected afterwards could be read in between.
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            sync_file(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
