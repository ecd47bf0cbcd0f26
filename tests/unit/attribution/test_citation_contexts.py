"""How others cite a candidate: never from later, never the citing paper itself, never for its own text."""

from __future__ import annotations

import numpy as np

from litterm.attribution.excerpt import read_excerpt
from litterm.attribution.features import FEATURE_NAMES, CitationContexts
from litterm.attribution.learned import LinearAttributor
from litterm.attribution.weights import CONFIDENCE_FEATURES, FittedWeights
from litterm.citations.graph import Graph
from litterm.core.errors import LibraryError
from litterm.core.tasks import run
from litterm.interfaces import CitationGraph
from litterm.model.attribution.citation import Attribution, CandidateBounds
from litterm.model.citations.graph import Citance, Edge, ReferenceListHead, ResolvedList
from litterm.model.document import Span
from litterm.model.index import index_row
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm.search.citation_candidates import CitationCandidateSearcher
from litterm_benchmarks.memory_library import MemoryIndex, MemoryLibrary

EXCERPT = read_excerpt("A greedy merge of frequent symbol pairs [CITATION] keeps the vocabulary small.")
NEAR = PaperId("acl:N")
FAR = PaperId("acl:F")
PAPERS = (Paper(NEAR, "Symbol pairs of frequent merge", year=2010), Paper(FAR, "Open vocabulary", year=2010))


def cited(citing: str, of: PaperId, year: int | None, text: str, mark: Span | None = None) -> Citance:
    return Citance(PaperId(citing), of, text, mark, year)


def graph(*citances: Citance) -> Graph:
    """Every citing paper with its list and its sentences."""
    lists, told = [], {}
    for citing in dict.fromkeys(each.citing for each in citances):
        own = tuple(each for each in citances if each.citing == citing)
        edges = tuple(Edge(citing, each.cited, 1, each.year) for each in own)
        told[citing] = own
        lists.append(ResolvedList(ReferenceListHead(citing, citing, own[0].year), True, edges, frozenset()))
    return Graph(lists, lambda resolved: told[resolved.head.paper])


def likeness(*citances: Citance, bounds: CandidateBounds | None = None) -> list[float]:
    contexts = CitationContexts(lambda: graph(*citances))
    found: list[float] = run(contexts.similarities(EXCERPT, [NEAR, FAR], bounds or CandidateBounds())).tolist()
    return found


def cite(given: CitationGraph | None) -> Attribution:
    library = MemoryLibrary(Parsed(each) for each in PAPERS)
    index = MemoryIndex(index_row(each) for each in library.all)
    terms = np.array([{"text": 1.0, "cited_as": 9.0}.get(term, 0.0) for term in FEATURE_NAMES])
    sure = np.zeros(len(CONFIDENCE_FEATURES) + 1)
    contexts = CitationContexts(lambda: given) if given is not None else None
    searcher = CitationCandidateSearcher(library, index, embedder=None)
    attributor = LinearAttributor(searcher, {"bm25": FittedWeights(terms, 1.0, sure, sure)}, contexts=contexts)
    return run(attributor.attribute(EXCERPT, k=2, bounds=CandidateBounds(2015)))


ALIKE = "They merge the most frequent symbol pairs greedily for a small vocabulary (Gage, 1994)."


def test_a_sentence_that_cites_it_in_the_words_of_the_excerpt_speaks_for_a_paper() -> None:
    near, far = likeness(cited("x:1", FAR, 2012, ALIKE), cited("x:2", NEAR, 2012, "Trees are parsed (Hajic, 2001)."))
    assert near == 0
    assert 0.5 < far <= 1


def test_of_several_sentences_the_likest_counts() -> None:
    alone = likeness(cited("x:1", FAR, 2012, ALIKE))
    among = likeness(cited("x:1", FAR, 2012, ALIKE), cited("x:2", FAR, 2014, "A vocabulary of trees."))
    assert among == alone


def test_nothing_is_taken_from_later_papers_the_citing_one_or_one_without_a_year() -> None:
    one = cited("x:1", FAR, 2012, ALIKE)
    assert likeness(one, bounds=CandidateBounds(2011)) == [0, 0]
    assert likeness(one, bounds=CandidateBounds(2012, exclude=(PaperId("x:1"),))) == [0, 0]
    assert likeness(cited("x:1", FAR, None, ALIKE), bounds=CandidateBounds(2012)) == [0, 0]
    assert likeness(one, bounds=CandidateBounds(2012))[1] > 0


def test_the_words_of_the_mark_are_no_words_about_the_paper() -> None:
    text = "Merge it (symbol pairs, 1994)."
    marked = likeness(cited("x:1", FAR, 2012, text, Span(text.index("("), len(text) - 1)))
    assert 0 < marked[1] < likeness(cited("x:1", FAR, 2012, text))[1]


def test_citing_sentences_move_a_candidate_up_and_say_so() -> None:
    assert [each.paper.id for each in cite(None).candidates] == [NEAR, FAR]
    found = cite(graph(cited("x:1", FAR, 2012, ALIKE)))
    assert [each.paper.id for each in found.candidates] == [FAR, NEAR]
    assert "others cite it in such words" in found.candidates[0].why


def test_a_library_without_full_texts_is_ranked_as_without_the_sign() -> None:
    bare, empty = cite(None), cite(graph())
    assert [(each.paper.id, each.score) for each in bare.candidates] == [
        (each.paper.id, each.score) for each in empty.candidates
    ]
    # A candidate's own text, in which it cites others, is nothing that speaks for it.
    own = cite(graph(cited(str(FAR), PaperId("x:9"), 2010, ALIKE)))
    assert own.candidates == empty.candidates


def test_a_graph_that_cannot_be_read_costs_a_sign_and_not_the_answer() -> None:
    def broken() -> CitationGraph:
        raise LibraryError("The citation graph is gone.")

    library = MemoryLibrary(Parsed(each) for each in PAPERS)
    index = MemoryIndex(index_row(each) for each in library.all)
    sure = np.zeros(len(CONFIDENCE_FEATURES) + 1)
    fits = {"bm25": FittedWeights(np.ones(len(FEATURE_NAMES)), 1.0, sure, sure)}
    attributor = LinearAttributor(
        CitationCandidateSearcher(library, index, embedder=None), fits, contexts=CitationContexts(broken)
    )
    assert len(run(attributor.attribute(EXCERPT, k=2, bounds=CandidateBounds())).candidates) == 2
