"""Titles and authors by year: counts that see no later paper, the same however a library is cut."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from litterm.library.index.build import build_part
from litterm.library.index.reader import INDEX_FOLDER, IndexFolder
from litterm.library.index.title_author_stats import TitleAuthorIndex
from litterm.model.index import IndexRow
from litterm.model.library import Segment
from litterm.model.paper import PaperId
from litterm.text.tokens import hash_pairs, hash_word, hash_words, stem
from litterm_benchmarks.memory_library import MemoryIndex

ROWS = (
    IndexRow(PaperId("acl:A"), "Error rate training", "of words", year=2003, authors=("Och|Franz",)),
    IndexRow(PaperId("acl:B"), "The minimum error rate, again", year=2005, authors=("Och|Franz", "Ney|Hermann")),
    IndexRow(PaperId("acl:C"), "Error error", year=2005),
    IndexRow(PaperId("acl:D"), "Error without a year", authors=("Ney|Hermann",)),
    IndexRow(PaperId("acl:E"), "", year=2006),
)
SEGMENT = Segment("s", Path(), len(ROWS))


def facts(rows: Sequence[IndexRow] = ROWS) -> TitleAuthorIndex:
    return MemoryIndex(rows).title_index(SEGMENT)


def test_counts_end_at_the_year_and_count_a_title_once() -> None:
    word = hash_words([stem("error")] * 4)
    assert facts().titles_with(word, np.array([2002, 2003, 2005, 2020])).tolist() == [0, 1, 3, 3]
    pair = hash_pairs(hash_words([stem("error")]), hash_words([stem("rate")]))
    assert facts().titles_with_pair(pair, np.array([2004])).tolist() == [1]
    assert facts().titles_with_pair(pair, np.array([2005])).tolist() == [2]
    author = np.array([hash_word("och|franz"), hash_word("ney|hermann")], np.uint32)
    assert facts().papers_by(author, np.array([2004, 2020])).tolist() == [1, 1]


def test_the_words_of_titles_come_in_order_without_those_of_abstracts() -> None:
    words, counts = facts().words(np.array([1, 4, 0]))
    assert counts.tolist() == [4, 0, 3]
    assert words.tolist() == [hash_word(stem(word)) for word in "minimum error rate again error rate training".split()]
    authors, counts = facts().authors(np.array([1, 2]))
    assert (authors.tolist(), counts.tolist()) == ([hash_word("och|franz"), hash_word("ney|hermann")], [2, 0])


def test_facts_on_disk_equal_those_in_memory_and_may_be_missing(tmp_path: Path) -> None:
    build_part(ROWS, tmp_path / INDEX_FOLDER, average_length=None)
    segment = Segment("s", tmp_path, len(ROWS))
    on_disk = IndexFolder().title_index(segment)
    assert on_disk is not None
    rows = np.arange(len(ROWS))
    assert on_disk.words(rows)[0].tolist() == facts().words(rows)[0].tolist()
    (tmp_path / INDEX_FOLDER / "facts.pack").unlink()
    assert IndexFolder().title_index(segment) is None


def test_a_library_without_papers_has_no_facts_to_tell() -> None:
    none = facts(())
    assert none.words(np.empty(0, np.int64))[1].tolist() == []
    assert none.titles_with(hash_words(["error"]), np.array([2020])).tolist() == [0]


def test_a_pair_is_two_words_that_follow_one_another() -> None:
    error, rate, training = (hash_words([stem(word)]) for word in ("error", "rate", "training"))
    late = np.array([2020])
    assert facts().titles_with_pair(hash_pairs(rate, training), late).tolist() == [1]
    assert facts().titles_with_pair(hash_pairs(error, training), late).tolist() == [0]
    assert facts().titles_with_pair(hash_pairs(training, rate), late).tolist() == [0]
