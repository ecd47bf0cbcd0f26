from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from memory_segments import AVERAGE, MemorySegments, papers

from litterm.attribution.excerpt import read_excerpt
from litterm.core.errors import UnknownPaper
from litterm.core.tasks import run
from litterm.library.index.full_text import FullTextIndex
from litterm.library.index.static_embeddings import open_static
from litterm.model.index import index_row
from litterm.model.library import Segment
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Query, QueryKind, Ranking
from litterm.search.hybrid import HybridSearcher
from litterm.text.queries.parser import literal_query, parse_query
from litterm_benchmarks.memory_library import MemoryIndex

MADE = papers(300)
NEAR = [
    Paper(PaperId("acl:heads"), "Pruning attention heads of transformers", "We remove heads.", year=2019),
    Paper(PaperId("acl:cars"), "Engines of old cars", "We mend carburettors.", year=2020),
    Paper(PaperId("acl:self"), "Self-attention without redundancy", "Multi-head layers are sparse.", year=2016),
    Paper(PaperId("acl:trees"), "Parsing trees", "Dependency grammars of Czech.", year=2008, venue_keys=("acl",)),
]


def both_libraries(made: Sequence[Paper], size: int = 1000, *, vectors: bool = True) -> MemorySegments:
    cuts = [made[at : at + size] for at in range(0, len(made), size)]
    return MemorySegments(cuts, average=AVERAGE, model=open_static() if vectors else None)


KNOWN = {each.id: each for each in (*MADE, *NEAR)}


def known(key: PaperId) -> Paper:
    if key not in KNOWN:
        raise UnknownPaper(f"There is no paper {key} here.")
    return KNOWN[key]


def searcher(library: MemorySegments) -> HybridSearcher:
    return HybridSearcher(library, library, embedder=open_static(), excerpt=read_excerpt, paper=known)


def search(
    query: str | Query, made: Sequence[Paper] = NEAR, *, k: int = 20, within: Sequence[PaperId] | None = None
) -> Ranking:
    asked = parse_query(query) if isinstance(query, str) else query
    return run(searcher(both_libraries(made)).search(asked, k=k, within=within))


def ids(ranking: Ranking) -> list[str]:
    return [each.paper.id for each in ranking.papers]


@pytest.mark.parametrize(
    "typed",
    [
        "parser of tree grammar",
        "Which paper has a neural parser of speech?",
        "evidence year:~2019 -question",
        "language venue:acl",
        '"language model"',
        "retrieval like:" + MADE[5].id,
        "summary -like:" + MADE[7].id,
    ],
)
def test_a_ranking_does_not_depend_on_how_the_library_is_cut(typed: str) -> None:
    query = parse_query(typed)
    whole, *cuts = (run(searcher(both_libraries(MADE, size)).search(query, k=100)) for size in (1000, 7, 64, 299))
    assert whole.papers
    for other in cuts:
        assert ids(other) == ids(whole)
        assert [each.score for each in other.papers] == [each.score for each in whole.papers]
        assert other.found == whole.found


def test_a_paper_near_in_meaning_is_found_without_a_common_word() -> None:
    ranking = search("superfluous transformer layers")
    assert "acl:self" in ids(ranking)
    assert "acl:cars" not in ids(ranking)
    assert ranking.by == "hybrid"


def test_a_word_with_a_slip_finds_what_holds_it_and_is_mended() -> None:
    ranking = search("Which paper is on carburettrs?")
    assert ids(ranking)[0] == "acl:cars"
    assert ranking.papers[0].matched[0][0] == "carburettors"


FAMILY = [
    Paper(PaperId("acl:stability"), "The stability of embeddings", "Neighbours differ between runs.", year=2018),
    Paper(PaperId("acl:denoise"), "Denoising embeddings of words", "We take averages of runs.", year=2021),
    *NEAR,
]


def test_a_word_finds_those_derived_from_it() -> None:
    ranking = search("are embeddings stable", FAMILY)
    assert ids(ranking)[0] == "acl:stability"
    assert ("stability", 1) in ranking.papers[0].matched
    assert "stability" not in dict(ranking.papers[1].matched)


def test_a_derived_word_counts_less_than_the_word_itself() -> None:
    twins = [
        Paper(PaperId(f"acl:{word}"), f"Embeddings that are called {word}", "", year=2018)
        for word in ("stable", "stability", "other")
    ]
    assert ids(search("stable embeddings", twins)) == ["acl:stable", "acl:stability", "acl:other"]
    assert ids(search("stability embeddings", twins)) == ["acl:stability", "acl:stable", "acl:other"]


def test_words_of_one_family_that_are_all_typed_count_for_themselves() -> None:
    matched = search("stable stability of embeddings", FAMILY).papers[0].matched
    assert [word for word, _ in matched].count("stability") == 1


@pytest.mark.parametrize(
    ("typed", "weighs"),
    [
        ("pruning heads of self-attention transformers", False),
        ("pruning attention heads leaves layers sparse in transformers", True),
        ("pruning attention heads sparse layers transformers redundancy efficiency", False),
    ],
)
def test_the_title_of_a_statement_has_a_weight_of_its_own(typed: str, weighs: bool) -> None:
    engine = searcher(both_libraries(NEAR))
    before = title_points(run(engine.search(parse_query(typed), k=5)))
    engine.weights = replace(engine.weights, title_of_statement=2 * engine.weights.title_of_statement)
    assert title_points(run(engine.search(parse_query(typed), k=5))) == pytest.approx(before * (2 if weighs else 1))


def title_points(ranking: Ranking) -> float:
    (found,) = (each for each in ranking.papers if each.paper.id == "acl:heads")
    assert found.why is not None
    return next(share.points for share in found.why.shares if share.name == "title")


SHORT = [Paper(PaperId(f"acl:short{n}"), f"Short curcuma texts {n}", "Summarization of injuries.") for n in range(4)]


@pytest.mark.parametrize(("typed", "meant"), [("sumarization", "summarization"), ("trasnlation", "")])
def test_a_word_that_is_a_misspelling_is_doubted(typed: str, meant: str) -> None:
    assert search(f"{typed} injuries", SHORT).suggestion == (f"{meant} injuries" if meant else "")


@pytest.mark.parametrize("typed", ["sports", "curcumin"])
def test_a_word_that_means_something_else_is_no_misspelling(typed: str) -> None:
    assert search(f"{typed} injuries", SHORT).suggestion == ""


def test_a_misspelling_that_the_model_has_learned_is_doubted() -> None:
    made = [Paper(PaperId(f"acl:mt{n}"), f"Translation of texts {n}", "") for n in range(4)]
    assert search("tranlsation", made).suggestion == "translation"


def test_nothing_is_listed_that_nothing_speaks_for() -> None:
    assert ids(search("carburettors")) == ["acl:cars"]
    assert search("zzyzx").papers == ()


def test_without_vectors_words_alone_rank_and_it_is_said() -> None:
    library = both_libraries(NEAR, vectors=False)
    ranking = run(searcher(library).search(parse_query("attention heads"), k=5))
    assert ranking.by == "bm25"
    assert ids(ranking)[0] == "acl:heads"
    assert ranking.notices == ("Ranked by words alone: this library has no vectors yet; the next import adds them.",)
    assert [share.name for share in ranking.papers[0].why.shares] == ["words", "title"]  # type: ignore[union-attr]


def test_papers_added_before_the_model_are_found_by_their_words_and_counted() -> None:
    library = both_libraries(NEAR, 2)
    library._index["s1"] = MemoryIndex(map(index_row, NEAR[2:]), average_length=AVERAGE)
    ranking = run(searcher(library).search(parse_query("trees and heads"), k=5))
    assert set(ids(ranking)) == {"acl:heads", "acl:self", "acl:trees"}
    assert ranking.notices == ("2 papers have no vectors yet and are found by their words alone.",)


def test_words_of_an_index_by_an_older_litterm_are_looked_up() -> None:
    library, older = both_libraries(MADE), both_libraries(MADE)
    vectors = older.vectors(older.snapshot().segments[0])
    assert vectors is not None
    vectors.word_places = None
    one, other = (run(searcher(each).search(parse_query("parser of tree grammar"), k=100)) for each in (library, older))
    assert [(each.paper.id, each.score) for each in one.papers] == [
        (each.paper.id, each.score) for each in other.papers
    ]


def test_the_points_of_a_paper_add_up_to_its_score() -> None:
    for each in search("parser of tree grammar year:~2020", MADE, k=50).papers:
        assert each.why is not None
        parts = [*(share.points for share in each.why.shares), *(prior.points for prior in each.why.priors)]
        assert sum(parts) == pytest.approx(each.score, abs=1e-5)


@pytest.mark.parametrize("typed", ["parser of tree grammar", "evidence year:~2019 -question", "of the", ""])
def test_scores_alone_are_those_of_the_search_without_followers(typed: str) -> None:
    asked, without_followers = parse_query(typed), searcher(both_libraries(MADE))
    without_followers.weights = replace(without_followers.weights, followers=0.0)
    ranking = run(without_followers.search(asked, k=7))
    scored = [] if ranking.by == "newest" else [(each.paper.id, each.score) for each in ranking.papers]
    assert list(run(searcher(both_libraries(MADE)).scores(asked, k=7)).items()) == scored


def test_a_score_says_which_place_each_retriever_gave() -> None:
    best = search("pruning attention heads").papers[0]
    assert best.paper.id == "acl:heads"
    assert {share.name: share.rank for share in best.why.shares} == {  # type: ignore[union-attr]
        "words": 1,
        "title": 1,
        "meaning": 1,
        "every word": 1,
        "like the first": 1,
    }


def test_twins_stand_in_the_order_of_their_ids() -> None:
    twins = [replace(NEAR[0], id=PaperId(f"acl:{name}")) for name in "dbca"]
    assert ids(search("attention heads", [*twins, NEAR[1]])) == ["acl:a", "acl:b", "acl:c", "acl:d"]


def test_filters_phrases_and_exclusions_hold_for_papers_found_by_meaning() -> None:
    assert ids(search("attention year:2016")) == ["acl:self"]
    assert "acl:self" not in ids(search("attention heads -layers"))
    assert ids(search('"attention heads"')) == ["acl:heads"]
    assert search("attention venue:acl").hidden == 2


def test_within_ranks_only_those_and_leaves_their_scores_alone() -> None:
    some, more = ([paper.id for paper in MADE[:count]] for count in (40, 90))
    everywhere = {each.paper.id: each.score for each in search("neural parser", MADE, k=300).papers}
    found, among_more = (search("neural parser", MADE, k=300, within=ids) for ids in (some, more))
    assert found.papers
    assert set(ids(found)) == set(some) & set(everywhere)
    for other in (everywhere, {each.paper.id: each.score for each in among_more.papers}):
        assert [each.score for each in found.papers] == [other[PaperId(each)] for each in ids(found)]


def test_a_question_is_asked_without_the_words_it_is_wrapped_in() -> None:
    asked = search("Are there any papers that propose methods for parsing Czech?")
    assert asked.kind == "question"
    assert [word for word, _ in asked.papers[0].matched] == ["parsing", "czech"]
    assert ids(asked)[0] == "acl:trees"


@pytest.mark.parametrize(
    "typed",
    [
        "Give me a reading list on parsing Czech",
        "reading list on parsing Czech",
        "Where do I start with parsing Czech?",
        "Suggest introductory readings about parsing Czech",
    ],
)
def test_a_request_for_reading_is_about_its_topic(typed: str) -> None:
    aloud = Paper(
        PaperId("acl:aloud"), "Reading lists aloud: a start", "We suggest an introduction to reading.", year=2020
    )
    asked = search(typed, [*NEAR, aloud])
    assert ids(asked)[0] == "acl:trees"
    assert {word for each in asked.papers for word, _ in each.matched} == {"parsing", "czech"}
    assert (asked.kind, asked.first) == ("question", 20)


@pytest.mark.parametrize(("kind", "first"), [("keywords", 20), ("question", 5)])
def test_the_reading_can_be_overruled(kind: QueryKind, first: int) -> None:
    ranking = search(replace(literal_query("is there pruning of heads"), kind=kind))
    assert (ranking.kind, ranking.first) == (kind, first)


def test_an_excerpt_is_read_around_its_mark() -> None:
    text = "Engines are noisy. " * 8 + "Dependency grammars of Czech [CITATION] are parsed."
    assert ids(search(text))[0] == "acl:trees"
    assert search(text).kind == "excerpt"


def test_a_remembered_year_lifts_and_leaves_nothing_out() -> None:
    plain, soft = search("parser", MADE, k=300), search("parser year:~1999", MADE, k=300)
    assert sorted(ids(plain)) == sorted(ids(soft))
    years = [each.paper.year for each in soft.papers]
    assert years.index(1999) < [each.paper.year for each in plain.papers].index(1999) or years[0] == 1999
    lifted = next(each for each in soft.papers if each.paper.year == 1999)
    assert ("near 1999", 4.0) in [(prior.name, prior.points) for prior in lifted.why.priors]  # type: ignore[union-attr]


def test_an_unknown_year_is_neither_near_nor_far() -> None:
    unknown = next(each for each in search("parser year:~1999", MADE, k=300).papers if each.paper.year is None)
    assert not [prior for prior in unknown.why.priors if prior.name.startswith("near")]  # type: ignore[union-attr]


def test_the_like_of_a_paper_is_found_without_the_paper() -> None:
    found = ids(search("like:acl:heads"))
    assert found[0] == "acl:self"
    assert "acl:heads" not in found


def test_words_beside_a_paper_count_by_themselves() -> None:
    both = search("cars like:acl:heads")
    engines = next(each for each in both.papers if each.paper.id == "acl:cars")
    shares = {share.name: share for share in engines.why.shares}  # type: ignore[union-attr]
    assert (shares["typed"].rank, shares["words"].rank) == (1, 1)
    assert shares["typed"].points > shares["meaning"].points
    alone = search("like:acl:heads").papers[0].why
    assert [share.name for share in alone.shares] == ["words", "meaning"]  # type: ignore[union-attr]


def test_a_paper_whose_like_is_sought_does_not_tell_what_a_high_score_is() -> None:
    def meaning(made: Sequence[Paper]) -> dict[str, float]:
        found = search("like:acl:heads", made).papers
        return {each.paper.id: each.why.shares[1].points for each in found}  # type: ignore[union-attr]

    assert meaning(NEAR) == meaning(NEAR[1:])


def test_the_like_of_a_shunned_paper_sinks() -> None:
    made = [*NEAR, Paper(PaperId("acl:more"), "Attention heads of engines", "Cars.", year=2020)]
    shunned = search("attention heads -like:acl:self", made)
    assert "acl:self" not in ids(shunned)
    assert "unlike acl:self" in {
        prior.name
        for each in shunned.papers
        for prior in each.why.priors  # type: ignore[union-attr]
    }


def test_the_like_of_a_paper_that_is_not_there_is_an_error() -> None:
    with pytest.raises(UnknownPaper):
        search("like:acl:none")


def test_without_words_everything_is_listed_newest_first() -> None:
    ranking = search("year:2000..")
    assert (ids(ranking)[0], ranking.by, ranking.papers[0].why) == ("acl:cars", "newest", None)


def test_the_oldest_of_the_relevant_come_first_on_request() -> None:
    ranking = run(searcher(both_libraries(NEAR)).search(parse_query("attention heads layers"), k=5, sort="oldest"))
    assert ids(ranking) == ["acl:self", "acl:heads"]


class WithTexts(MemorySegments):
    """Two papers of `NEAR` also have a full text."""

    def bodies(self, segment: Segment) -> FullTextIndex | None:
        texts = [("acl:trees", "a zeugma and a hendiadys"), ("acl:cars", "a zeugma"), ("acl:gone", "zeugma")]
        made = MemoryIndex((), bodies=[(PaperId(key), text) for key, text in texts])
        return made.bodies(segment)


def test_a_word_that_no_abstract_holds_is_looked_for_in_full_texts() -> None:
    library = WithTexts([NEAR], average=AVERAGE, model=open_static())
    without, asked = (run(searcher(library).search(parse_query(f"zeugma{more}"), k=5)) for more in ("", " in:fulltext"))
    assert set(ids(without)) == set(ids(asked)) == {"acl:cars", "acl:trees"}
    assert "full text" not in [each.name for each in without.papers[0].why.shares]  # type: ignore[union-attr]
    assert asked.papers[0].why.shares[1].name == "full text"  # type: ignore[union-attr]


def test_words_that_no_paper_holds_are_told_but_not_those_of_full_texts_or_unfinished_ones() -> None:
    library = WithTexts([NEAR], average=AVERAGE, model=open_static())
    ranking = run(searcher(library).search(parse_query("attention heads zeugma quixotry"), k=5))
    assert ranking.missing == ("quixotry",)
    typing = run(searcher(library).search(parse_query("attention heads quixot", finished=False), k=5))
    assert typing.missing == ()
    assert search("quixotry").missing == ()


def test_a_misspelling_that_one_paper_shares_is_no_name() -> None:
    usual = [
        Paper(PaperId(f"acl:s{number}"), f"Summarization of text {number}", "We summarize long documents.")
        for number in range(240)
    ]
    sought = Paper(PaperId("acl:sought"), "Summarization of dialogue", "Summarization for dialogue between two people.")
    slip = Paper(PaperId("acl:slip"), "Chart parsing", "Unlike sumarization, parsing has a grammar.")
    ranking = search("sumarization of dialogue", [*usual, sought, slip])
    assert ids(ranking)[0] == "acl:sought"
    assert "acl:slip" in ids(search("sumarization parsing", [*usual, sought, slip])), "it is still found"


def test_a_new_name_near_a_common_word_stays_a_name() -> None:
    common = [Paper(PaperId(f"acl:b{number}"), f"Parsers of text {number}", "We parse it.") for number in range(240)]
    named = Paper(PaperId("acl:named"), "A fast system", "We call it Parsera and describe what Parsera does.")
    assert ids(search("What is known about Parsera?", [*common, named]))[0] == "acl:named"


@pytest.mark.parametrize("typed", ["transfomers", "heads transfomers", "pruning transfomers year:2019", "heads -trees"])
def test_facets_count_the_papers_that_are_found(typed: str) -> None:
    copies = [replace(NEAR[0], id=PaperId(f"acl:heads{number}"), year=2019) for number in range(6)]
    made, query = both_libraries([*NEAR, *copies, *MADE]), parse_query(typed)
    found = run(searcher(made).search(query, k=5)).found
    facets = run(searcher(made).facets(query))
    assert found
    # Each of these papers has one type, and its year is filtered by its own values alone.
    assert sum(facet.count for facet in facets if facet.field == "type") == found
