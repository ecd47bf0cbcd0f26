"""The child's job `pdf`: the text and the title page of one file, under a limit on memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from litterm.core.errors import BadInput
from litterm.importers.pdf.reader import read_pdf
from litterm.library.workers.memory import limit_memory, peak_megabytes
from litterm.library.workers.pdf_wire import as_json

MAX_FILE_BYTES = 256 * 2**20


def answer(request: Mapping[str, object]) -> Mapping[str, object]:
    """The paper in the file `path`, and the child's largest size so far as `peak_mb`.

    `memory_mb` limits the address space: a file that needs more ends in an error, not in a swapping machine;
    `max_pages` the pages.

    Raises:
        BadInput: the file cannot be read, is too large, or holds no text that can be read.
    """
    # Here and not at the start: limits come with the request, from the settings of the parent.
    limit_memory(_whole(request, "memory_mb", 1024))
    path = Path(str(request.get("path")))
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise BadInput(f"The PDF has {size / 2**20:,.0f} MB; more than {MAX_FILE_BYTES >> 20} are not read.")
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(f"The file cannot be read: {error.strerror}.") from error
    return {
        "paper": as_json(read_pdf(content, max_pages=_whole(request, "max_pages", 1000))),
        "peak_mb": peak_megabytes(),
    }


def _whole(request: Mapping[str, object], name: str, otherwise: int) -> int:
    value = request.get(name)
    return value if isinstance(value, int) else otherwise
