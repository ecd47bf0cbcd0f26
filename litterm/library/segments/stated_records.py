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
    from litterm.library.segments.connections import LibraryView
    from litterm.model.library import Segment

_ARCHIVE = (
    '(?:(?:anthology|iclr|jsonl)"|[a-z0-9-]+","(?:acl|iclr|pmc|arxiv|s2):|(?:jats|bioc|pubmed|html)","[^"]*(?:!|\\.gz))'
)
"""The beginning of a provenance, behind its first quote, of a record that an archive states."""
_IS_ARCHIVE = re.compile(_ARCHIVE)
_GROUP = re.compile(r"^group library: (.+)$", re.MULTILINE)

# Few records are no archive's, and a look at their text finds these in a tenth of the time that reading it takes.
_OWN = "(contains(record, '\"sources\":') OR NOT regexp_matches(record, ?))"
_RECORDS_SQL = (
    "SELECT row, id, said ->> '$.provenance', said ->> '$.details.databases', said ->> '$.details.exported_on',"
    " CASE WHEN said ->> '$.provenance[0]' = 'zotero' THEN said ->> '$.details.note' END FROM ("
    "SELECT row, id, unnest(CASE WHEN contains(record, '\"sources\":')"
    " THEN list_transform((record -> '$.sources')::JSON[], lambda source: source -> '$.record')"
    f" ELSE [record::JSON] END) AS said FROM {{segment}}.paper WHERE {_OWN}) ORDER BY row"
)
_COUNTS_SQL = (
    "SELECT record ->> '$.provenance[0]' AS form,"
    " regexp_replace(split_part(record ->> '$.provenance[1]', '!', 1), ':[0-9]+$', '') AS origin,"
    " min(record ->> '$.provenance[2]'), count(*)"
    f" FROM {{segment}}.paper WHERE NOT {_OWN} AND NOT list_contains(?::INTEGER[], row) GROUP BY form, origin"
)
_ARCHIVE_SQL = f"SELECT id, record ->> '$.provenance' FROM {{segment}}.paper WHERE NOT {_OWN} AND contains(record, ?)"


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
    """How many records an archive states that are merged with none of another source."""

    provenance: Provenance
    """With the origin of the archive as a whole, and the earliest time of an import."""
    papers: int


def is_of_archive(provenance: Provenance) -> bool:
    """Whether an archive states the record, and no file of the user's."""
    return _IS_ARCHIVE.match(f'{provenance.format}","{provenance.origin}"') is not None


def read_stated_records(view: LibraryView, segment: Segment) -> tuple[StatedRecord, ...]:
    """Every record of `segment` but those that an archive alone states, with each source of a merged one."""
    return tuple(map(_stated_record, view.select(segment, _RECORDS_SQL, [_PATTERN])))


def count_archive_records(view: LibraryView, segment: Segment, without: Collection[int]) -> tuple[ArchiveCount, ...]:
    """The records of `segment` that an archive alone states, counted by archive, except at the rows `without`."""
    rows = view.select(segment, _COUNTS_SQL, [_PATTERN, sorted(without)])
    return tuple(
        ArchiveCount(Provenance(text(form or ""), text(origin or ""), text(at or "")), integer(count))
        for form, origin, at, count in rows
    )


def archive_records(view: LibraryView, segment: Segment, place: str) -> Iterator[tuple[PaperId, Provenance]]:
    """The papers of `segment` that an archive alone states, with where from, and `place` somewhere in their record."""
    for paper_id, provenance in view.select(
        segment, _ARCHIVE_SQL, [_PATTERN, json.dumps(place, ensure_ascii=False)[1:-1]]
    ):
        yield PaperId(text(paper_id)), Provenance(*json.loads(text(provenance)))


_PATTERN = f'"provenance":\\["{_ARCHIVE}'


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
