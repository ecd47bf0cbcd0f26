"""From what was typed to a ranking."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from litterm.model.document import Span
from litterm.model.paper import Paper

SortOrder = Literal["relevance", "newest", "oldest", "title", "author"]


@dataclass(frozen=True, slots=True)
class YearRange:
    """Inclusive years; `None` leaves an end open."""

    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions a paper must meet; alternatives of one field are joined by *or*, fields by *and*."""

    venues: tuple[str, ...] = ()
    """Slugs or acronyms, lower case."""
    sources: tuple[str, ...] = ()
    """Id schemes, lower case: `acl`, `iclr`, ..."""
    years: tuple[YearRange, ...] = ()
    authors: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """The user's own tags; also `starred`, `included`, `excluded`, `read`."""
    full_text: bool | None = None


@dataclass(frozen=True, slots=True)
class Chip:
    """One filter as typed, for showing and removing; `span` is its range in `Query.text`."""

    label: str
    span: Span


@dataclass(frozen=True, slots=True)
class Query:
    """What was typed, read once by `text.query.parse_query`."""

    text: str
    """Exactly as typed."""
    words: tuple[str, ...] = ()
    """Free words in order, as typed; words of phrases are included."""
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    """Words or phrases no result may contain."""
    filters: Filters = field(default=Filters())
    chips: tuple[Chip, ...] = ()
    unfinished: str = ""
    """The last word while it is still being typed; to be expanded over the vocabulary."""


@dataclass(frozen=True, slots=True)
class RankedPaper:
    """A paper at its place in a ranking."""

    rank: int
    """From 1."""
    paper: Paper
    score: float | None
    """Of the method named by `by`; comparable within one ranking only. `None`: nobody computed one."""
    by: str
    matched: tuple[tuple[str, int], ...] = ()
    """Query words found in title or abstract, as typed, with how often; most telling first."""
    starter: bool = False


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer to a query."""

    query: Query
    papers: tuple[RankedPaper, ...]
    found: int
    """How many papers match in all; at least `len(papers)`."""
    by: str
    """Which rung produced it: `bm25`, ..."""
    hidden: int = 0
    """Matches that only the filters keep out; counted when nothing or little is left."""
    suggestion: str = ""
    """The query with a likely misspelling mended; empty if there is none."""
    searched: int = 0
    """Papers that could have matched: the library's size when it was asked."""
    notices: tuple[str, ...] = ()
