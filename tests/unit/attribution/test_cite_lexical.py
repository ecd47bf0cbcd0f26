"""The lexical attributor over a fake retrieval: ranking, supporting sentence, limits."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest

from litterm.attribution.excerpt import read_excerpt
from litterm.attribution.lexical import LexicalAttributor
from litterm.attribution.supporting_sentence import find_supporting_sentence, stem_weights
from litterm.core.errors import UsageError
from litterm.core.tasks import Task, run
from litterm.interfaces import Attributor
from litterm.model.attribution.citation import Attribution, CandidateBounds, WeightedWord
from litterm.model.document import Document
from litterm.model.events import Event, ProvisionalRanking
from litterm.model.paper import Paper, PaperId
from litterm.model.search import RankedPaper
from litterm.text.documents.builder import Block, build_document

SUBWORDS = Paper(
    PaperId("acl:P16-1162"),
    "Subword units for rare words",
    "Translation has an open vocabulary. We encode rare words as subword units. This is simple and works well.",
    year=2016,
)
ATTENTION = Paper(PaperId("acl:D15-1166"), "Attention in translation", year=2015, full_text=True)
TEXT = "Rare words can be split into subword units [CITATION] before translation."


class ListSearcher:
    """Retrieval over a list: a paper scores the weights of the words in its title and abstract."""

    def __init__(self, *papers: Paper) -> None:
        self._papers = papers

    def candidates(
        self,
        words: Sequence[WeightedWord],
        *,
        k: int,
        before: int | None = None,
        exclude: Collection[PaperId] = (),
    ) -> Task[tuple[RankedPaper, ...]]:
        scored = []
        for paper in self._papers:
            text = f"{paper.title} {paper.abstract}".lower()
            hits = [word for word in words if word.word in text]
            if hits and paper.id not in exclude and (before is None or (paper.year or 9999) <= before):
                scored.append((-sum(word.weight for word in hits), paper.id, paper, hits))
        scored.sort(key=lambda row: row[:2])
        return tuple(
            RankedPaper(rank, paper, -score, "bm25", tuple((hit.word, 1) for hit in hits))
            for rank, (score, _, paper, hits) in enumerate(scored[:k], 1)
        )
        yield


def attribute(*papers: Paper, text: str = TEXT, k: int = 5, before: int | None = None) -> Attribution:
    return run(
        LexicalAttributor(ListSearcher(*papers)).attribute(read_excerpt(text), k=k, bounds=CandidateBounds(before))
    )


def test_candidates_come_ranked_with_matched_words_and_the_supporting_sentence() -> None:
    found = attribute(ATTENTION, SUBWORDS)
    assert [candidate.paper.id for candidate in found.candidates] == [SUBWORDS.id, ATTENTION.id]
    assert [candidate.rank for candidate in found.candidates] == [1, 2]
    assert set(found.candidates[0].matched) >= {"rare", "words", "subword", "units"}
    assert found.candidates[0].support == "We encode rare words as subword units."
    assert found.by == "bm25"


def test_the_full_text_supports_where_there_is_one() -> None:
    text = build_document(
        ATTENTION.id,
        [Block("heading", "Rare words as subword units"), Block("body", "Nothing. We split rare words into pieces.")],
        origin="pdf",
        parser="test",
    )
    asked: list[PaperId] = []

    def document(paper_id: PaperId) -> Document | None:
        asked.append(paper_id)
        return text

    found = run(LexicalAttributor(ListSearcher(ATTENTION, SUBWORDS), document).attribute(read_excerpt(TEXT), k=5))
    assert found.candidates[1].support == "We split rare words into pieces."
    assert asked == [ATTENTION.id]


def test_a_sentence_that_shares_one_word_supports_nothing() -> None:
    paper = Paper(PaperId("acl:X"), "Words", "Words matter. Speech is sound.")
    assert find_supporting_sentence(stem_weights(read_excerpt(TEXT).words), paper, None) == ""


def test_later_papers_and_the_citing_one_are_left_out() -> None:
    assert [c.paper.year for c in attribute(ATTENTION, SUBWORDS, before=2015).candidates] == [2015]
    attributor = LexicalAttributor(ListSearcher(ATTENTION, SUBWORDS))
    found = run(attributor.attribute(read_excerpt(TEXT), k=5, bounds=CandidateBounds(exclude=(SUBWORDS.id,))))
    assert [candidate.paper.id for candidate in found.candidates] == [ATTENTION.id]


def test_nothing_found_is_said() -> None:
    found = attribute(SUBWORDS, before=1990)
    assert found.candidates == ()
    assert found.notices == ("No paper of 1990 or earlier in the library shares a word with the excerpt.",)


def test_the_ranking_is_shown_before_support_is_looked_for() -> None:
    events: list[Event] = []
    attributor: Attributor = LexicalAttributor(ListSearcher(SUBWORDS))
    run(attributor.attribute(read_excerpt(TEXT), k=5, bounds=CandidateBounds()), events.append)
    assert isinstance(events[0], ProvisionalRanking)
    assert events[0].ranking.papers[0].paper == SUBWORDS


@pytest.mark.parametrize(("text", "k"), [("It is what we used in [CITATION].", 5), (TEXT, 0)])
def test_nothing_to_search_for_and_no_candidate_asked_for_are_usage_errors(text: str, k: int) -> None:
    with pytest.raises(UsageError):
        attribute(SUBWORDS, text=text, k=k)
