"""Drafts on this disk: bytes to text and back, and the bibliographies that belong to them."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from pathlib import Path

from litterm.core.errors import BadInput
from litterm.importers.bibtex.bibliography import read_entries
from litterm.model.attribution.draft import Draft, DraftProject
from litterm.model.paper import Paper
from litterm.text.drafts.parser import draft_form, read_draft

_MAX_DRAFT_BYTES = 10_000_000
_MAX_BIB_BYTES = 30_000_000
"""Bytes: the whole ACL Anthology has more, and is no bibliography of a project."""
COPY_SUFFIX = ".cited"
"""Of what is written beside a draft; not taken for a bibliography that the user keeps."""
# Without the mark in front UTF-16 reads as Latin-1 full of NUL, which is refused as no text.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def read_project(path: Path, bibs: Sequence[Path] = ()) -> DraftProject:
    """The draft at `path` and its bibliographies: `bibs`, else those it names, else those beside it.

    Raises:
        BadInput: the draft or one of `bibs` cannot be read, or it is no draft.
    """
    text, encoding = read_text(path)
    draft = read_draft(text, draft_form(path.name))
    notices: list[str] = []
    entries: list[Paper] = []
    bibs_read: list[Path] = []
    found = bibs or _find_bibliographies(path, draft)
    names = {bib.name for bib in found}
    for name in () if bibs else map(_with_suffix, draft.bibliographies):
        if Path(name).name not in names:
            notices.append(f"{name}, which the draft names, was not found: its keys are not known.")
    for bib in found:
        if bibs and not bib.exists():
            notices.append(f"{bib} does not exist yet: no keys are known from it.")
        try:
            entries += _entries(bib)
        except BadInput as error:
            if bibs:
                raise
            notices.append(str(error))
        else:
            bibs_read.append(bib)
    return DraftProject(path, encoding, draft, tuple(bibs_read), tuple(entries), tuple(notices))


def read_text(path: Path) -> tuple[str, str]:
    """The text at `path`, line ends as they are, and the encoding that gives every byte of it back.

    Raises:
        BadInput: it cannot be read, or is no text.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_DRAFT_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from error
    if len(content) > _MAX_DRAFT_BYTES:
        raise BadInput(f"{path}: larger than {_MAX_DRAFT_BYTES:,} bytes, which is no draft.")
    marked = next((name for mark, name in _BYTE_ORDER_MARKS if content.startswith(mark)), "")
    if not marked and b"\0" in content:
        raise BadInput(f"{path}: not a text.")
    # Latin-1 has a character for every byte, so that whatever it really was comes back unchanged.
    for encoding in ("utf-8", "latin-1") if not marked else (marked,):
        try:
            return content.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    raise BadInput(f"{path}: not a text in {marked}, although it says so.")


def _entries(path: Path) -> tuple[Paper, ...]:
    try:
        if path.stat().st_size > _MAX_BIB_BYTES:
            raise BadInput(f"{path}: too large to look through; its keys are not known here.")
    except FileNotFoundError:
        pass
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from error
    return read_entries(path)


def _find_bibliographies(path: Path, draft: Draft) -> list[Path]:
    """Existing files: those named, from the draft's folder or the one above; else all beside it, or above."""
    folders = (path.parent, path.parent.resolve().parent)
    if draft.bibliographies:
        names = [_with_suffix(name) for name in draft.bibliographies]
        named = [[folder / name for folder in folders if _is_file(folder / name)] for name in names]
        return [places[0] for places in named if places]
    for folder in folders:
        sibling_bibs = sorted(bib for bib in _bib_files(folder) if not bib.stem.endswith(COPY_SUFFIX))
        if sibling_bibs:
            return sorted(sibling_bibs, key=lambda bib: (bib.stem != path.stem, bib.name))
    return []


def _with_suffix(name: str) -> str:
    return name if name.endswith(".bib") else f"{name}.bib"


def _bib_files(folder: Path) -> list[Path]:
    try:
        return [bib for bib in folder.glob("*.bib") if bib.is_file()]
    except OSError:
        return []


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        # A name that no file can have.
        return False
