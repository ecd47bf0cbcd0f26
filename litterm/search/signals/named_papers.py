"""Priors for the papers that a query names, by their own name or by author and year.

"BERT" asks for the paper titled "BERT: ...". By words alone that paper is one of hundreds, and its long abstract puts
it behind short titles. A name differs from a topic ("Machine translation: ...") by being new in its year: hardly any
earlier title used its words.

"Lee et al. 2017 coreference" asks for one of Lee's papers. Titles hold no names of their authors: as words, such names
would find papers about people of that name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from litterm.search.signals.fusion import PaperPrior
from litterm.text.queries.parser import free_text
from litterm.text.queries.query_kind import guess_kind
from litterm.text.tokens import STOP_WORDS, fold, stem, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from litterm.interfaces import Library
    from litterm.model.paper import Paper
    from litterm.model.search import Query
    from litterm.search.open_index import LiveRows, Rows
    from litterm.search.signals.bm25 import Term
    from litterm.text.references.resolution import Mention

NAME_POINTS = 8.0
"""Points of a paper whose name is the whole query; fewer where the name is a part of it, by the idf of its words. With
8 points 54 % of the papers meant by a bare name come first, with 2 points 38 % (`litterm bench known-items`)."""
MAX_NAME_WORDS = 6
"""A query of more words is not a name with one or two other words."""
MAX_EARLIER_TITLES = 2
"""Titles of earlier years that may hold the words of a new name by chance."""


NamedTitle: TypeAlias = "tuple[int, frozenset[str]]"
"""A row whose title begins with a name, and the stems of that name."""


def new_names(live: LiveRows, stems: Sequence[str], rows: Rows) -> Iterator[NamedTitle]:
    """Those of `rows` (ascending) whose title begins with a name, and holds `stems` that hardly any had before."""
    stem_bits = title_stem_bits(live, stems)
    patterns = stem_bits[rows]
    title_years = live.column("year", rows)
    # Counted once for each pattern of words: there are at most 64 patterns, and thousands of rows.
    years = {
        pattern: count_titles_by_year(
            live, stem_bits, pattern, first_year=_first_year(title_years[patterns == pattern])
        )
        for pattern in np.flatnonzero(np.bincount(patterns)).tolist()
        if pattern
    }
    return named_titles(live, rows[new_name_mask(patterns, title_years, years)])


def idf_by_stem(terms: Sequence[Term], idfs: Sequence[float]) -> dict[str, float]:
    """The idf of each stem that may be part of a name; empty where there are too many words for a name.

    `idfs` has one value a term, 0 for terms that occur nowhere.
    """
    rarity = {term.stems[0]: idf for term, idf in zip(terms, idfs, strict=True) if idf > 0 and len(term.stems) == 1}
    return rarity if len(rarity) <= MAX_NAME_WORDS else {}


def name_prior(rarity: Mapping[str, float], named_rows: Iterable[NamedTitle], pool: Rows) -> tuple[PaperPrior, ...]:
    """The prior of those `named_rows` of the `pool` whose name is among the words of `rarity` in full."""
    points = np.zeros(len(pool))
    for row, name in named_rows:
        if name and name <= rarity.keys():
            share = sum(rarity[name_stem] for name_stem in name) / sum(rarity.values())
            points[np.searchsorted(pool, row)] = NAME_POINTS * share
    return (PaperPrior("its title holds the name typed", points.round(6)),) if points.any() else ()


def new_name_mask(
    patterns: npt.NDArray[np.uint8], title_years: npt.NDArray[np.int64], years: Mapping[int, npt.NDArray[np.int64]]
) -> npt.NDArray[np.bool_]:
    """A mask of the titles whose words hardly any title of an earlier year held.

    `patterns` and `title_years` have an entry a title: the bit pattern of the words it holds, and its year; `years` has
    for each pattern the titles with all of its words by year, as `count_titles_by_year` counts them.
    """
    new = np.zeros(len(patterns), np.bool_)
    for pattern, counts in years.items():
        if not pattern:
            continue
        until = np.cumsum(counts)
        titles = np.flatnonzero(patterns == pattern)
        # A year of 0 is not known.
        new[titles] = (title_years[titles] > 0) & (
            until[np.minimum(title_years[titles], len(until)) - 1] <= MAX_EARLIER_TITLES
        )
    return new


def count_titles_by_year(
    live: LiveRows, stem_bits: npt.NDArray[np.uint8], pattern: int, *, first_year: int
) -> npt.NDArray[np.int64]:
    """Counts by year the titles that hold all words of `pattern`; titles of an unknown year are left out.

    Counting ends as soon as titles before `first_year` are too many for a new name: common words are in most titles of
    a large library, and the first segments tell.
    """
    counts = np.zeros(1, np.int64)
    for part, span in live.slices():
        years = part.columns.year[np.flatnonzero((stem_bits[span] & pattern) == pattern)]
        part_counts = np.bincount(years[years > 0], minlength=len(counts))
        part_counts[: len(counts)] += counts
        counts = part_counts
        if counts[:first_year].sum() > MAX_EARLIER_TITLES:
            break
    return counts


def _first_year(years: npt.NDArray[np.int64]) -> int:
    """The earliest of `years` that is known; 0 if none is."""
    known = years[years > 0]
    return int(known.min()) if len(known) else 0


def title_stem_bits(live: LiveRows, stems: Sequence[str]) -> npt.NDArray[np.uint8]:
    """Per row a bit pattern: bit n is set where the title holds `stems[n]`; 0 for shadowed papers."""
    bits = np.zeros(live.size, np.uint8)
    for index, typed_stem in enumerate(stems):
        for part, span in live.slices():
            bits[span][part.title_postings(typed_stem)[0]] |= 1 << index
    if live.alive is not None:
        bits[~live.alive] = 0
    return bits


def named_titles(live: LiveRows, rows: Rows) -> Iterator[NamedTitle]:
    """The `rows` whose title has a name, each with the stems of that name."""
    for part, span, local_rows in live.split(rows):
        lengths = part.columns.name_length[local_rows]
        chosen = np.flatnonzero((lengths > 0) & (lengths <= 2 * MAX_NAME_WORDS))
        if not len(chosen):
            continue
        words, counts = part.texts(local_rows[chosen])
        starts = np.cumsum(counts) - counts
        for index, start in zip(chosen.tolist(), starts.tolist(), strict=True):
            typed = (part.word(number) for number in words[start : start + int(lengths[index])].tolist())
            name = frozenset(stem(word) for word in typed if word not in STOP_WORDS)
            yield int(rows[span][index]), name


NAMED_WORK_POINTS = 12.0
"""Points of a paper whose first author and year are in the query: a little less than a sure match by other words."""
ALONE_POINTS = 40.0
"""The same where the query has no other words."""
_LATER_AUTHOR_FACTOR, _ADJACENT_YEAR_FACTOR = 0.5, 0.5
"""Factors of the points where the name is that of a later author, and where the year is off by one."""
_YEAR = re.compile(r"(?<!\d)(?:18|19|20)\d\d(?!\d)")
_LOWERCASE_MENTION = re.compile(r"\s*[^\W\d_]{2,}(?: et\.? al\.?)?,? \(?(?:18|19|20)\d\d\)?\s*")
_MAX_CHARS = 400
"""Longer queries are not searched for names."""
_MAX_PAPERS = 400
"""Papers of one author that are read at most."""


AUTHOR_AND_YEAR = "by the author and of the year typed"
"""Why a paper is found whose author and year were typed."""


@dataclass(frozen=True, slots=True)
class NamedWorks:
    """Papers that the query names, by author and year or by a name of theirs, each with its points."""

    rows: Rows
    """Ascending."""
    points: tuple[float, ...]
    """One a row."""
    reasons: tuple[str, ...]
    """One a row: what names it."""

    def priors(self, pool: Rows) -> tuple[PaperPrior, ...]:
        """The priors of those in the `pool` (ascending), one a reason."""
        priors = []
        for reason in dict.fromkeys(self.reasons):
            chosen = np.array([other == reason for other in self.reasons], np.bool_)
            points = np.zeros(len(pool))
            present = np.isin(pool, self.rows[chosen])
            points[present] = np.array(self.points)[chosen & np.isin(self.rows, pool)]
            if present.any():
                priors.append(PaperPrior(reason, points.round(6)))
        return tuple(priors)


def find_named_works(live: LiveRows, library: Library, query: Query) -> tuple[NamedWorks, Query] | None:
    """The papers that an author and a year in `query` name, and the query without these words; else `None`.

    The words stay where the query has no others.
    """
    mention = _find_mention(query)
    if mention is None:
        return None
    (refs,) = library.author_rows(live.snapshot, [mention.families[0]])
    rows = live.rows(refs)
    # A preprint and its publication are often a year apart.
    rows = rows[np.abs(live.column("year", rows) - mention.year) <= 1]
    if live.alive is not None:
        rows = rows[live.alive[rows]]
    rows = rows[:_MAX_PAPERS]
    papers = library.papers(live.snapshot, live.refs(rows.tolist()))
    shares = np.array([_points_share(paper, mention) for paper in papers])
    if not shares.any():
        return None
    rest = _remove_mention(query, mention)
    points = shares[shares > 0] * (ALONE_POINTS if rest is None else NAMED_WORK_POINTS)
    return NamedWorks(rows[shares > 0], tuple(points.tolist()), (AUTHOR_AND_YEAR,) * len(points)), rest or query


def _find_mention(query: Query) -> Mention | None:
    text = free_text(query)
    if len(text) > _MAX_CHARS or not _YEAR.search(text) or query.like:
        return None
    if (query.kind or guess_kind(text)) not in ("keywords", "question"):
        return None
    # Imported only here: hardly any query holds a year.
    from litterm.text.references.resolution import find_mentions

    # Names are recognised by their capital letter, and queries are often typed in lower case.
    return next(find_mentions(text.strip().capitalize() if _LOWERCASE_MENTION.fullmatch(text) else text), None)


def _points_share(paper: Paper, mention: Mention) -> float:
    paper_families = [_name_key(author.surname) for author in paper.authors]
    mention_families = [_name_key(family) for family in mention.families]
    if not paper_families or not set(mention_families) <= set(paper_families):
        return 0.0
    return (1.0 if paper_families[0] == mention_families[0] else _LATER_AUTHOR_FACTOR) * (
        1.0 if paper.year == mention.year else _ADJACENT_YEAR_FACTOR
    )


def _remove_mention(query: Query, mention: Mention) -> Query | None:
    mention_words = {
        *(word for family in mention.families for word in words(family)),
        str(mention.year),
        "et",
        "al",
        "and",
    }
    words_left = tuple(word for word in query.words if not mention_words.issuperset(words(word)))
    unfinished = "" if fold(query.unfinished) in mention_words else query.unfinished
    return replace(query, words=words_left, unfinished=unfinished) if words_left or unfinished else None


def _name_key(family: str) -> str:
    return "".join(words(family))
