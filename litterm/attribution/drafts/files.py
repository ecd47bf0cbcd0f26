"""The files of a draft: those that it takes in, inside its folder, and the bibliographies that belong to it."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from litterm.core.errors import BadInput
from litterm.importers.bibtex.bibliography import read_entries
from litterm.model.attribution.draft import Draft, DraftFile, DraftForm, DraftProject, Inclusion
from litterm.model.document import Span
from litterm.model.paper import Paper
from litterm.text.drafts.parser import draft_form, read_draft

_MAX_DRAFT_BYTES = 10_000_000
MAX_FILES = 500
"""Files of one draft; further ones are named and not read."""
# Without the mark in front UTF-16 reads as Latin-1 full of NUL, which is refused as no text.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAX_BIB_BYTES = 30_000_000
"""Bytes: the whole ACL Anthology has more, and is no bibliography of a project."""
COPY_SUFFIX = ".cited"
"""Of what is written beside a draft; not taken for a bibliography that the user keeps."""


@dataclass(frozen=True, slots=True)
class ReadFiles:
    """The files of a draft, itself first, and what could not be followed."""

    files: tuple[DraftFile, ...]
    notices: tuple[str, ...]


@dataclass(slots=True)
class _Taken:
    """A file that was read, with the places that name it."""

    file: DraftFile
    places: list[tuple[Path, Span]] = field(default_factory=list)


class PartReader:
    """Reads one draft and the files that it takes in, each once; what lies outside its folder is named, never read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._folder = path.parent.resolve()
        self._taken: dict[Path, _Taken] = {}
        self._notices: dict[str, None] = {}
        self._only: set[str] = set()
        """What `\\includeonly` names; empty where there is none."""

    def read(self) -> ReadFiles:
        """The draft and its parts, depth first.

        Raises:
            BadInput: the draft itself cannot be read, or is no text.
        """
        text, encoding = read_text(self._path)
        draft = read_draft(text, draft_form(self._path.name))
        self._taken[self._path.resolve()] = _Taken(DraftFile(self._path, encoding, draft))
        self._only = {_without_suffix(item.name) for item in draft.inclusions if item.kind == "only"}
        self._follow(DraftFile(self._path, encoding, draft), self._path.parent, has_text=True)
        files = tuple(replace(taken.file, taken_in_at=tuple(taken.places)) for taken in self._taken.values())
        return ReadFiles(files, tuple(self._notices))

    def _follow(self, file: DraftFile, base: Path, *, has_text: bool) -> None:
        """Reads what `file` takes in; `base` is the folder that its names are relative to."""
        # A list instead of recursion: drafts may nest as deep as they like.
        waiting = [(file, base, has_text, item) for item in reversed(file.draft.inclusions)]
        while waiting:
            file, base, has_text, item = waiting.pop()
            if item.kind == "only":
                continue
            if item.kind == "include" and self._only and _without_suffix(item.name) not in self._only:
                self._tell(f"{item.name} is left out, as \\includeonly does not name it.")
                continue
            part = self._take_in(file, base, item, has_text=has_text and item.has_text)
            if part is not None:
                own, folder = part
                waiting += [(own, folder, own.has_text, each) for each in reversed(own.draft.inclusions)]

    def _take_in(
        self, file: DraftFile, base: Path, item: Inclusion, *, has_text: bool
    ) -> tuple[DraftFile, Path] | None:
        """The file that `item` names and the folder of its own names; `None` where it is not read now."""
        folder = base if item.kind not in ("import", "subimport") else _import_folder(self._path, base, item)
        place = self._find(file, base, folder, item)
        if place is None:
            return None
        real = place.resolve()
        if real in self._taken:
            self._taken[real].places.append((file.path, item.span))
            return None
        if len(self._taken) >= MAX_FILES:
            self._tell(f"{item.name} is not read: the draft takes in more than {MAX_FILES} files.")
            return None
        try:
            text, encoding = read_text(place)
        except BadInput as error:
            self._tell(f"{error} The draft takes it in.")
            return None
        draft = _read_part(text, draft_form(place.name) if place.suffix else file.draft.form, has_text=has_text)
        own = DraftFile(self._shown(real), encoding, draft, has_text=has_text)
        self._taken[real] = _Taken(own, [(file.path, item.span)])
        return own, folder

    def _find(self, file: DraftFile, base: Path, folder: Path, item: Inclusion) -> Path | None:
        """The existing file that `item` names, inside the draft's folder; else a notice that names it."""
        written = f"{item.folder.rstrip('/')}/{item.name}" if item.folder else item.name
        if "\\" in written or "#" in written:
            self._tell(f"{written}, which {file.path.name} takes in, is named by a command and not read.")
            return None
        folders = dict.fromkeys((folder, base, self._path.parent, file.path.parent))
        bases = [folder] if item.folder else list(folders)
        is_outside = False
        for candidate in (where / name for where in bases for name in _spellings(item, file.draft.form)):
            if not _is_file(candidate):
                continue
            if candidate.resolve().is_relative_to(self._folder):
                return candidate
            is_outside = True
        if is_outside:
            self._tell(
                f"{written}, which {file.path.name} takes in, lies outside of the draft's folder and is not read."
            )
        elif item.kind != "optional" and (item.has_text and file.has_text):
            self._tell(f"{written}, which {file.path.name} takes in, was not found.")
        return None

    def _shown(self, real: Path) -> Path:
        """`real` as a path that begins as the user typed that of the draft."""
        return self._path.parent / real.relative_to(self._folder)

    def _tell(self, notice: str) -> None:
        self._notices[notice] = None


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


def _read_part(text: str, form: DraftForm, *, has_text: bool) -> Draft:
    draft = read_draft(text, form, is_part=True)
    # A preamble holds definitions; what looks like a mark there is none.
    return draft if has_text else replace(draft, marks=(), citations=())


def _import_folder(path: Path, base: Path, item: Inclusion) -> Path:
    return (base if item.kind == "subimport" else path.parent) / (item.folder or ".")


def _spellings(item: Inclusion, form: DraftForm) -> Iterator[str]:
    """The names of files that LaTeX tries, in its order."""
    if form == "tex":
        yield f"{item.name}.tex"
    yield item.name


def _without_suffix(name: str) -> str:
    return name.removesuffix(".tex").removeprefix("./")


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
