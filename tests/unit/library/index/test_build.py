from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.core.errors import LibraryError, SegmentGone
from litterm.library.index.bm25_weights import TYPICAL_LENGTH, postings, whole_record_weighting
from litterm.library.index.build import build_arrays, build_part, build_terms, collect_rows
from litterm.library.index.reader import IndexFolder, open_part
from litterm.library.index.segment_index import SegmentIndex
from litterm.model.index import DECISIONS, PAPER_TYPES, IndexRow, index_row
from litterm.model.library import Segment
from litterm.model.paper import SCHEMES, Author, Paper, PaperId
from litterm.text.tokens import TOKENIZER, phrase_test, stem, tokens, words
from litterm_benchmarks.memory_library import MemoryIndex

ROWS = (
    IndexRow(PaperId("acl:b"), "Parsing the trees", "Trees are parsed by parsers.", 2019, "2019-07", ("acl", "conll")),
    IndexRow(PaperId("iclr:a"), "Éclair: a model", "", None, "", ("iclr",), ("iclr", "arxiv"), "preprint", "reject"),
    IndexRow(
        PaperId("acl:a"), "Tree banks", "No parser.", 2001, "2001", full_text=True, retracted=True, author="Østling"
    ),
)


def in_memory(rows: Iterable[IndexRow], *, average_length: float | None = None) -> SegmentIndex:
    return MemoryIndex(rows, average_length=average_length).part(Segment("memory", Path(), 0))


@pytest.fixture
def part(tmp_path: Path) -> SegmentIndex:
    build_part(ROWS, tmp_path / "index", average_length=4.0)
    return open_part(tmp_path / "index")


def test_the_build_reports_what_it_made(tmp_path: Path) -> None:
    stats = build_part(iter(ROWS), tmp_path / "index", average_length=None)
    lengths = [len(tokens(f"{row.title} {row.abstract}")) for row in ROWS]
    assert stats.count == 3
    assert stats.average_length == pytest.approx(sum(lengths) / 3)
    assert stats.tokenizer == TOKENIZER
    assert stats.terms == len({each for row in ROWS for each in tokens(f"{row.title} {row.abstract}")})


def test_postings_hold_the_term_part_of_bm25_and_no_idf(part: SegmentIndex) -> None:
    rows, weights = part.postings(stem("tree"))
    assert rows.tolist() == [0, 2]
    lengths = [len(tokens(f"{row.title} {row.abstract}")) for row in ROWS]
    expected = [tf / (1.5 * (0.25 + 0.75 * lengths[row] / 4.0) + tf) for row, tf in ((0, 2), (2, 1))]
    assert weights.tolist() == pytest.approx(expected)
    assert part.postings("absent")[0].tolist() == []
    assert part.postings("the")[0].tolist() == []


def test_with_idf_put_back_the_scores_are_those_of_bm25s(tmp_path: Path) -> None:
    rows = [replace(row, id=PaperId(f"acl:{at}")) for at, row in enumerate(ROWS * 7)]
    corpus = [tokens(f"{row.title} {row.abstract}") for row in rows]
    theirs = bm25s.BM25()
    theirs.index(corpus, show_progress=False)
    build_part(rows, tmp_path, average_length=None)
    ours = open_part(tmp_path)
    for term in ("tree", "parser", "model"):
        found, weights = ours.postings(stem(term))
        idf = math.log(1 + (len(rows) - len(found) + 0.5) / (len(found) + 0.5))
        scores = np.zeros(len(rows), np.float32)
        scores[found] = weights * idf
        assert scores == pytest.approx(theirs.get_scores([stem(term)]), abs=1e-6)


def test_columns_say_what_filters_need(part: SegmentIndex) -> None:
    columns = part.columns
    assert columns.year.tolist() == [2019, 0, 2001]
    assert columns.date.tolist() == [20190700, 0, 20010000]
    assert columns.schemes[1] == 1 << SCHEMES.index("iclr") | 1 << SCHEMES.index("arxiv")
    assert columns.type[1] == PAPER_TYPES.index("preprint")
    assert columns.decision[1] == DECISIONS.index("reject")
    assert columns.full_text.tolist() == [False, False, True]
    assert columns.retracted.tolist() == [False, False, True]
    assert columns.id_order.tolist() == [1, 2, 0]
    assert columns.title_order.tolist() == [1, 0, 2]
    assert columns.author_order.tolist()[2] == 0


def test_ids_and_venues_are_found_both_ways(part: SegmentIndex) -> None:
    assert part.ids([2, 0, 1]) == ("acl:a", "acl:b", "iclr:a")
    assert part.rows_of([PaperId("iclr:a"), PaperId("acl:b"), PaperId("none")]).tolist() == [0, 1]
    assert part.rows_of([]).tolist() == []
    assert part.venue_rows("conll").tolist() == [0]
    assert part.venue_rows("nowhere").tolist() == []
    assert part.venues() == (("acl", 1), ("conll", 1), ("iclr", 1))


@pytest.mark.parametrize(
    ("phrase", "rows"),
    [
        ("the trees", [0]),
        ("trees", [0]),
        ("trees trees", []),
        ("parsing the trees trees", []),
        ("eclair a model", [1]),
        ("tree banks no", []),
        ("no parser", [2]),
        ("parser eclair", []),
        ("absent", []),
        ("", []),
    ],
)
def test_phrases_are_found_within_a_title_or_an_abstract(part: SegmentIndex, phrase: str, rows: list[int]) -> None:
    assert part.rows_with_phrase(words(phrase)).tolist() == rows


@pytest.mark.parametrize(
    ("word", "rows"), [("parsing", [0]), ("tree", [2]), ("trees", []), ("eclair", [1]), ("the", []), ("absent", [])]
)
def test_titles_are_found_by_their_first_word(part: SegmentIndex, word: str, rows: list[int]) -> None:
    assert part.titles_starting_with(word).tolist() == rows


def test_a_part_knows_how_long_texts_are_and_the_names_of_their_titles(part: SegmentIndex) -> None:
    assert part.columns.length.tolist() == [10, 5, 6]
    assert part.columns.name_length.tolist() == [0, 1, 0]


@pytest.mark.parametrize(("title", "length"), [("Ends in a colon:", 0), ("A: B: c", 1), ("x " * 300 + ": y", 255)])
def test_a_name_is_what_stands_before_the_first_colon_and_something_more(title: str, length: int) -> None:
    assert in_memory([IndexRow(PaperId("acl:x"), title)]).columns.name_length.tolist() == [length]


def test_an_index_of_an_older_litterm_knows_no_names() -> None:
    kept = collect_rows(ROWS)
    terms = build_terms(kept)
    arrays = build_arrays(kept, terms)
    del arrays["name_length"]
    made = postings(terms.flat, terms.lengths, vocabulary=len(terms.stems), field=whole_record_weighting(4.0))
    assert SegmentIndex(arrays, made).columns.name_length.tolist() == [0, 0, 0]


@given(
    st.lists(st.tuples(st.text("ab ", max_size=9), st.text("ab ", max_size=9)), max_size=5), st.text("ab ", max_size=5)
)
def test_holding_agrees_with_reading(texts: list[tuple[str, str]], phrase: str) -> None:
    found = in_memory(IndexRow(PaperId(f"acl:{at}"), *each) for at, each in enumerate(texts))
    test = phrase_test(phrase)
    assert found.rows_with_phrase(words(phrase)).tolist() == [
        at for at, each in enumerate(texts) if words(phrase) and any(map(test, each))
    ]


def test_words_are_completed_by_frequency_then_alphabet(part: SegmentIndex) -> None:
    assert part.expand("par", 2) == (("parsed", 1), ("parser", 1))
    assert part.expand("tree", 5) == (("trees", 2), ("tree", 1))
    assert part.expand("eclai", 5) == (("eclair", 1),)
    assert part.expand("th", 5) == ()
    assert ("trees", 2) in part.similar_words("teres", 1)


@pytest.mark.parametrize("rows", [(), (IndexRow(PaperId("acl:x"), "the"),), (IndexRow(PaperId("acl:x"), ""),)])
def test_rows_without_words_make_a_part_that_finds_nothing(rows: tuple[IndexRow, ...], tmp_path: Path) -> None:
    stats = build_part(rows, tmp_path, average_length=None)
    found = open_part(tmp_path)
    assert stats.average_length == TYPICAL_LENGTH
    assert found.count == len(rows)
    assert found.postings("x")[0].tolist() == []
    assert found.expand("t", 3) == ()


def test_in_memory_and_on_disk_are_the_same_part(part: SegmentIndex) -> None:
    memory = in_memory(ROWS, average_length=4.0)
    for term in {each for row in ROWS for each in tokens(f"{row.title} {row.abstract}")}:
        for ours, theirs in zip(memory.postings(term), part.postings(term), strict=True):
            assert ours.tolist() == theirs.tolist()
    assert memory.expand("", 99) == part.expand("", 99)


def test_a_part_is_opened_once_while_somebody_holds_it(tmp_path: Path) -> None:
    build_part(ROWS, tmp_path / "index", average_length=4.0)
    folder, segment = IndexFolder(), Segment("one", tmp_path, 3)
    part = folder.part(segment)
    assert folder.part(segment) is part


def test_a_vanished_segment_is_named(tmp_path: Path) -> None:
    with pytest.raises(SegmentGone, match="gone"):
        IndexFolder().part(Segment("one", tmp_path / "nowhere", 3))


@pytest.mark.parametrize("name", ["part.pack", "data.csc.index.npy"])
@pytest.mark.parametrize("content", [b"", b"something else altogether"])
def test_a_damaged_index_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    build_part(ROWS, tmp_path, average_length=4.0)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LibraryError, match=re.escape(str(tmp_path))):
        open_part(tmp_path)


def test_bm25s_reads_what_it_wrote(tmp_path: Path, part: SegmentIndex) -> None:
    model = bm25s.BM25.load(tmp_path / "index", mmap=True)
    scores = model.get_scores([stem("tree")])
    rows, weights = part.postings(stem("tree"))
    assert np.flatnonzero(scores).tolist() == rows.tolist()
    assert scores[rows].tolist() == weights.tolist()


def test_an_index_stays_readable_when_its_files_are_removed(tmp_path: Path) -> None:
    build_part(ROWS, tmp_path / "index", average_length=4.0)
    part = open_part(tmp_path / "index")
    for file in (tmp_path / "index").iterdir():
        file.unlink()
    assert part.postings(stem("tree"))[0].tolist() == [0, 2]
    assert part.ids([0]) == ("acl:b",)


def test_a_paper_is_indexed_by_all_its_schemes() -> None:
    paper = Paper(
        PaperId("acl:1"),
        "T",
        authors=(Author("Lee", "Ann"),),
        aliases=(PaperId("doi:10.1/x"), PaperId("arxiv:1")),
        retraction="retracted: plagiarism",
    )
    row = index_row(paper)
    assert row.schemes == ("acl", "doi", "arxiv")
    assert row.retracted
    assert row.author == "Lee"


def test_a_year_without_a_date_is_the_date_as_far_as_it_is_known() -> None:
    part = in_memory(
        [IndexRow(PaperId("acl:a"), "Trees", "", 2005, ""), IndexRow(PaperId("acl:b"), "Trees", "", 2005, "soon")]
    )
    assert part.columns.date.tolist() == [20050000, 20050000]
