"""Merges two records of one paper, without losing a field."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import TypeVar

from litterm.model.paper import Decision, Paper, PublicationDetails
from litterm.text.references.identity import paper_ids

T = TypeVar("T")

_BY_TRUST = (
    "",
    "pdf",
    "html",
    "bibtex",
    "jsonl",
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
)
"""Formats and services, the least trusted first: where two records differ, the value of the more trusted one is shown.

Files a user has at hand come before what was gathered from many places, that before what a publisher or an archive
states of its own papers. Formats and services that read the same source are next to each other.
"""
_BY_SEVERITY = ("", "corrected", "concern")
"""What may be wrong with a paper, the lightest first; anything else is graver."""
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
    merged = replace(
        old,
        title=first.title or second.title,
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
        aliases=_without(_union(old.aliases, paper_ids(new)), old.id),
        urls=_union(first.urls, second.urls),
        retraction=max(first.retraction, second.retraction, key=_severity),
        decision=_merged_decision(first.decision, second.decision),
        status=first.status or second.status,
        full_text=old.full_text or new.full_text,
        imprint=_merged_imprint(first.imprint, second.imprint),
    )
    if merged == old:
        return old
    # The time when litterm first saw the paper stays, whatever is added later.
    first_seen = min((paper.provenance.imported_at for paper in (old, new) if paper.provenance.imported_at), default="")
    return replace(merged, provenance=replace(first.provenance, imported_at=first_seen))


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


def _merged_imprint(first: PublicationDetails, second: PublicationDetails) -> PublicationDetails:
    return replace(first, **{name: getattr(first, name) or getattr(second, name) for name in _IMPRINT_FIELDS})


def _more_exact(first: str, second: str) -> str:
    # `2020-07-05` begins with `2020-07`: the longer one says the same and more.
    return second if not first or second.startswith(first) else first


def _union(first: Iterable[T], second: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _without(values: Iterable[T], left_out: T) -> tuple[T, ...]:
    return tuple(value for value in values if value != left_out)
