"""Every so manyth item of a file of real data: what a whole file would need minutes for."""

from __future__ import annotations

import gzip
import json
from pathlib import Path


def every_nth_line(path: Path, step: int, folder: Path) -> Path:
    """A file in `folder` with the first of every `step` lines of `path`, which may be compressed."""
    packed = path.read_bytes()
    lines = (gzip.decompress(packed) if path.suffix == ".gz" else packed).splitlines(keepends=True)
    # Named after its folder, too: reports take the name of a set from there.
    out = folder / path.parent.name / path.name
    out.parent.mkdir(parents=True, exist_ok=True)
    sample = b"".join(lines[::step])
    out.write_bytes(gzip.compress(sample, 1) if path.suffix == ".gz" else sample)
    return out


def every_nth_item(path: Path, step: int, folder: Path) -> Path:
    """The same for a JSON object, whose values are the items."""
    items = list(json.loads(path.read_text("utf-8")).items())
    out = folder / path.name
    out.write_text(json.dumps(dict(items[::step])), "utf-8")
    return out
