"""The imports of a library: which source brought which papers, and which of the sources are the user's own.

The user's own are bibliographies, reference managers, PDFs, loose articles and ids, and rows of JSON Lines that litterm
wrote of such papers. Archives are not: the ACL Anthology, other JSON Lines, articles inside an archive file, and what a
service was synchronised with.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Literal

from litterm.core.errors import SegmentDamaged, SegmentGone, UsageError
from litterm.library.segments.stated_records import (
    ArchiveCount,
    StatedRecord,
    archive_papers,
    count_archive_records,
    is_of_archive,
    read_stated_records,
)
from litterm.model.events import Progress
from litterm.model.imports import LibraryImport
from litterm.model.paper import CORRECTION, Paper, PaperId, library_name_of
from litterm.model.search import IMPORT_PREFIX, MINE_LIST
from litterm.model.services import SERVICE_NAMES

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.library.shown_library import ShownLibrary
    from litterm.model.annotations import RecordVisibility
    from litterm.model.library import Segment, Snapshot

_LINE = re.compile(r":\d+$")
_SYNCHRONISED = re.compile(r"(acl|iclr|pmc|arxiv|s2):")
_ARTICLE_FORMATS = ("pdf", "jats", "bioc", "html")
"""One file a paper: the files of a folder are one import."""
_MIN_FILES_OF_FOLDER = 5
"""So many files of one folder with a record each are one import, whatever their format: a name a paper says nothing."""
_MAX_SUGGESTED = 3

_Kind = Literal["file", "folder", "zotero", "ids", "service"]


@dataclass(frozen=True, slots=True)
class ImportKey:
    """What the records of one import have in common."""

    kind: _Kind
    place: str
    """Path of the file, folder or database; name of the service; of ids the day on which they were fetched."""
    group: str = ""
    """Name of a group whose library of Zotero it is."""


@dataclass(slots=True)
class _Tally:
    """One import while its records are counted."""

    is_mine: bool
    papers: set[PaperId] = field(default_factory=set)
    merged: set[PaperId] = field(default_factory=set)
    counted: int = 0
    """Papers of an archive, which are not read one by one."""
    counted_merged: int = 0
    formats: Counter[str] = field(default_factory=Counter)
    searches: Counter[str] = field(default_factory=Counter)
    """Databases with the day of the search, as the records state them."""
    first: str = ""

    def add(self, form: str, imported_at: str, count: int = 1) -> None:
        self.formats[form] += count
        self.add_time(imported_at)

    def add_time(self, imported_at: str) -> None:
        self.first = min(filter(None, (self.first, imported_at)), default="")

    def count(self, archive: ArchiveCount) -> None:
        self.counted += archive.papers
        self.counted_merged += archive.merged
        self.add(archive.provenance.format, archive.provenance.imported_at, archive.papers)


@dataclass(slots=True)
class _State:
    """The imports of one snapshot of the library under one set of decisions on records."""

    snapshot: Snapshot
    decided: RecordVisibility
    tallies: Mapping[ImportKey, _Tally]
    """Of archives only what is merged with a source of the user's own."""
    own: Mapping[ImportKey, LibraryImport]
    mine: frozenset[PaperId]
    folders: Mapping[ImportKey, ImportKey]
    """Of files that are counted as one folder, that folder."""
    files: Mapping[ImportKey, LibraryImport]
    """These files; a query finds them by name all the same."""
    archives: Mapping[ImportKey, LibraryImport] | None = None
    """Counted when they are asked for: most of a library may be from archives."""
    archive_papers: dict[ImportKey, frozenset[PaperId]] = field(default_factory=dict)
    """Of archives that a query has named."""


class LibraryImports:
    """The imports of the user's library; thread-safe. What was read of a segment is kept, as it never changes."""

    def __init__(self, library: ShownLibrary) -> None:
        self._library = library
        self._records: dict[str, tuple[StatedRecord, ...]] = {}
        self._last: _State | None = None

    def all(self) -> Task[tuple[LibraryImport, ...]]:
        """Every import, the user's own first, of these those of the last day.

        Raises:
            LibraryError: the library cannot be read.
        """
        segments = self._library.snapshot().segments
        for place, segment in enumerate(segments):
            yield Progress("reading where papers come from", place, len(segments))
            # One that is gone or damaged is left out by the next snapshot.
            with suppress(SegmentGone, SegmentDamaged):
                self._stated(segment)
        return (*self.own(), *self._archives(self._current()).values())

    def own(self) -> tuple[LibraryImport, ...]:
        """The imports of the user's own, those of the last day first, of one day by name."""
        by_name = sorted(self._current().own.values(), key=lambda one: one.name.casefold())
        return tuple(sorted(by_name, key=lambda one: one.imported_on, reverse=True))

    def mine(self) -> frozenset[PaperId]:
        """The papers that an import of the user's own states."""
        return self._current().mine

    def papers(self, condition: str) -> frozenset[PaperId]:
        """The papers of the imports that a name behind `IMPORT_PREFIX` means, or those of `MINE_LIST`.

        Raises:
            UsageError: no import has this name; the message tells names near it.
        """
        if condition == MINE_LIST:
            return self.mine()
        state = self._current()
        keys = self._keys_named(state, condition.removeprefix(IMPORT_PREFIX))
        return frozenset().union(
            *(
                state.tallies[key].papers
                if key in state.own or key in state.files
                else self._archive_papers(state, key)
                for key in keys
            )
        )

    def find(self, name: str) -> LibraryImport:
        """The import of this name.

        Raises:
            UsageError: there is none, or it may be several.
        """
        state = self._current()
        keys = self._keys_named(state, name)
        imports = [state.own.get(key) or state.files.get(key) or self._archives(state)[key] for key in keys]
        if len(imports) > 1:
            names = ", ".join(f"“{one.name}”" for one in imports)
            raise UsageError(f"“{name}” may be {names}; name one of them.")
        return imports[0]

    def place_of(self, one: LibraryImport) -> tuple[Path, Callable[[Paper], bool]]:
        """Where the import came from, and whether a record, as a source stated it, came with it.

        Raises:
            UsageError: it came from services.
        """
        state = self._current()
        known = (*state.own.items(), *state.files.items(), *self._archives(state).items())
        key = next((key for key, known_import in known if known_import == one), None)
        if key is None or key.kind in ("ids", "service"):
            raise UsageError(f"“{one.name}” came from services; `litterm remove PAPER...` hides papers of it.")

        def came_with(paper: Paper) -> bool:
            stated = import_key(_stated_by(paper))
            return key in (stated, state.folders.get(stated))

        return Path(key.place), came_with

    def _keys_named(self, state: _State, name: str) -> Sequence[ImportKey]:
        """The imports that `name` means; never none."""
        keys = _keys_named(state.own, name) or _keys_named(state.files, name)
        if not keys or name.endswith("*"):
            keys += _keys_named(self._archives(state), name)
        if not keys:
            known = (one.name for one in (*state.own.values(), *self._archives(state).values()))
            raise UsageError(_unknown_name(name, known))
        return keys

    def _current(self) -> _State:
        snapshot, decided = self._library.snapshot(), self._library.decided()
        state = self._last
        if state is None or state.snapshot is not snapshot or state.decided is not decided:
            tallies = self._library.stored.with_newest_snapshot(self._tally)
            stated = {key: tally for key, tally in tallies.items() if tally.is_mine}
            folders = _folders_of_files(stated)
            own = _with_folders(stated, folders)
            mine = frozenset().union(*(tally.papers for tally in own.values()))
            files = _named({key: stated[key] for key in folders})
            state = self._last = _State(snapshot, decided, tallies | own, _named(own), mine, folders, files)
        return state

    def _archives(self, state: _State) -> Mapping[ImportKey, LibraryImport]:
        if state.archives is None:
            tallies: dict[ImportKey, _Tally] = {}
            for segment in state.snapshot.segments:
                for count in count_archive_records(self._library.stored.view, segment, segment.shadowed):
                    key = import_key(StatedRecord(0, PaperId(""), count.provenance))
                    tally = tallies.setdefault(key, _Tally(is_mine=False))
                    tally.count(count)
            state.archives = _named(tallies)
        return state.archives

    def _archive_papers(self, state: _State, key: ImportKey) -> frozenset[PaperId]:
        """The papers that the archive `key` states, by the ids of their records."""
        if key not in state.archive_papers:
            state.archive_papers[key] = frozenset(
                paper_id
                for segment in state.snapshot.segments
                for paper_id, provenance in archive_papers(self._library.stored.view, segment, key.place)
                if import_key(StatedRecord(0, paper_id, provenance)) == key
            )
        return state.archive_papers[key]

    def _tally(self, snapshot: Snapshot) -> dict[ImportKey, _Tally]:
        """The imports of the records that are read; of archives only what is merged with one of the user's own."""
        tallies: dict[ImportKey, _Tally] = {}
        keys_by_paper: dict[PaperId, set[ImportKey]] = defaultdict(set)
        for shown_id, record in self._shown_records(snapshot):
            key = import_key(record)
            tally = tallies.setdefault(key, _Tally(is_mine=not is_of_archive(record.provenance)))
            tally.papers.add(shown_id)
            tally.add(record.provenance.format, record.provenance.imported_at)
            if record.databases and record.exported_on:
                tally.searches[f"{record.databases[0]} {record.exported_on}"] += 1
            keys_by_paper[shown_id].add(key)
        for paper_id, keys in keys_by_paper.items():
            for key in keys if len(keys) > 1 else ():
                tallies[key].merged.add(paper_id)
        return tallies

    def _shown_records(self, snapshot: Snapshot) -> Iterator[tuple[PaperId, StatedRecord]]:
        """The records of papers that are shown, each with the id of the paper that it is shown in."""
        records = []
        for segment in snapshot.segments:
            shadowed = set(segment.shadowed)
            records += [record for record in self._stated(segment) if record.row not in shadowed]
        shown_ids = self._library.shown_ids([record.paper_id for record in records])
        for record, shown_id in zip(records, shown_ids, strict=True):
            if shown_id is not None:
                yield shown_id, record

    def _stated(self, segment: Segment) -> tuple[StatedRecord, ...]:
        if segment.key not in self._records:
            records = read_stated_records(self._library.stored.view, segment)
            self._records[segment.key] = tuple(
                record for record in records if record.provenance.format not in ("", CORRECTION)
            )
        return self._records[segment.key]


def _folders_of_files(tallies: Mapping[ImportKey, _Tally]) -> dict[ImportKey, ImportKey]:
    """The files of one record each that are counted as one folder, each with it."""
    files_by_folder: dict[PurePath, list[ImportKey]] = defaultdict(list)
    for key, tally in tallies.items():
        if key.kind == "file" and tally.formats.total() == 1:
            files_by_folder[PurePath(key.place).parent].append(key)
    return {
        key: ImportKey("folder", str(folder))
        for folder, keys in files_by_folder.items()
        if len(keys) >= _MIN_FILES_OF_FOLDER
        for key in keys
    }


def _with_folders(
    tallies: Mapping[ImportKey, _Tally], folders: Mapping[ImportKey, ImportKey]
) -> dict[ImportKey, _Tally]:
    """`tallies` with those of the files in `folders` joined to one a folder."""
    joined: dict[ImportKey, _Tally] = {}
    for key, tally in tallies.items():
        whole = joined.setdefault(folders.get(key, key), _Tally(is_mine=True))
        whole.papers |= tally.papers
        whole.merged |= tally.merged
        whole.formats += tally.formats
        whole.searches += tally.searches
        whole.add_time(tally.first)
    return joined


def import_key(record: StatedRecord) -> ImportKey:
    """The import that brought `record`."""
    provenance = record.provenance
    if synchronised := _SYNCHRONISED.match(provenance.origin):
        return ImportKey("service", synchronised[1])
    if "://" in provenance.origin.partition("!")[0]:
        if is_of_archive(provenance):
            return ImportKey("service", provenance.format)
        return ImportKey("ids", provenance.imported_at[:10])
    path, inside, _ = _LINE.sub("", provenance.origin).partition("!")
    if provenance.format == "zotero":
        return ImportKey("zotero", path, record.group)
    if provenance.format in _ARTICLE_FORMATS and not inside:
        return ImportKey("folder", str(PurePath(path).parent))
    if provenance.format == "papis":
        # A folder a paper, in that of the library.
        return ImportKey("folder", str(PurePath(path).parent.parent))
    return ImportKey("file", path)


def import_names(paper: Paper) -> tuple[str, ...]:
    """The imports that state `paper`, by names that another import may share."""
    if library_name_of(paper.id) == "starter":
        return ()
    said = [source.paper for source in paper.sources] or [paper]
    names = (
        _plain_name(import_key(_stated_by(record)), _search(record))
        for record in said
        if record.provenance.format not in ("", CORRECTION)
    )
    return tuple(dict.fromkeys(names))


def _stated_by(paper: Paper) -> StatedRecord:
    lines = paper.imprint.note.splitlines() if paper.provenance.format == "zotero" else []
    group = next((line.removeprefix("group library: ") for line in lines if line.startswith("group library: ")), "")
    return StatedRecord(0, paper.id, paper.provenance, group=group)


def _search(paper: Paper) -> str:
    imprint = paper.imprint
    return f"{imprint.databases[0]} {imprint.exported_on}" if imprint.databases and imprint.exported_on else ""


def _named(tallies: Mapping[ImportKey, _Tally]) -> dict[ImportKey, LibraryImport]:
    """The imports, each under a name of its own."""
    plain = {key: _plain_name(key, _only_search(tally)) for key, tally in tallies.items()}
    with_folder = _distinct(plain, {key: f"{name} ({PurePath(key.place).parent.name})" for key, name in plain.items()})
    names = _distinct(with_folder, {key: f"{plain[key]} ({key.place})" for key in plain})
    return {key: _as_import(key, names[key], tally) for key, tally in tallies.items()}


def _distinct(names: Mapping[ImportKey, str], longer: Mapping[ImportKey, str]) -> dict[ImportKey, str]:
    """`names`, with a longer one where several have the same."""
    counts = Counter(name.casefold() for name in names.values())
    return {key: longer[key] if counts[name.casefold()] > 1 else name for key, name in names.items()}


def _only_search(tally: _Tally) -> str:
    """Database and day of the search, where most records state one and no other."""
    if len(tally.searches) != 1 or 2 * sum(tally.searches.values()) < sum(tally.formats.values()):
        return ""
    return next(iter(tally.searches))


def _plain_name(key: ImportKey, search: str) -> str:
    match key.kind:
        case "zotero":
            return f"Zotero: {key.group or 'My Library'}"
        case "ids":
            return f"ids {key.place}".strip()
        case "service":
            return SERVICE_NAMES.get(key.place, key.place)
        case _:
            return search or PurePath(key.place).name or key.place


def _as_import(key: ImportKey, name: str, tally: _Tally) -> LibraryImport:
    return LibraryImport(
        name=name,
        format=tally.formats.most_common(1)[0][0],
        origin="" if key.kind == "ids" else key.place,
        papers=len(tally.papers) or tally.counted,
        merged=len(tally.merged) or tally.counted_merged,
        imported_on=tally.first[:10],
        is_mine=tally.is_mine,
    )


def _keys_named(imports: Mapping[ImportKey, LibraryImport], name: str) -> list[ImportKey]:
    """The imports of this name in any case, or with a star behind it all that begin so."""
    sought = name.strip().casefold()
    beginning = sought.removesuffix("*")
    keys = [
        key
        for key, one in imports.items()
        if one.name.casefold() == sought or (beginning != sought and one.name.casefold().startswith(beginning))
    ]
    # A file is also found by its bare name, where others have the same.
    return keys or [key for key in imports if PurePath(key.place).name.casefold() == sought]


def _unknown_name(name: str, known: Iterable[str]) -> str:
    # 10 ms to import, and only a mistake needs it.
    from difflib import get_close_matches

    by_folded = {one.casefold(): one for one in known}
    near = get_close_matches(name.casefold(), list(by_folded), n=_MAX_SUGGESTED, cutoff=0.4)
    names = " or ".join(f"“{by_folded[one]}”" for one in near)
    hint = f"did you mean {names}? `litterm imports` lists all." if near else "`litterm imports` lists all."
    return f"No import is named “{name}”; {hint}"
