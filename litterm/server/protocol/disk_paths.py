"""Replaces paths by file names, so that clients do not learn where a server stores files."""

from __future__ import annotations

import re
from dataclasses import replace

from litterm.model.paper import Paper

_ABSOLUTE_PATH = re.compile(r"(?<![\w:/.])/(?:[^/\0\s:;,!'\"“”]+/)+")
"""The folders before a name."""


def hide_origin_path(paper: Paper) -> Paper:
    """`paper` with the name of the file it came from instead of its path, also in what each source said."""
    origin = file_name(paper.provenance.origin)
    files = tuple(map(file_name, paper.imprint.files))
    sources = tuple(replace(source, paper=hide_origin_path(source.paper)) for source in paper.sources)
    if (origin, files, sources) == (paper.provenance.origin, paper.imprint.files, paper.sources):
        return paper
    return replace(
        paper,
        provenance=replace(paper.provenance, origin=origin),
        imprint=replace(paper.imprint, files=files),
        sources=sources,
    )


def file_name(origin: str) -> str:
    """The file name of a path, followed by the member of an archive; addresses stay."""
    if "://" in origin:
        return origin
    path, mark, member = origin.partition("!")
    return f"{path.rpartition('/')[2]}{mark}{member}"


def hide_folders(sentence: str) -> str:
    """`sentence` with names instead of whole paths."""
    return _ABSOLUTE_PATH.sub("", sentence)
