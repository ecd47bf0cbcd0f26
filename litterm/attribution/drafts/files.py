"""Drafts on this disk with the bibliographies that belong to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from litterm.attribution.drafts.parts import PartReader
from litterm.core.errors import BadInput
from litterm.importers.bibtex.bibliography import read_entries
from litterm.model.attribution.draft import DraftFile, DraftProject
from litterm.model.paper import Paper
from litterm.text.drafts.parser import read_draft

_MAX_BIB_BYTES = 30_000_000
"""Bytes: the whole ACL Anthology has more, and is no bibliography of a project."""
COPY_SUFFIX = ".cited"
"""Of what is written beside a draft; not taken for a bibliography that the user keeps."""


def read_project(path: Path, bibs: Sequence[Path] = ()) -> DraftProject:
    """The draft at `path`, the files it takes in, and its bibliographies: `bibs`, else those named, else one beside it.

    Raises:
        BadInput: the draft or one of `bibs` cannot be read, or it is no draft.
    """
    read = PartReader(path).read()
    first, *included = read.files
    project = DraftProject(path, first.encoding, first.draft, included=tuple(included), notices=read.notices)
    notices: list[str] = []
    entries: list[Paper] = []
    bibs_read: list[Path] = []
    found, notice = (bibs, "") if bibs else _find_bibliographies(project)
    names = {bib.name for bib in found}
    for name in () if bibs else map(_with_suffix, project.bibliographies):
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
    notices += [notice] if notice else []
    known_keys = frozenset(paper.imprint.bibkey for paper in entries if paper.imprint.bibkey)
    # Once more: which unknown commands cite is told by the keys.
    first, *included = _number_marks(_read_again(file, known_keys, len(read.files)) for file in read.files)
    return replace(
        project,
        draft=first.draft,
        included=tuple(included),
        bibs=tuple(bibs_read),
        entries=tuple(entries),
        notices=(*read.notices, *notices),
    )


def _read_again(file: DraftFile, known_keys: frozenset[str], count: int) -> DraftFile:
    if not known_keys or not file.has_text:
        return file
    draft = read_draft(file.draft.text, file.draft.form, known_keys, is_part=count > 1)
    return replace(file, draft=draft)


def _number_marks(files: Iterable[DraftFile]) -> Iterator[DraftFile]:
    """`files` with indices of marks that count through all of them."""
    count = 0
    for file in files:
        marks = tuple(replace(mark, index=count + number) for number, mark in enumerate(file.draft.marks))
        count += len(marks)
        yield replace(file, draft=replace(file.draft, marks=marks))


def _entries(path: Path) -> tuple[Paper, ...]:
    try:
        if path.stat().st_size > _MAX_BIB_BYTES:
            raise BadInput(f"{path}: too large to look through; its keys are not known here.")
    except FileNotFoundError:
        pass
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from error
    return read_entries(path)


def _find_bibliographies(project: DraftProject) -> tuple[list[Path], str]:
    """Existing files, and what is to be said of the choice.

    Those named, from the draft's folder, the one above or that of the file that names it. Where none is named, the one
    beside the draft, or above; of several the one of the draft's name, or those with a key that it cites.
    """
    path = project.path
    folders = (path.parent, path.parent.resolve().parent, *(file.path.parent for file in project.included))
    if project.bibliographies:
        names = [_with_suffix(name) for name in project.bibliographies]
        named = [[folder / name for folder in folders if _is_file(folder / name)] for name in names]
        return [places[0] for places in named if places], ""
    for folder in folders[:2]:
        siblings = sorted(bib for bib in _bib_files(folder) if not bib.stem.endswith(COPY_SUFFIX))
        if len(siblings) > 1:
            return _choose_bibliography(project, siblings)
        if siblings:
            return siblings, ""
    return [], ""


def _choose_bibliography(project: DraftProject, siblings: Sequence[Path]) -> tuple[list[Path], str]:
    """Of several bibliographies beside a draft that names none, its own."""
    same_name = [bib for bib in siblings if bib.stem == project.path.stem]
    if same_name:
        return same_name, ""
    cited = {key for file in project.files for citation in file.draft.citations for key in citation.keys}
    chosen = [bib for bib in siblings if cited & _keys_of(bib)] if cited else []
    if chosen:
        return chosen, ""
    return [], (
        f"The draft names no bibliography, and {len(siblings)} .bib files are in {siblings[0].parent}: "
        "name yours with --bib FILE, or in the draft."
    )


def _keys_of(bib: Path) -> frozenset[str]:
    try:
        return frozenset(paper.imprint.bibkey for paper in _entries(bib))
    except BadInput:
        return frozenset()


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
