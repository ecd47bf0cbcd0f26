"""Features of a candidate besides its words, as an author of some year could know them: age, venue, authors, followers.

Every count ends at that year. Followers are later titles that use two words of the candidate's title side by
side: what a paper named well, others name after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.interfaces.arrays import Column, Hashes
from litterm.search.signals.followers import TitleAuthorIndexes, best_growth, listed_hashes
from litterm.search.signals.priors import MAIN_VENUES
from litterm.text.tokens import STOP_WORDS, hash_pairs, hash_words, stem, words

if TYPE_CHECKING:
    from litterm.library.index.segment_index import SegmentIndex
    from litterm.search.open_index import LiveRows, Rows
    from litterm.search.query.query_terms import QueryTerms

_JOURNALS = ("cl", "tacl", "jmlr", "tmlr")
_CONFERENCES = (*MAIN_VENUES, "anlp", "hlt", "iclr", "neurips", "nips", "icml", "aaai", "ijcai", "cvpr", "iccv", "eccv")
_WORKSHOPS = ("ws", "semeval")
_LEADING_CONFERENCES = ("acl", "emnlp", "naacl", "iclr", "neurips", "nips", "icml")
"""Conferences whose papers are cited more than others of the same words. Of those of the Anthology, EMNLP, ACL and
NAACL stand out (weights 1.1, .9 and .8 beside that of any conference) in 2,700 citing sentences of 300 full texts, and
EACL, CoNLL and COLING do not (.1, -.2, -.3); those outside it are not measured."""
VENUES = tuple(dict.fromkeys((*_JOURNALS, *_CONFERENCES, *_WORKSHOPS)))
"""All of them."""
_MAX_AGE_YEARS = 60
"""Years; what is older, or of no known year, counts as that old."""


def citation_columns(
    live: LiveRows,
    title_indexes: TitleAuthorIndexes,
    rows: Rows,
    query_terms: QueryTerms,
    sequence: Sequence[str],
    *,
    year: int,
) -> dict[str, Column]:
    """One column a name, one entry a row; 0 where a segment has no index of titles."""
    years = live.column("year", rows)
    # The logarithm beside the age: of the first years each counts, of the later ones decades do.
    age = np.clip(np.where(years > 0, year - years, _MAX_AGE_YEARS), 0, _MAX_AGE_YEARS).astype(np.float64)
    columns = {"age": age, "log_age": np.log1p(age), "same_year": (age == 0).astype(np.float64)}
    columns |= _venue_columns(live, rows)
    if not any(title_indexes):
        return columns
    titles = _TitleWords(live, title_indexes, rows, year)
    return columns | titles.columns(query_terms, sequence) | _author_column(live, title_indexes, rows, year)


def same_author_column(live: LiveRows, title_indexes: TitleAuthorIndexes, rows: Rows, citing: Rows) -> Column:
    """1 for each of `rows` that shares an author with one of `citing`; who writes cites what they wrote before."""
    own, _ = listed_hashes(live, title_indexes, citing, "authors")
    authors, counts = listed_hashes(live, title_indexes, rows, "authors")
    shared = np.bincount(np.repeat(np.arange(len(rows)), counts), np.isin(authors, own), minlength=len(rows))
    return (shared > 0).astype(np.float64)


def paper_columns(live: LiveRows, title_indexes: TitleAuthorIndexes, rows: Rows, *, year: int) -> dict[str, Column]:
    """The columns of `citation_columns` that do not depend on what cites a paper: venue, length and followers."""
    columns = _venue_columns(live, rows)
    return columns | _TitleWords(live, title_indexes, rows, year).own_columns() if any(title_indexes) else columns


class _TitleWords:
    """The title words of all rows, side by side."""

    def __init__(self, live: LiveRows, title_indexes: TitleAuthorIndexes, rows: Rows, year: int) -> None:
        self._title_indexes, self._year, self._count = title_indexes, year, len(rows)
        self._words, counts = listed_hashes(live, title_indexes, rows, "words")
        self._row = np.repeat(np.arange(len(rows)), counts)
        self._years = live.column("year", rows)

    def columns(self, query_terms: QueryTerms, sequence: Sequence[str]) -> dict[str, Column]:
        """Length, how much of the title is in the excerpt, and who followed it."""
        stems = [stem(word) for text in sequence for word in words(text) if word not in STOP_WORDS]
        sought = hash_words(sorted({found_stem for term in query_terms.terms for found_stem in term.stems}))
        return {
            "length": self._lengths(),
            "cover": self._coverage(sought),
            **self._pairs(hash_words(stems)),
        }

    def own_columns(self) -> dict[str, Column]:
        """Length, and who followed it."""
        return {"length": self._lengths(), "followers": self._pairs(hash_words([]))["followers"]}

    def _lengths(self) -> Column:
        return np.log1p(self._sum(np.ones(len(self._words))))

    def _sum(self, values: Column) -> Column:
        return np.bincount(self._row, values, minlength=self._count).astype(np.float64)

    def _coverage(self, sought: Hashes) -> Column:
        """Share of the title's words that the excerpt holds, rare words counting more."""
        different, place = np.unique(self._words, return_inverse=True)
        until = np.full(len(different), self._year)
        holding = np.zeros(len(different))
        for title_index in self._title_indexes:
            if title_index is not None:
                holding += title_index.titles_with(different, until)
        rarity = np.log(2 + max(self._count, 1000) / (1 + holding))[place]
        total = self._sum(rarity)
        return np.divide(
            self._sum(rarity * np.isin(self._words, sought)), total, out=np.zeros_like(total), where=total > 0
        )

    def _pairs(self, excerpt: Hashes) -> dict[str, Column]:
        # Words at the end of one title and at the beginning of the next are no pair.
        in_one_title = self._row[:-1] == self._row[1:]
        pairs = hash_pairs(self._words[:-1], self._words[1:])[in_one_title]
        # In order, so that looking them up one after the other walks through memory instead of leaping.
        order = np.argsort(pairs, kind="stable")
        pairs, row = pairs[order], self._row[:-1][in_one_title][order]
        own = self._years[row]
        # Uses before its own year speak against a coinage: a pair that was there is a phrase of the field.
        earlier, current = (self._uses(pairs, until) for until in (own - 1, np.full(len(pairs), self._year)))
        at_publication = self._uses(pairs, own)
        best = best_growth(row, own, (earlier, at_publication, current), self._count)
        shared = (
            np.isin(pairs, hash_pairs(excerpt[:-1], excerpt[1:])) if len(excerpt) > 1 else np.zeros(len(pairs), bool)
        )
        rarity = np.log(1 + 1e5 / (1 + current))
        return {"followers": best, "phrase": np.bincount(row, rarity * shared, minlength=self._count) / 10}

    def _uses(self, pairs: Hashes, until: npt.NDArray[np.integer]) -> Column:
        column = np.zeros(len(pairs))
        for title_index in self._title_indexes:
            if title_index is not None:
                column += title_index.titles_with_pair(pairs, np.maximum(until, 0))
        return column


def _venue_columns(live: LiveRows, rows: Rows) -> dict[str, Column]:
    """Whether each was at a main conference, at one of the leading ones, at a workshop, in a journal."""
    kinds = (
        ("conference", _CONFERENCES),
        ("leading", _LEADING_CONFERENCES),
        ("workshop", _WORKSHOPS),
        ("journal", _JOURNALS),
    )
    columns = {name: _venue_column(live, rows, keys) for name, keys in kinds}
    # Workshops are held at conferences, and carry their key, too.
    for name in ("conference", "leading"):
        columns[name] *= 1 - columns["workshop"]
    return columns


def _author_column(live: LiveRows, title_indexes: TitleAuthorIndexes, rows: Rows, year: int) -> dict[str, Column]:
    authors, counts = listed_hashes(live, title_indexes, rows, "authors")
    written = np.zeros(len(authors))
    for title_index in title_indexes:
        if title_index is not None:
            written += title_index.papers_by(authors, np.full(len(authors), year))
    most, first = np.zeros((2, len(rows)))
    np.maximum.at(most, np.repeat(np.arange(len(rows)), counts), written)
    has_author = counts > 0
    first[has_author] = written[(np.cumsum(counts) - counts)[has_author]]
    return {"author": np.log1p(most), "first_author": np.log1p(first)}


def _venue_column(live: LiveRows, rows: Rows, keys: Sequence[str]) -> Column:
    column = np.zeros(len(rows))
    for part, span, local_rows in live.split(rows):
        column[span] = _venue_rows(part, keys)[local_rows]
    return column


def _venue_rows(part: SegmentIndex, keys: Sequence[str]) -> npt.NDArray[np.bool_]:
    mask = np.zeros(part.count, np.bool_)
    for key in keys:
        mask[part.venue_rows(key)] = True
    return mask
