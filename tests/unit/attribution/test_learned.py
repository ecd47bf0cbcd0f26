"""The fitted attributor over a small library in memory: order, names, bounds, verdicts, reasons."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litterm.attribution.candidate_bounds import is_admitted
from litterm.attribution.confidence import estimate_confidences
from litterm.attribution.excerpt import read_excerpt
from litterm.attribution.fact_features import FactFeatures
from litterm.attribution.features import (
    FEATURE_NAMES,
    coined_names,
    introduction_points,
    introduction_strength,
    match_names,
    stated_author_score,
)
from litterm.attribution.learned import LinearAttributor, open_attributor
from litterm.attribution.online_query import online_query
from litterm.attribution.weights import CONFIDENCE_FEATURES, FittedWeights, read_weights
from litterm.citations.count_ranks import CountRanks
from litterm.core.errors import BadInput, UsageError
from litterm.core.tasks import run
from litterm.library.citation_facts.shipped import ProfileArrays, open_facts
from litterm.library.index.static_embeddings import open_static
from litterm.model.attribution.citation import Attribution, CandidateBounds, WeightedWord
from litterm.model.events import Event, ProvisionalRanking
from litterm.model.index import index_row
from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PaperId
from litterm.search.citation_candidates import CitationCandidateSearcher
from litterm.search.lexical import LexicalSearcher
from litterm_benchmarks.memory_library import MemoryIndex, MemoryLibrary


def paper(key: str, title: str, year: int, *authors: str, abstract: str = "", date: str = "") -> Paper:
    return Paper(
        PaperId(f"acl:{key}"), title, abstract, tuple(Author(name) for name in authors), year, date or str(year), "ACL"
    )


SUBWORDS = paper("S", "Translation of rare words with subword units", 2016, "Sennrich", "Haddow")
BYTES = paper("B", "Byte pairs for translation", 2017, "Gage", abstract="Rare words become subword units of bytes.")
ELMO = paper("E", "ELMo: deep contextualized vectors", 2018, "Peters", date="2018-06")
TREES = paper("T", "Parsing of Czech trees", 2001, "Hajic")
OTHER = paper("O", "Backtranslated monolingual data", 2016, "Sennrich", "Haddow")
ALL = (SUBWORDS, BYTES, ELMO, TREES, OTHER)


def fit() -> dict[str, FittedWeights]:
    weights = {"text": 1.0, "phrase": 1.0, "coined": 2.0, "acronym": 1.0}
    terms = np.array([weights.get(term, 0.0) for term in FEATURE_NAMES])
    first = np.array([{"share": 8.0, "gap": 0.5}.get(sign, 0.0) for sign in CONFIDENCE_FEATURES] + [-3.0])
    there = first + np.eye(len(first))[-1]
    return {"bm25": FittedWeights(terms, 1.0, first, there), "hybrid": FittedWeights(terms, 1.0, first, there)}


def attributor(*papers: Paper) -> LinearAttributor:
    library = MemoryLibrary(Parsed(each) for each in papers)
    index = MemoryIndex(index_row(each) for each in library.all)

    def find_by_author_year(family: str, year: int) -> tuple[Paper, ...]:
        return tuple(each for each in papers if each.year == year and each.authors[0].family == family)

    return LinearAttributor(
        CitationCandidateSearcher(library, index, embedder=None), fit(), find_by_author_year=find_by_author_year
    )


def cite(text: str, *papers: Paper, bounds: CandidateBounds | None = None, k: int = 5) -> Attribution:
    return run(attributor(*(papers or ALL)).attribute(read_excerpt(text), k=k, bounds=bounds or CandidateBounds()))


def ids(found: Attribution) -> list[str]:
    return [candidate.paper.id.removeprefix("acl:") for candidate in found.candidates]


def test_candidates_come_with_confidence_reasons_and_support() -> None:
    found = cite("Rare words are split into subword units [CITATION].")
    assert ids(found)[:2] == ["S", "B"]
    first, second = found.candidates[:2]
    assert first.confidence is not None
    assert second.confidence is not None
    assert 1 >= first.confidence > second.confidence > 0
    assert sum(candidate.confidence or 0 for candidate in found.candidates) <= 1
    assert second.support == "Rare words become subword units of bytes."
    assert "similar wording and meaning" in first.why
    assert (found.confidence, found.by) == (first.confidence, "linear")


def test_authors_and_year_at_the_mark_bring_their_paper_whatever_its_words() -> None:
    found = cite("Rare words are split into subword units (Peters, 2018).")
    assert ids(found)[0] == "E"
    assert "authors at the mark agree" in found.candidates[0].why
    found = cite("We add monolingual data (Sennrich and Haddow, 2016).")
    assert ids(found)[0] == "O"
    assert ids(cite("See (Hajic, 2001).", *ALL))[0] == "T"


def test_a_title_that_stands_in_the_claim_is_the_answer() -> None:
    named = cite("We follow “Byte pairs for translation” [CITATION] for rare words and subword units of words.")
    assert ids(named)[0] == "B"
    assert "the excerpt names its title" in named.candidates[0].why


def test_a_coined_name_leads_to_the_paper_that_coined_it() -> None:
    found = cite("ELMo [CITATION] helps parsing of trees and translation of words.")
    assert ids(found)[0] == "E"
    assert "introduced “ELMo”" in found.candidates[0].why


def test_each_of_two_names_leads_to_its_own_paper() -> None:
    glove = paper("G", "GloVe: global vectors for words", 2014, "Pennington")
    text = "We start from ELMo [CITATION] and GloVe [CITATION] vectors for words."
    for mark, key in enumerate("EG"):
        found = run(attributor(*ALL, glove).attribute(read_excerpt(text, mark), k=1, bounds=CandidateBounds()))
        assert ids(found) == [key]


def test_the_citing_paper_and_later_ones_are_left_out() -> None:
    text = "Rare words are split into subword units [CITATION], not trees, data or ELMo vectors."
    assert "S" not in ids(
        cite(text, bounds=CandidateBounds(source="Translation of Rare Words with Subword Units: a subtitle"))
    )
    assert "S" not in ids(cite(text, bounds=CandidateBounds(exclude=(SUBWORDS.id,))))
    assert set(ids(cite(text, bounds=CandidateBounds(2016)))) == {"S", "T", "O"}
    assert "E" in ids(cite(text, bounds=CandidateBounds(2018, 6)))
    assert "E" not in ids(cite(text, bounds=CandidateBounds(2018, 5)))
    assert is_admitted(SUBWORDS, CandidateBounds(2016, 1))


def test_a_paper_that_is_not_there_is_said_to_be_absent_with_a_query_for_elsewhere() -> None:
    text = "Zebrafish embryos regenerate fins after amputation [CITATION], as do trees."
    found = cite(text)
    assert found.verdict == "absent"
    assert {"zebrafish", "regenerate", "amputation"} <= set(found.online_query.split())
    nothing = cite("Zebrafish embryos regenerate [CITATION].")
    assert (nothing.verdict, nothing.candidates) == ("absent", ())
    assert "shares a word" in nothing.notices[0]


def test_the_ranking_is_shown_before_support_is_looked_for() -> None:
    events: list[Event] = []
    run(attributor(*ALL).attribute(read_excerpt("Rare words [CITATION]"), k=2, bounds=CandidateBounds()), events.append)
    assert any(isinstance(event, ProvisionalRanking) for event in events)


@pytest.mark.parametrize(("text", "k"), [("It is what we used in [CITATION].", 5), ("Rare words [CITATION]", 0)])
def test_nothing_to_search_for_and_no_candidate_asked_for_are_usage_errors(text: str, k: int) -> None:
    with pytest.raises(UsageError):
        cite(text, k=k)


def test_no_later_candidate_is_likelier_than_the_first() -> None:
    signs = {"share": np.array([0.1, 0.2, 0.3])}
    for points in (np.array([1.0, 1.0, 1.0]), np.array([3.0, 0.0, -np.inf])):
        present, likely = estimate_confidences(signs, points, fit()["bm25"])
        assert likely[points.argmax()] == likely.max()
        assert 0 < likely.sum() <= present + 1e-9 <= 1
        assert (likely >= 0).all()


def test_a_later_candidate_is_at_most_as_sure_as_the_first_however_likely_the_library_holds_the_paper() -> None:
    unlikely, there = np.zeros(len(CONFIDENCE_FEATURES) + 1), np.zeros(len(CONFIDENCE_FEATURES) + 1)
    unlikely[-1], there[-1] = -2.0, 3.0
    present, likely = estimate_confidences(
        {}, np.array([1.0, 0.9]), FittedWeights(np.zeros(len(FEATURE_NAMES)), 1.0, unlikely, there)
    )
    first = 1 / (1 + np.exp(2.0))
    assert present - first > first
    assert likely == pytest.approx([first, first])


def test_papers_out_of_bounds_take_no_confidence_from_those_within() -> None:
    text = "Rare words are split into subword units [CITATION]."
    weighed = run(attributor(*ALL).score_pool(read_excerpt(text), CandidateBounds(source=SUBWORDS.title)))
    assert weighed is not None
    within = np.isfinite(weighed.points)
    assert set(np.flatnonzero(within)) == set(weighed.read)
    assert {each.paper.id for each in weighed.read.values()} == {BYTES.id}
    alone = estimate_confidences(weighed.pool.features, weighed.points, fit()["bm25"])[1]
    assert ids(cite(text, bounds=CandidateBounds(source=SUBWORDS.title)))[0] == "B"
    assert int(alone.argmax()) == int(weighed.points.argmax())
    assert not alone[~within].any()


def test_names_of_things_in_titles() -> None:
    assert coined_names("GloVe: Global vectors") == {"glove"}
    assert coined_names("SemEval-2010 Task 8 (MWE)") >= {"semeval-2010", "mwe"}
    assert coined_names("Parsing of Czech") == frozenset()
    excerpt = read_excerpt("The tuning method MERT [CITATION] is old.")
    assert match_names(excerpt, paper("M", "Minimum Error Rate Training in translation", 2003)).acronym == 1
    assert match_names(excerpt, TREES).acronym == 0


@pytest.mark.parametrize(
    ("name", "title", "acronym"),
    [
        ("MERT-2", "Minimum Error Rate Training in translation", 0),
        ("M3T", "Minimum Modal Model Training", 0),
        ("LSTM", "Long Short Term Memory", 1),
        ("LSTMs", "Long Short Term Memory", 0),
        ("Bi-LSTM", "Bidirectional Long Short Term Memory", 0),
        ("BI-LSTM", "Bidirectional Induction by Long Short Term Memory", 1),
        ("GCN", "Graphs for Convolution of Networks", 1),
        ("GC", "Graphs for Convolution of Networks", 0),
        ("CN", "Graphs for Convolution of Networks", 0),
        ("GCN", "3 Graphs for Convolution of 2 Networks", 1),
    ],
)
def test_an_acronym_is_letters_that_begin_the_words_of_a_title(name: str, title: str, acronym: float) -> None:
    excerpt = replace(read_excerpt("The method GloVe [CITATION] is old."), coined=(name,))
    assert match_names(excerpt, paper("M", title, 2003)).acronym == acronym


def test_a_title_that_stands_in_the_claim_names_the_paper_by_how_much_it_tells() -> None:
    def stands(title: str, claim: str) -> float:
        return match_names(read_excerpt(f"{claim} [CITATION]."), paper("M", title, 2003)).title

    assert stands("Parsing Czech with Forests", "We follow Parsing Czech with Forests") == 1.0
    assert stands("The Parsing of Forests", "We follow the parsing of forests") == 0.5
    assert stands("Parsing Czech Forests", "We follow Parsing Czech Forests") == 0.0
    assert stands("Zebra: Parsing Czech with Forests", "We follow Zebra") == 0.0


BART = paper("B1", "BART: A Toolkit for Coreference", 2008)
LATER_BART = paper("B2", "BART: Denoising Sequences", 2020)
BART_USER = paper("B3", "A Study of BART", 2021)


@pytest.mark.parametrize(
    ("text", "papers", "points"),
    [
        ("We use BART [CITATION].", (BART_USER, LATER_BART, BART), [0, 6, 8]),
        ("We use BART [CITATION].", (BART_USER, LATER_BART), [0, 8]),
        ("We use it [CITATION], like BART.", (BART,), [0]),
        ("We use bart [CITATION].", (BART,), [8]),
        ("We use BART", (BART,), [0]),
        # In use before: whoever explains it now did not introduce it.
        ("We use BART [CITATION].", (*(replace(BART_USER, year=year) for year in (2001, 2002, 2003)), BART), [0] * 4),
        ("We use BART [CITATION].", (replace(BART, year=None),), [0]),
    ],
)
def test_the_first_paper_that_introduces_the_name_at_the_mark_gets_most_points(
    text: str, papers: tuple[Paper, ...], points: list[float]
) -> None:
    assert introduction_points(read_excerpt(text), papers).tolist() == points


@pytest.mark.parametrize(
    ("name", "abstract", "strength"),
    [
        ("MultiNLI", "This paper introduces the Multi-Genre Natural Language Inference (MultiNLI) corpus.", 0.5),
        ("XLM-R", "Our model, dubbed XLM-R, is better.", 0.5),
        ("SNLI", "We introduce the Stanford Natural Language Inference corpus.", 0.5),
        ("SNLI", "We introduce models of natural language. Such Notions Like Inference differ.", 0),
        ("SNLI", "The recently released SNLI corpus has made it possible.", 0),
        ("SNLI", "We propose attention. We use SNLI for it.", 0),
        ("parser", "We present a parser of Czech.", 0),
        ("NLI", "We introduce Natural Language Inference.", 0),
        ("C++2", "We present C++2 here.", 0.5),
    ],
)
def test_an_abstract_introduces_a_name_by_a_verb_in_the_present(name: str, abstract: str, strength: float) -> None:
    assert introduction_strength(name, paper("X", "Large corpora", 2015, abstract=abstract)) == strength


def test_the_abstract_that_introduces_a_name_leads_to_its_paper_and_says_so() -> None:
    corpus = paper(
        "N", "A challenge corpus", 2018, "Williams", abstract="We introduce MultiNLI, a corpus of sentences."
    )
    user = paper("U", "Annotation artifacts", 2018, "Poliak", abstract="MultiNLI MultiNLI.")
    found = cite("We train on MultiNLI [CITATION].", user, corpus, *ALL)
    assert ids(found)[0] == "N"
    assert "its abstract introduces “MultiNLI”" in found.candidates[0].why


@pytest.mark.parametrize(
    ("text", "agreeing"),
    [
        ("x (Sennrich et al., 2016)", 1.0),
        ("x (Sennrich and Haddow, 2017)", 0.5),
        ("x (Sennrich, 2012)", -1.0),
        ("x (Luong, 2016)", -1.0),
        ("x [CITATION]", 0.0),
    ],
)
def test_how_well_stated_authors_agree(text: str, agreeing: float) -> None:
    assert stated_author_score(read_excerpt(text), SUBWORDS) == agreeing


def test_what_to_search_for_elsewhere_names_authors_year_and_the_weightiest_words() -> None:
    query = online_query(read_excerpt("Rare words become subword units (Sennrich and Haddow, 2016) in translation."))
    assert query.startswith("Sennrich Haddow 2016 ")
    assert "subword" in query


def test_damaged_weights_leave_words_alone_and_say_so(tmp_path: Path) -> None:
    library = MemoryLibrary(Parsed(each) for each in ALL)
    index = MemoryIndex(index_row(each) for each in library.all)
    broken = tmp_path / "attribution.json"
    broken.write_text("{}", "utf-8")
    with pytest.raises(BadInput):
        read_weights(broken)
    found = open_attributor(
        CitationCandidateSearcher(library, index, embedder=None),
        lambda: LexicalSearcher(library, index),
        document=lambda _id: None,
        find_by_author_year=lambda _family, _year: (),
        weights=broken,
    )
    answer = run(found.attribute(read_excerpt("Rare words [CITATION]"), k=2, bounds=CandidateBounds()))
    assert (answer.by, answer.confidence) == ("bm25", None)
    assert "without confidence" in answer.notices[0]


def test_the_weights_that_ship_fit_this_version() -> None:
    fits = read_weights()
    assert set(fits) == {"hybrid", "bm25"}
    # Nothing may speak for a paper because its record lacks something.
    assert not {"abstract", "full_text"} & set(FEATURE_NAMES)


def test_the_paper_that_the_name_before_the_mark_stands_for_comes_first_and_says_why() -> None:
    library = MemoryLibrary(Parsed(paper) for paper in ALL)
    index = MemoryIndex(index_row(paper) for paper in library.all)
    meant, reason = ALL[-1].id, "the name OWLS is used for this paper (Hugging Face data sets)"
    named = LinearAttributor(
        CitationCandidateSearcher(library, index, embedder=None),
        fit(),
        find_named=lambda text: {meant: reason} if text.endswith("OWLS ") else {},
    )
    answer = run(named.attribute(read_excerpt("We train on the sentences of OWLS [CITATION]."), k=3))
    assert answer.candidates[0].paper.id == meant
    assert answer.candidates[0].why[0] == reason


def test_unknown_words_are_not_taken_for_missing_vectors() -> None:
    library = MemoryLibrary(Parsed(paper) for paper in ALL)
    model = open_static()
    index = MemoryIndex(map(index_row, library.all), model=model)
    searcher = CitationCandidateSearcher(library, index, embedder=model)
    include = [paper.id for paper in ALL[:1]]
    pool = run(searcher.pool([WeightedWord("zxqvkw", 1.0)], [], size=5, bounds=CandidateBounds(), include=include))
    assert pool.notices == ("Ranked by words alone: the semantic model knows none of the words around the mark.",)


def test_words_near_the_marks_of_a_paper_find_it_whatever_its_own_words() -> None:
    library = MemoryLibrary(Parsed(paper) for paper in ALL)
    searcher = CitationCandidateSearcher(library, MemoryIndex(map(index_row, library.all)), embedder=None)
    stems = ("segment", "vocabulari")
    profiles = ProfileArrays((TREES.id,), np.array([3]), np.array([0, 2]), np.array([0, 1]), np.array([3, 2]), stems)
    facts = FactFeatures(CountRanks(lambda: open_facts("bench")), lambda: profiles)
    terms = np.array([{"text": 1.0, "profile_share": 60.0}.get(term, 0.0) for term in FEATURE_NAMES])
    fits = {"bm25": replace(fit()["bm25"], terms=terms)}
    excerpt = read_excerpt("They segment rare words with a small vocabulary [CITATION].")
    known = run(LinearAttributor(searcher, fits, facts=facts).attribute(excerpt, k=5))
    assert known.candidates[0].paper.id == TREES.id
    assert "public texts cite it with such words" in known.candidates[0].why
    unknown = run(LinearAttributor(searcher, fits).attribute(excerpt, k=5))
    assert TREES.id not in {candidate.paper.id for candidate in unknown.candidates}


def test_facts_that_cannot_be_read_cost_no_answer() -> None:
    def damaged() -> ProfileArrays:
        raise ValueError("damaged")

    library = MemoryLibrary(Parsed(paper) for paper in ALL)
    searcher = CitationCandidateSearcher(library, MemoryIndex(map(index_row, library.all)), embedder=None)
    facts = FactFeatures(CountRanks(lambda: open_facts("bench")), damaged)
    excerpt = read_excerpt("Rare words become subword units [CITATION].")
    assert run(LinearAttributor(searcher, fit(), facts=facts).attribute(excerpt, k=5)).candidates


def test_an_empty_library_is_not_said_to_lack_vectors() -> None:
    model = open_static()
    searcher = CitationCandidateSearcher(MemoryLibrary([]), MemoryIndex([], model=model), embedder=model)
    pool = run(searcher.pool([WeightedWord("words", 1.0)], [], size=5, bounds=CandidateBounds()))
    assert pool.notices == ()
