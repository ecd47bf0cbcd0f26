"""Merges two records of one paper, without losing a field."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import fields, replace
from typing import TypeVar

from litterm.model.paper import (
    ATTACHED,
    CORRECTION,
    USER_FORMATS,
    AnnotatedFile,
    Decision,
    Paper,
    PublicationDetails,
    SourceRecord,
)
from litterm.text.references.identity import paper_ids, title_key

T = TypeVar("T")

_BY_TRUST = (
    "",
    "pdf",
    ATTACHED,
    "html",
    *USER_FORMATS,
    "openalex",
    "s2",
    "crossref",
    "arxiv",
    "europepmc",
    "bioc",
    "pubmed",
    "jats",
    "iclr",
    "anthology",
    CORRECTION,
)
"""Formats and services, the least trusted first: where two records differ, the value of the more trusted one is shown.

Files a user has at hand come before what was gathered from many places, that before what a publisher or an archive
states of its own papers. Formats and services that read the same source are next to each other.
"""
_BY_SEVERITY = ("", "corrected", "concern")
"""What may be wrong with a paper, the lightest first; anything else is graver."""
_MAX_SOURCES = 50
"""Sources kept apart for one paper; a record that was told more often gains nothing by another."""
_ZOTERO = "zotero"
_LINE = re.compile(r":\d+$")
_IMPRINT_FIELDS = tuple(field.name for field in fields(PublicationDetails))


def merge_records(old: Paper, new: Paper) -> Paper:
    """`old` with what `new` adds; `old` itself if that is nothing.

    The id stays, ids and lists are united, an empty field takes the other's value. Where both have one, the
    more trusted format wins, and of two equally trusted ones the newer. Merging the same record again
    changes nothing.
    """
    newer = _trust(new) >= _trust(old)
    first, second = (new, old) if newer else (old, new)
    described = first if first.abstract else second
    # A guessed title never replaces one that was read.
    titled = second if first.title and second.title and second.is_title_certain > first.is_title_certain else first
    cut = first if first.authors else second
    merged = replace(
        old,
        title=titled.title or second.title,
        is_title_certain=titled.is_title_certain if titled.title else second.is_title_certain,
        abstract=described.abstract,
        abstract_by=described.abstract_by,
        authors=first.authors or second.authors,
        year=first.year or second.year,
        date=_more_exact(first.date, second.date),
        venue=first.venue or second.venue,
        venue_keys=_union(first.venue_keys, second.venue_keys),
        type=second.type if first.type == "other" else first.type,
        keywords=_union(first.keywords, second.keywords),
        # Nothing that led to either record may lead nowhere: citations and notes name papers by any of these.
        aliases=_without(_union(old.aliases, paper_ids(new)), {old.id}),
        urls=_union(first.urls, second.urls),
        retraction=max(first.retraction, second.retraction, key=_severity),
        decision=_merged_decision(first.decision, second.decision),
        status=first.status or second.status,
        full_text=old.full_text or new.full_text,
        imprint=_merged_imprint(first, second, key=_citation_key(old, new)),
        has_more_authors=cut.has_more_authors,
        unverified_ids=_without(_union(old.unverified_ids, new.unverified_ids), {*paper_ids(old), *paper_ids(new)}),
    )
    if merged == old:
        return old
    # The time when litterm first saw the paper stays, whatever is added later.
    first_seen = min((paper.provenance.imported_at for paper in (old, new) if paper.provenance.imported_at), default="")
    return replace(merged, provenance=replace(first.provenance, imported_at=first_seen))


def with_source(paper: Paper, new: SourceRecord) -> Paper:
    """`paper` with what another source says of it; `paper` itself if that is nothing new.

    What each source said is kept beside the merged record, so that it can be shown, searched and taken apart again.
    """
    if not paper.sources and is_same_source(paper, new.paper):
        return _stated_again(paper, new.paper)
    sources = paper.sources or (SourceRecord(replace(paper, full_text=False)),)
    # A file may be known to several sources: what it says now takes the place of what each has read in it.
    if read := {annotated.file for annotated in new.paper.imprint.annotated_files if annotated.file}:
        sources = tuple(
            source if is_same_source(source.paper, new.paper) else _without_annotations_of(source, read)
            for source in sources
        )
    for place, source in enumerate(sources):
        if is_same_source(source.paper, new.paper):
            said = _stated_again(source.paper, new.paper)
            documents = _union(source.documents, new.documents)
            if said is source.paper and documents == source.documents:
                return paper
            sources = (*sources[:place], SourceRecord(said, documents), *sources[place + 1 :])
            return combine(paper, sources)
    if len(sources) >= _MAX_SOURCES:
        return merge_records(paper, new.paper)
    return combine(paper, (*sources, new))


def _stated_again(old: Paper, new: Paper) -> Paper:
    """The record `old` of one source when that source states it as `new`; `old` itself where nothing has changed.

    An item of Zotero takes the place of what it was: a tag that was taken off it there is taken off here. Of other
    sources nothing is lost.
    """
    annotated = _annotated_again(old, new)
    if new.provenance.format != _ZOTERO:
        merged = _with_annotated_files(merge_records(old, new), annotated)
        return old if merged == old else merged
    new = _with_annotated_files(new, annotated)
    first_seen = old.provenance.imported_at or new.provenance.imported_at
    stated = replace(new, provenance=replace(new.provenance, imported_at=first_seen))
    renewed = combine(old, (SourceRecord(stated),))
    return old if renewed == old else renewed


def _annotated_again(old: Paper, new: Paper) -> tuple[AnnotatedFile, ...]:
    """The annotations of each file: of one that `new` has read what it holds now, of others what `old` knows."""
    read = {annotated.file for annotated in new.imprint.annotated_files}
    kept = (annotated for annotated in old.imprint.annotated_files if annotated.file not in read)
    origin = new.provenance.origin
    return tuple(annotated for annotated in (*new.imprint.annotated_files, *kept) if annotated.adds_to(origin))


def _without_annotations_of(source: SourceRecord, files: Collection[str]) -> SourceRecord:
    kept = tuple(annotated for annotated in source.paper.imprint.annotated_files if annotated.file not in files)
    paper = _with_annotated_files(source.paper, kept)
    return source if paper is source.paper else replace(source, paper=paper)


def _with_annotated_files(paper: Paper, annotated: tuple[AnnotatedFile, ...]) -> Paper:
    if paper.imprint.annotated_files == annotated:
        return paper
    return replace(paper, imprint=replace(paper.imprint, annotated_files=annotated))


def combine(paper: Paper, sources: Sequence[SourceRecord]) -> Paper:
    """The record that `sources` make together, under the id of `paper`; ids that it had before still lead to it."""
    merged = sources[0].paper
    for source in sources[1:]:
        merged = merge_records(merged, source.paper)
    first_seen = min(
        (source.paper.provenance.imported_at for source in sources if source.paper.provenance.imported_at),
        default=merged.provenance.imported_at,
    )
    # A correction is no place where the record came from.
    read = [source.paper for source in sources if source.paper.provenance.format != CORRECTION]
    came_from = max(reversed(read), key=_trust).provenance if read else merged.provenance
    return replace(
        merged,
        id=paper.id,
        aliases=_without(_union(paper_ids(merged), paper.aliases), {paper.id}),
        full_text=paper.full_text,
        provenance=replace(came_from, imported_at=first_seen),
        sources=tuple(sources) if len(sources) > 1 else (),
        separated=paper.separated,
        left_documents=paper.left_documents,
    )


def is_same_source(one: Paper, other: Paper) -> bool:
    """Whether both records were stated by one source: the same entry of a file, or the same record of a service."""
    if one.provenance.format != other.provenance.format:
        return False
    if one.provenance.format == _ZOTERO:
        # Its origin names the item, whose title and citation key may change.
        return one.provenance.origin == other.provenance.origin
    if one.provenance.format == ATTACHED:
        return one.provenance.origin == other.provenance.origin
    if one.provenance.format not in USER_FORMATS and one.provenance.format != "pdf":
        # An archive owns its ids: under the same one it corrects what it said.
        return one.id == other.id
    # Line numbers change when a file is edited.
    if _LINE.sub("", one.provenance.origin) != _LINE.sub("", other.provenance.origin):
        return False
    if one.imprint.bibkey or other.imprint.bibkey:
        return one.imprint.bibkey == other.imprint.bibkey
    return one.id == other.id and title_key(one.title) == title_key(other.title)


def record_digest(paper: Paper) -> str:
    """What identifies a record as its source states it, in 16 characters; wherever and whenever it was read."""
    imprint = paper.imprint
    first = paper.authors[0].surname if paper.authors else ""
    place = (imprint.bibkey, imprint.volume, imprint.issue, imprint.pages)
    ids = sorted(paper_id.casefold() for paper_id in paper_ids(paper) if not paper_id.startswith("local:"))
    said = (paper.provenance.format, paper.title, first, str(paper.year), *place, *ids)
    return hashlib.blake2b("\n".join(said).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _merged_decision(first: Decision, second: Decision) -> Decision:
    """The decision of a merged record; a known decision wins over an unknown one."""
    return second if first in ("", "unknown") and second else first


def _trust(paper: Paper) -> int:
    kind = paper.provenance.format
    return _BY_TRUST.index(kind) if kind in _BY_TRUST else 0


def _severity(retraction: str) -> int:
    """Rank of a notice: a retraction ranks above a correction, whatever its source."""
    word = retraction.partition(":")[0]
    return _BY_SEVERITY.index(word) if word in _BY_SEVERITY else len(_BY_SEVERITY)


def _citation_key(old: Paper, new: Paper) -> str:
    """The key that the user's own files cite the paper by, the one they had first; else that of the trusted source."""
    corrected = [paper for paper in (new, old) if paper.provenance.format == CORRECTION]
    own = [paper for paper in (old, new) if paper.provenance.format in USER_FORMATS]
    by_trust = sorted((old, new), key=_trust, reverse=True)
    return next((paper.imprint.bibkey for paper in (*corrected, *own, *by_trust) if paper.imprint.bibkey), "")


def _merged_imprint(first: Paper, second: Paper, *, key: str) -> PublicationDetails:
    one, other = first.imprint, second.imprint
    merged = {name: getattr(one, name) or getattr(other, name) for name in _IMPRINT_FIELDS}
    editors = one if one.editors else other
    return replace(
        one,
        **{
            **merged,
            "bibkey": key,
            "files": _union(one.files, other.files),
            "accession_numbers": _union(one.accession_numbers, other.accession_numbers),
            "databases": _union(one.databases, other.databases),
            "collections": _union(one.collections, other.collections),
            "annotated_files": tuple(
                annotated for annotated in _union(one.annotated_files, other.annotated_files) if annotated.annotations
            ),
            "has_more_editors": editors.has_more_editors,
        },
    )


def _more_exact(first: str, second: str) -> str:
    # `2020-07-05` begins with `2020-07`: the longer one says the same and more.
    return second if not first or second.startswith(first) else first


def _union(first: Iterable[T], second: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _without(values: Iterable[T], left_out: Collection[T]) -> tuple[T, ...]:
    return tuple(value for value in values if value not in left_out)
