"""Reads the keys of a user's bibliography, and appends entries without duplicates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from litterm.core.errors import BadInput
from litterm.core.user_files import append_to_file
from litterm.importers.bibtex.reader import read_bibtex
from litterm.importers.byte_sources import file_content
from litterm.importers.encoding import decode_text, encode_addition
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm.render.bibliography.bibliography import Bibliography
from litterm.render.bibliography.keys import STANDARD_KEYS, CitationKeys


def read_entries(path: Path) -> tuple[Paper, ...]:
    """The entries of the file at `path`, in order, their keys in `imprint.bibkey`; none where there is no file yet.

    Raises:
        BadInput: it cannot be read.
    """
    try:
        size = path.stat().st_size
        if not path.read_bytes().strip():
            return ()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from error
    try:
        return tuple(item.paper for item in read_bibtex(file_content(path, size)) if isinstance(item, Parsed))
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from error


def read_bibliography(path: Path, citation_keys: CitationKeys = STANDARD_KEYS) -> Bibliography:
    """The file at `path`; empty where there is none yet, or nothing in it. `citation_keys` makes new keys.

    Raises:
        BadInput: it cannot be read.
    """
    return Bibliography(read_entries(path), citation_keys)


def append_entries(
    path: Path, papers: Sequence[Paper], *, force: bool = False, citation_keys: CitationKeys = STANDARD_KEYS
) -> dict[PaperId, str]:
    """Adds those of `papers` that `path` lacks to its end; the key of each by id. What is there is not touched.

    Raises:
        BadInput: the file cannot be read or written, or is, without `force`, a link to another folder.
        DiskFull: there is no room.
    """
    keys, addition = missing_entries(path, papers, citation_keys)
    if addition:
        append_to_file(path, addition, force=force)
    return keys


def missing_entries(
    path: Path, papers: Sequence[Paper], citation_keys: CitationKeys = STANDARD_KEYS
) -> tuple[dict[PaperId, str], bytes]:
    """The key of each of `papers` by id, and what has to be behind the end of `path` so that it holds them all.

    Raises:
        BadInput: the file cannot be read.
    """
    keys, text = read_bibliography(path, citation_keys).add(papers)
    if not text:
        return keys, b""
    try:
        decoded = decode_text(path.read_bytes() if path.exists() else b"")
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from error
    before = decoded.text[-2:]
    # One blank line between entries, whatever the file ended with.
    gap = "" if not before or before == "\n\n" else ("\n" if before.endswith("\n") else "\n\n")
    return keys, encode_addition(gap + text, decoded.encoding)
