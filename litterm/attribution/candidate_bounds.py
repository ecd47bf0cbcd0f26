"""The bounds within which a cited paper is sought: the last year or month, and which papers are the citing one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from litterm.core.errors import UnknownPaper, UsageError
from litterm.interfaces import Records, WorkLookup
from litterm.model.attribution.citation import CandidateBounds
from litterm.model.paper import Paper, PaperId
from litterm.text.references.titles import same_title

_MONTHS = range(1, 13)
_YEAR_MONTH_LENGTH = len("2018-07")


def read_bounds(
    before: str | int | None, source: str, records: Records, titles: Callable[[], WorkLookup]
) -> CandidateBounds:
    """The last year (`2018`) or month (`2018-07`) that counts, and the citing paper by id or title.

    Where only the citing paper is given and the library holds it, its year is the last.

    Raises:
        UsageError: `before` is neither a year nor a month.
    """
    year, month = _read_before(str(before)) if before is not None else (None, None)
    citing = _find_citing_papers(source.strip(), records, titles)
    if year is None and citing:
        # A preprint and its publication may share a title; by the later year nothing is left out that either cites.
        year = max((paper.year for paper in citing if paper.year is not None), default=None)
    title = citing[0].title if citing else source.strip()
    return CandidateBounds(year, month, tuple(paper.id for paper in citing), title)


def is_admitted(paper: Paper, bounds: CandidateBounds) -> bool:
    """Whether `paper` may be the cited one: it is not the citing paper under another spelling, nor of a later month."""
    if paper.id in bounds.exclude or (bounds.source and same_title(bounds.source, paper.title)):
        return False
    # Other years are the search's to leave out, which knows no months. Within the last one a paper whose month is
    # not known stays.
    if bounds.year is None or bounds.month is None or paper.year != bounds.year or len(paper.date) < _YEAR_MONTH_LENGTH:
        return True
    return int(paper.date[5:7]) <= bounds.month


def _find_citing_papers(source: str, records: Records, titles: Callable[[], WorkLookup]) -> Sequence[Paper]:
    """The papers that `source`, an id or a title, names."""
    if not source:
        return ()
    (matches,) = records.find([source])
    ids: tuple[PaperId, ...] = matches
    if not ids:
        (ids,) = records.find_by_citation_key([source])
    if len(ids) != 1:
        (ids,) = titles().find_by_title([source])
    try:
        return records.by_id(ids)
    except UnknownPaper:
        # Written away by somebody else in between; its title still keeps it out.
        return ()


def _read_before(typed: str) -> tuple[int, int | None]:
    year, dash, month = typed.strip().partition("-")
    is_year = year.isascii() and year.isdigit() and len(year) == 4
    if not is_year or (dash and not (month.isascii() and month.isdigit() and int(month) in _MONTHS)):
        raise UsageError(f"“{typed}” is neither a year nor a year and month, such as 2018 or 2018-07.")
    return int(year), int(month) if dash else None
