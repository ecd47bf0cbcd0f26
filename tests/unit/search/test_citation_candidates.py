"""Candidates of an excerpt as numbers: nothing later than the citing year is seen, nor who has a full text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from memory_segments import cut

from litterm.core.tasks import run
from litterm.library.index.static_embeddings import open_static
from litterm.model.attribution.citation import CandidateBounds, WeightedWord
from litterm.model.index import index_row
from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PaperId
from litterm.search.citation_candidates import CitationCandidateSearcher, CitationPool
from litterm_benchmarks.memory_library import MemoryIndex, MemoryLibrary


def paper(key: str, title: str, year: int | None, *authors: str, venue: str = "acl", abstract: str = "") -> Paper:
    return Paper(
        PaperId(f"acl:{key}"),
        title,
        abstract,
        tuple(Author(name) for name in authors),
        year,
        venue_keys=(venue,),
    )


PAPERS = (
    paper("A", "Minimum error rate training", 2003, "Och"),
    paper("B", "Minimum error rate training again", 2005, "Och", "Ney", venue="ws"),
    paper("C", "Lattices for minimum error rate search", 2009, "Ney"),
    paper("D", "A survey of translation", 2004, "Koehn", venue="cl", abstract="Error rate and all that."),
    paper("E", "Parsing of Czech", 2001, "Hajic"),
    paper("F", "Translation without a date", None, "Koehn"),
)
WORDS = [WeightedWord(word, 1.0) for word in ("minimum", "error", "rate", "translation")]


def pool(
    papers: tuple[Paper, ...] = PAPERS,
    size: int = 2,
    *,
    until: int | None = 2006,
    exclude: Sequence[str] = (),
    include: Sequence[str] = (),
) -> tuple[CitationPool, dict[str, dict[str, float]]]:
    both_libraries = cut(papers, size)
    bounds = CandidateBounds(until, exclude=tuple(map(PaperId, exclude)))
    found = run(
        CitationCandidateSearcher(both_libraries, both_libraries, embedder=None).pool(
            WORDS, ["minimum", "error", "rate"], size=100, bounds=bounds, include=list(map(PaperId, include))
        )
    )
    ids = [each.removeprefix("acl:") for each in found.ids()]
    return found, {
        key: {name: float(column[at]) for name, column in found.features.items()} for at, key in enumerate(ids)
    }


def test_only_papers_up_to_the_year_that_share_a_word_are_candidates() -> None:
    _, signs = pool()
    assert set(signs) == {"A", "B", "D"}
    _, later = pool(until=2010)
    assert set(later) == {"A", "B", "C", "D"}
    _, any_year = pool(until=None)
    assert set(any_year) == {"A", "B", "C", "D", "F"}


def test_what_came_later_changes_no_number() -> None:
    without = tuple(each for each in PAPERS if each.id != "acl:C")
    _, seen = pool()
    _, unseen = pool(without)
    timeless = ("age", "author", "first_author", "followers", "conference", "leading", "workshop", "journal", "length")
    assert {key: [row[name] for name in timeless] for key, row in seen.items()} == {
        key: [row[name] for name in timeless] for key, row in unseen.items()
    }


def test_having_a_full_text_changes_no_number() -> None:
    _, without = pool()
    _, with_text = pool(tuple(replace(each, full_text=True) for each in PAPERS))
    assert with_text == without


def test_followers_venues_and_authors_are_those_of_the_citing_year() -> None:
    _, then = pool(until=2006)
    _, before = pool(until=2003)
    assert then["A"]["followers"] == pytest.approx(np.log(2))
    assert before["A"]["followers"] == 0
    assert (before["A"]["author"], then["A"]["author"]) == (pytest.approx(np.log(2)), pytest.approx(np.log(3)))
    assert [then[key]["conference"] for key in "ABD"] == [1, 0, 1]
    assert [then[key]["journal"] for key in "ABD"] == [0, 0, 1]
    assert [then[key]["age"] for key in "ABD"] == [3, 1, 2]
    assert [before["A"]["same_year"], then["A"]["same_year"]] == [1, 0]
    assert then["A"]["cover"] > then["B"]["cover"] > 0
    assert then["A"]["phrase"] > then["D"]["phrase"] == 0


def test_without_a_year_no_age_is_held_against_a_paper() -> None:
    _, signs = pool(until=None)
    assert {(row["age"], row["log_age"], row["same_year"]) for row in signs.values()} == {(0, 0, 0)}


def test_a_leading_conference_is_one_of_the_main_ones_and_no_workshop_at_it() -> None:
    at_workshop = replace(PAPERS[1], venue_keys=("acl", "ws"))
    elsewhere = paper("G", "Error rate", 2003, venue="coling")
    _, signs = pool((*PAPERS[:1], at_workshop, elsewhere))
    assert {key: (row["conference"], row["leading"]) for key, row in signs.items()} == {
        "A": (1, 1),
        "B": (0, 0),
        "G": (1, 0),
    }


def test_the_first_author_counts_beside_the_most_prolific_one() -> None:
    beginner_first = paper("G", "Error rate of rates", 2005, "Newman", "Och")
    nobody = paper("H", "Error rate of errors", 2005)
    _, signs = pool((*PAPERS, beginner_first, nobody))
    written = {key: np.exp([signs[key]["first_author"], signs[key]["author"]]) - 1 for key in "ABDGH"}
    assert {key: counts.round().tolist() for key, counts in written.items()} == {
        "A": [3, 3],
        "B": [3, 3],
        "D": [1, 1],
        "G": [1, 3],
        "H": [0, 0],
    }


def test_named_papers_are_in_and_excluded_ones_out() -> None:
    _, signs = pool(include=["acl:E", "acl:C"], exclude=["acl:A"])
    assert set(signs) == {"B", "D", "E"}
    assert [signs[key]["included"] for key in "BDE"] == [0, 0, 1]


def test_whoever_wrote_the_citing_paper_wrote_others_too() -> None:
    _, signs = pool(exclude=["acl:B"])
    assert {key: row["same_author"] for key, row in signs.items()} == {"A": 1, "D": 0}
    _, later = pool(exclude=["acl:C"])
    assert {key: row["same_author"] for key, row in later.items()} == {"A": 0, "B": 1, "D": 0}
    _, unknown = pool(exclude=["acl:nobody"])
    assert "same_author" not in unknown["A"]


def test_what_the_citing_paper_is_about_is_known_by_its_vector_or_by_its_title() -> None:
    citing = paper("G", "Parsing with dependency grammars", 2006, "Nivre")
    papers = (*PAPERS, citing, paper("H", "Parsing error analysis of treebanks", 2004, "Hall"))
    model = open_static()
    index = MemoryIndex(map(index_row, papers), model=model)
    searcher = CitationCandidateSearcher(MemoryLibrary(map(Parsed, papers)), index, embedder=model)

    def topics(bounds: CandidateBounds) -> dict[str, float]:
        candidates = run(searcher.pool(WORDS, [], size=100, bounds=bounds))
        return dict(zip(candidates.ids(), candidates.features.get("same_topic", []), strict=False))

    held = topics(CandidateBounds(2006, exclude=(citing.id,)))
    assert "acl:G" not in held
    assert max(held, key=held.__getitem__) in {"acl:E", "acl:H"}
    assert held["acl:H"] > held["acl:A"]
    typed = topics(CandidateBounds(2006, source=citing.title))
    assert {key: typed[key] for key in held} == pytest.approx(held, abs=0.02)
    assert topics(CandidateBounds(2006)) == {}


def test_the_pool_is_cut_at_the_best_and_gives_papers_in_the_order_asked_for() -> None:
    found, signs = pool(until=None)
    assert len(signs) == 5
    ranked = run(found.papers([2, 0]))
    assert [each.paper.id for each in ranked] == [found.ids()[2], found.ids()[0]]
    assert [each.rank for each in ranked] == [1, 2]
    both_libraries = cut(PAPERS, 3)
    searcher = CitationCandidateSearcher(both_libraries, both_libraries, embedder=None)
    small = run(searcher.pool(WORDS, [], size=2, bounds=CandidateBounds()))
    assert len(small.ids()) == 2
    assert small.by == "bm25"


def test_however_a_library_is_cut_the_numbers_are_the_same() -> None:
    def rounded(size: int) -> dict[str, dict[str, float]]:
        both_libraries = cut(PAPERS, size)
        found = run(
            CitationCandidateSearcher(both_libraries, both_libraries, embedder=None).pool(
                WORDS, ["error", "rate"], size=9, bounds=CandidateBounds(2010)
            )
        )
        return {
            key: {name: round(float(column[at]), 4) for name, column in found.features.items()}
            for at, key in enumerate(found.ids())
        }

    assert rounded(1) == rounded(3) == rounded(6)


def test_a_list_sees_of_its_papers_what_an_excerpt_sees() -> None:
    both_libraries = cut(PAPERS, 2)
    searcher = CitationCandidateSearcher(both_libraries, both_libraries, embedder=None)
    ids = [PAPERS[at].id for at in (3, 1, 0, 2, 5)]
    found = run(searcher.describe_papers(ids, WORDS, until=2006))
    assert found.ids() == (PAPERS[0].id, PAPERS[1].id, PAPERS[3].id)
    whole = run(searcher.pool(WORDS, ["error", "rate"], size=0, bounds=CandidateBounds(2006), include=ids))
    assert whole.ids() == found.ids()
    for name, column in found.features.items():
        np.testing.assert_array_equal(column, whole.features[name])
    assert {"conference", "journal", "length", "followers"} <= set(found.features)
    assert [each.paper.title for each in run(found.papers([2, 0]))] == [PAPERS[3].title, PAPERS[0].title]
