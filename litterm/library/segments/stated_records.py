"""Which source stated each record of a segment: the sources of merged records one by one, archives in counts."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.core.json_fields import integer, text
from litterm.model.paper import PaperId, Provenance

if TYPE_CHECKING:
    from litterm.library.segments.library_view import LibraryView
    from litterm.model.library import Segment

_ARCHIVE = (
    '(?:(?:anthology|iclr|jsonl)"|[a-z0-9-]+","(?:acl|iclr|pmc|arxiv|s2):|(?:jats|bioc|pubmed|html)","[^"]*(?:!|\\.gz))'
)
"""The beginning of a provenance, behind its first quote, of a record that an archive states."""
_IS_ARCHIVE = re.compile(_ARCHIVE)
_GROUP = re.compile(r"^group library: (.+)$", re.MULTILINE)

_STATES_ARCHIVE = f"^{_ARCHIVE}"

# Cut out of the text: taking the JSON of a hundred thousand records apart takes ten times as long.
_STATED = 'string_split(record, \'"provenance":["\')[2:]'
_IS_OWN = f"len(list_filter({_STATED}, lambda stated: NOT regexp_matches(stated, $1))) > 0"
_SOURCES = (
    "CASE WHEN contains(record, '\"sources\":')"
    " THEN list_transform((record -> '$.sources')::JSON[], lambda source: source -> '$.record')"
    " ELSE [record::JSON] END"
)
_RECORDS_SQL = (
    "SELECT row, id, said ->> '$.provenance', said ->> '$.details.databases', said ->> '$.details.exported_on',"
    " CASE WHEN said ->> '$.provenance[0]' = 'zotero' THEN said ->> '$.details.note' END"
    f" FROM (SELECT row, id, unnest({_SOURCES}) AS said FROM {{segment}}.paper WHERE {_IS_OWN})"
)
_FORM = "split_part(stated, '\"', 1)"
_ORIGIN = "regexp_replace(split_part(split_part(stated, '\"', 3), '!', 1), ':[0-9]+$', '')"
_COUNTS_SQL = (
    f"SELECT {_FORM} AS form, {_ORIGIN} AS origin,"
    " min(split_part(stated, '\"', 5)), count(DISTINCT row), count(DISTINCT row) FILTER (is_merged)"
    f" FROM (SELECT row, contains(record, '\"sources\":') AS is_merged, unnest({_STATED}) AS stated"
    " FROM {segment}.paper WHERE NOT list_contains($2::INTEGER[], row))"
    " WHERE regexp_matches(stated, $1) GROUP BY form, origin"
)
_NAMING_SQL = (
    f"SELECT DISTINCT id, {_FORM}, {_ORIGIN}"
    f" FROM (SELECT id, unnest({_STATED}) AS stated FROM {{segment}}.paper WHERE contains(record, $2))"
    " WHERE regexp_matches(stated, $1)"
)


@dataclass(frozen=True, slots=True)
class StatedRecord:
    """One record as its source stated it, as far as it tells the import that it belongs to."""

    row: int
    paper_id: PaperId
    """Of the paper that the record is merged into."""
    provenance: Provenance
    databases: tuple[str, ...] = ()
    exported_on: str = ""
    group: str = ""
    """Name of the group whose library of Zotero it is in; empty for the user's own."""


@dataclass(frozen=True, slots=True)
class ArchiveCount:
    """How many papers an archive states."""

    provenance: Provenance
    """With the origin of the archive as a whole, and the earliest time of an import."""
    papers: int
    merged: int
    """Those of them that another source states, too."""


def is_of_archive(provenance: Provenance) -> bool:
    """Whether an archive states the record, and no file of the user's."""
    return _IS_ARCHIVE.match(f'{provenance.format}","{provenance.origin}"') is not None


def read_stated_records(view: LibraryView, segment: Segment) -> tuple[StatedRecord, ...]:
    """Every record of the papers of `segment` that not only archives state, row by row."""
    rows = view.select(segment, _RECORDS_SQL, [_STATES_ARCHIVE])
    return tuple(sorted(map(_stated_record, rows), key=lambda record: record.row))


def count_archive_records(view: LibraryView, segment: Segment, without: Collection[int]) -> tuple[ArchiveCount, ...]:
    """The papers of `segment` by the archive that states them, except at the rows `without`."""
    rows = view.select(segment, _COUNTS_SQL, [_STATES_ARCHIVE, sorted(without)])
    return tuple(
        ArchiveCount(Provenance(text(form), text(origin or ""), text(at or "")), integer(papers), integer(merged))
        for form, origin, at, papers, merged in rows
    )


def archive_papers(view: LibraryView, segment: Segment, place: str) -> Iterator[tuple[PaperId, Provenance]]:
    """The papers of `segment` that an archive states, with `place` somewhere in their record, and the archive."""
    sought = json.dumps(place, ensure_ascii=False)[1:-1]
    for paper_id, form, origin in view.select(segment, _NAMING_SQL, [_STATES_ARCHIVE, sought]):
        yield PaperId(text(paper_id)), Provenance(text(form), text(origin))


def _stated_record(row: tuple[object, ...]) -> StatedRecord:
    number, paper_id, provenance, databases, exported_on, note = row
    group = _GROUP.search(text(note or ""))
    return StatedRecord(
        integer(number),
        PaperId(text(paper_id)),
        Provenance(*json.loads(text(provenance))),
        tuple(json.loads(text(databases))) if databases else (),
        text(exported_on or ""),
        group[1] if group else "",
    )
