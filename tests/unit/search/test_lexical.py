from __future__ import annotations

from dataclasses import replace

import bm25s
import pytest
from memory_segments import MemorySegments, cut, papers

from litterm.core.errors import SegmentGone
from litterm.core.tasks import run
from litterm.model.attribution.citation import WeightedWord
from litterm.model.events import Progress
from litterm.model.library import Snapshot
from litterm.model.paper import Author, Paper, PaperId
from litterm.model.search import NOTE_PREFIX, Ranking, SortOrder
from litterm.search.lexical import LexicalSearcher
from litterm.text.queries.parser import parse_query
from litterm.text.tokens import tokens

QUERIES = ("neural parser", "tree", "language model of the citation graph", "speech speech data", "venue:acl evidence")


def paper(key: str, title: str, abstract: str = "", **more: object) -> Paper:
    return replace(Paper(PaperId(key), title, abstract), **more)  # type: ignore[arg-type]


def ask(
    library: MemorySegments, typed: str, *, k: int = 20, sort: SortOrder = "relevance", finished: bool = True
) -> Ranking:
    return run(LexicalSearcher(library, library).search(parse_query(typed, finished=finished), k=k, sort=sort))


def ids(ranking: Ranking) -> list[str]:
    return [each.paper.id for each in ranking.papers]


@pytest.mark.parametrize("typed", QUERIES)
@pytest.mark.parametrize("size", [1, 7, 64])
def test_how_a_library_is_cut_into_segments_changes_nothing(typed: str, size: int) -> None:
    whole, parts = papers(150), cut(papers(150), size)
    expected, found = ask(cut(whole, 150), typed), ask(parts, typed)
    assert [(each.paper.id, each.score, each.matched) for each in found.papers] == [
        (each.paper.id, each.score, each.matched) for each in expected.papers
    ]
    assert (found.found, found.searched) == (expected.found, 150)


@pytest.mark.parametrize("typed", QUERIES)
def test_shadowed_rows_count_for_nothing(typed: str) -> None:
    made = papers(60)
    old = [replace(each, abstract="parser parser parser") for each in made[:5]]
    with_shadows = MemorySegments([[*old, *made[5:30]], [*made[30:], *made[:5]]], shadowed=[(0, 1, 2, 3, 4)])
    expected, found = ask(cut(made, 60), typed), ask(with_shadows, typed)
    assert [(each.paper.id, each.score) for each in found.papers] == [
        (each.paper.id, each.score) for each in expected.papers
    ]
    assert found.searched == 60


def test_scores_are_those_of_bm25s_with_the_average_length_of_the_library() -> None:
    made = papers(150)
    corpus = [tokens(f"{each.title} {each.abstract}") for each in made]
    theirs = bm25s.BM25()
    theirs.index(corpus, show_progress=False)
    scores = dict(zip((each.id for each in made), theirs.get_scores(tokens("neural parser data")), strict=True))
    mean = sum(map(len, corpus)) / len(corpus)
    found = ask(cut(made, 40, average=mean), "neural parser data", k=150)
    assert {each.paper.id: each.score for each in found.papers} == pytest.approx(
        {paper_id: float(value) for paper_id, value in scores.items() if value > 0}, abs=1e-5
    )


def test_equal_scores_are_ordered_by_id_and_k_is_clamped() -> None:
    library = cut([paper(f"acl:{n}", "equal words") for n in (5, 3, 9, 1, 7)], 2)
    assert ids(ask(library, "words", k=3)) == ["acl:1", "acl:3", "acl:5"]
    assert ids(ask(library, "words", k=99)) == ["acl:1", "acl:3", "acl:5", "acl:7", "acl:9"]
    assert ids(ask(library, "words", k=0)) == []
    assert [each.rank for each in ask(library, "words").papers] == [1, 2, 3, 4, 5]


def test_no_paper_without_a_word_of_the_query_is_ever_shown() -> None:
    ranking = ask(cut(papers(50), 20), "xyzzy")
    assert (ranking.papers, ranking.found) == ((), 0)
    assert ask(cut([], 1), "parser").papers == ()


def test_only_stop_words_find_nothing_and_say_so() -> None:
    ranking = ask(cut(papers(5), 5), "the of and")
    assert ranking.papers == ()
    assert "nearly every paper" in ranking.notices[0]


LIBRARY = cut(
    [
        paper("acl:a", "Tree parsing", "A parser.", year=2019, date="2019-07", venue_keys=("acl",), decision="accept"),
        paper("acl:b", "Tree banks", year=2021, date="2021-01", venue_keys=("lrec",), authors=(Author("Øye", "Bo"),)),
        paper("iclr:c", "Tree nets", year=2020, date="2020", venue_keys=("iclr", "iclr-2020"), decision="reject"),
        paper("pmc:d", "a tree of life", type="article", full_text=True, aliases=(PaperId("doi:10.1/d"),)),
    ],
    2,
)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ("venue:acl", {"acl:a"}),
        ("venue:ACL,lrec", {"acl:a", "acl:b"}),
        ('venue:"ICLR 2020"', {"iclr:c"}),
        ("source:acl", {"acl:a", "acl:b"}),
        ("source:doi", {"pmc:d"}),
        ("year:2019..2020", {"acl:a", "iclr:c"}),
        ("year:>2020", {"acl:b"}),
        ("year:..2019", {"acl:a"}),
        ("year:2019 year:2021", {"acl:a", "acl:b"}),
        ("year:0000", set()),
        ("year:<0001", set()),
        ("author:øye", {"acl:b"}),
        ("type:article", {"pmc:d"}),
        ("decision:reject", {"iclr:c"}),
        ("has:fulltext", {"pmc:d"}),
        ("-has:fulltext year:2019..", {"acl:a", "acl:b", "iclr:c"}),
        ("venue:acl year:2021", set()),
        ("tag:mine", {"acl:b", "pmc:d"}),
        ("-tag:mine", {"acl:a", "iclr:c"}),
        ("-venue:acl,lrec", {"iclr:c", "pmc:d"}),
        ("-author:øye", {"acl:a", "iclr:c", "pmc:d"}),
        ("year:2019.. -source:acl", {"iclr:c"}),
        ("has:note", {"acl:a"}),
        ("note:replicate is:starred", {"acl:a"}),
        ("-has:note tag:mine", {"acl:b", "pmc:d"}),
    ],
)
def test_filters_keep_what_meets_them(filters: str, expected: set[str]) -> None:
    own = {
        "mine": ("acl:b", "pmc:d"),
        "starred": ("acl:a",),
        NOTE_PREFIX: ("acl:a",),
        f"{NOTE_PREFIX}replicate": ("acl:a",),
    }
    searcher = LexicalSearcher(LIBRARY, LIBRARY, tagged=lambda tag: tuple(map(PaperId, own.get(tag, ()))))
    for typed in (filters, f"tree {filters}"):
        ranking = run(searcher.search(parse_query(typed), k=9))
        assert set(ids(ranking)) == expected
        assert ranking.found == len(expected)


def test_filters_alone_list_the_newest_first_without_a_score() -> None:
    ranking = ask(LIBRARY, "source:acl,iclr,pmc")
    assert ids(ranking) == ["acl:b", "iclr:c", "acl:a", "pmc:d"]
    assert {each.score for each in ranking.papers} == {None}
    assert ranking.by == "newest"
    assert ids(ask(LIBRARY, "")) == ids(ranking)


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("newest", ["acl:b", "iclr:c", "acl:a", "pmc:d"]),
        ("oldest", ["acl:a", "iclr:c", "acl:b", "pmc:d"]),
        ("title", ["pmc:d", "acl:b", "iclr:c", "acl:a"]),
        ("author", ["acl:b", "acl:a", "iclr:c", "pmc:d"]),
    ],
)
def test_orders(sort: SortOrder, expected: list[str]) -> None:
    assert ids(ask(LIBRARY, "tree", sort=sort)) == expected
    assert ids(ask(LIBRARY, "", sort=sort, k=2)) == expected[:2]


@pytest.mark.parametrize("sort", ["newest", "oldest", "title", "author"])
def test_orders_do_not_depend_on_the_cut(sort: SortOrder) -> None:
    made = papers(90)
    assert ids(ask(cut(made, 90), "venue:acl", sort=sort)) == ids(ask(cut(made, 4), "venue:acl", sort=sort))


def test_another_order_rearranges_the_most_relevant_only() -> None:
    made = [paper(f"acl:{n}", "tree", date="2000") for n in range(200)]
    made += [paper(f"acl:new{n}", "tree of very many other words about something else", date="2020") for n in range(50)]
    ranking = ask(cut(made, 250), "tree", sort="newest", k=5)
    assert not any("new" in each for each in ids(ranking))
    assert "Top 200 of 250" in ranking.notices[0]
    assert ask(cut(made, 250), "tree", k=5).notices == ()


TEXTS = cut(
    [
        paper("acl:1", "Language models", "The model of a language."),
        paper("acl:2", "A language-model survey"),
        paper("acl:3", "Model language", "naïve language model of trees"),
        paper("acl:4", "Nothing of it", "C++ and C"),
        paper("acl:5", "Language", "models"),
        paper("acl:6", "To be or not to be", "A survey of surveys"),
        paper("acl:7", "神经机器翻译"),
    ],
    4,
)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ('"language model"', {"acl:2", "acl:3"}),
        ('"Language-Models"', {"acl:1"}),
        ('"language model" -survey', {"acl:3"}),
        ("language -survey", {"acl:1", "acl:3", "acl:5"}),
        ('language -"model of"', {"acl:2", "acl:5"}),
        ("-language", {"acl:4", "acl:6", "acl:7"}),
        ('"机器翻译"', {"acl:7"}),
        ('"model survey a"', set()),
        ("Language -model -models", set()),
        ('"C++"', {"acl:4"}),
        ('"to be or not to be"', {"acl:6"}),
        ('"naive language" model', {"acl:3"}),
        ('"no such phrase"', set()),
        ("survey -surveys", {"acl:2"}),
    ],
)
def test_phrases_and_exclusions_hold_in_the_stored_text(typed: str, expected: set[str]) -> None:
    ranking = ask(TEXTS, typed)
    assert set(ids(ranking)) == expected
    assert ranking.found == len(expected)


def test_a_phrase_is_looked_up_in_every_match_not_in_the_best_only() -> None:
    made = [paper(f"acl:{n:03}", "language language model model") for n in range(300)]
    library = cut(
        [*made, paper("acl:last", "A very long title that ends with a language of model", "model language")], 50
    )
    assert ids(ask(library, '"model language"', k=5)) == ["acl:last"]


def test_words_are_settled_by_the_index_and_signs_by_texts_read_once() -> None:
    library = cut([paper(f"acl:{n}", "language model in C" + "++" * (n % 2)) for n in range(9)], 5)
    searcher = LexicalSearcher(library, library)
    for typed in ('"language model" t', '"language model" -"model tree"'):
        run(searcher.search(parse_query(typed, finished=False), k=5))
    assert library.read == 0
    for typed in ('"C++" l', '"C++" lan', '"C++" language source:acl'):
        assert run(searcher.search(parse_query(typed, finished=False), k=5)).found == 4
    assert library.read == 9


def test_reading_many_texts_says_how_far_it_is() -> None:
    library = cut([paper(f"acl:{n}", "C++") for n in range(4_500)], 4_500)
    events: list[object] = []
    run(LexicalSearcher(library, library).search(parse_query('"C++"'), k=5), events.append)
    assert [event for event in events if isinstance(event, Progress)] == [
        Progress("verifying phrases", 2_000, 4_500),
        Progress("verifying phrases", 4_000, 4_500),
    ]


def test_fetching_many_papers_says_how_far_it_is() -> None:
    library = cut([paper(f"acl:{n}", "tree") for n in range(900)], 900)
    events: list[object] = []
    ranking = run(LexicalSearcher(library, library).search(parse_query("tree"), k=900), events.append)
    assert len(ranking.papers) == 900
    assert events == [Progress("fetching papers", 400, 900), Progress("fetching papers", 800, 900)]


def test_the_last_word_is_completed_while_it_is_typed() -> None:
    made = [paper("acl:1", "translation"), paper("acl:2", "transfer of trees"), paper("acl:3", "trees")]
    library = cut([*made, paper("acl:4", "translations transfer")], 2)
    ranking = ask(library, "trans", finished=False)
    assert set(ids(ranking)) == {"acl:1", "acl:2", "acl:4"}
    assert dict(ranking.papers[0].matched).keys() <= {"translation", "transfer"}
    assert ids(ask(library, "trans")) == []
    assert set(ids(ask(library, "trees tra", finished=False))) == {"acl:1", "acl:2", "acl:3", "acl:4"}


def test_a_completed_word_counts_once_however_many_completions_a_paper_has() -> None:
    library = cut([paper("acl:1", "transfer translation"), paper("acl:2", "transfer transfer")], 2)
    first, second = ask(library, "trans", finished=False).papers
    assert first.paper.id == "acl:2"
    assert first.score is not None
    assert second.score is not None
    assert first.score > second.score


def test_matched_words_are_as_typed_with_counts_the_most_telling_first() -> None:
    library = cut([paper("acl:1", "Tree parsers", "Trees parse billions."), paper("acl:2", "trees")], 2)
    ranking = ask(library, "TREES of billion-parameter Parsing")
    assert ranking.papers[0].matched == (("billion", 1), ("Parsing", 1), ("TREES", 2))


def test_what_only_the_filters_hide_is_counted() -> None:
    ranking = ask(LIBRARY, "tree year:1950")
    assert (ranking.found, ranking.hidden) == (0, 4)
    assert ask(LIBRARY, "tree year:2019").hidden == 3
    assert ask(LIBRARY, "tree").hidden == 0
    assert ask(LIBRARY, "tree year:2019", k=1).hidden == 0


def test_an_unknown_venue_is_named() -> None:
    assert "nowhere" in ask(LIBRARY, "tree venue:nowhere").notices[0]


def test_a_likely_misspelling_is_mended_where_it_stands() -> None:
    library = cut([paper(f"acl:{n}", "language translation") for n in range(5)], 5)
    assert ask(library, 'langauge "of" xyz').suggestion == 'language "of" xyz'
    assert ask(library, "Transaltion language").suggestion == "translation language"
    assert ask(library, "language").suggestion == ""
    assert ask(library, "langauge", finished=False).suggestion == ""
    assert ask(library, "langauge " + "word " * 40).suggestion == ""


def test_a_retracted_paper_is_found_as_such() -> None:
    library = cut([paper("acl:1", "tree", retraction="retracted: fraud")], 1)
    assert ask(library, "tree").papers[0].paper.retraction == "retracted: fraud"


def test_a_segment_compacted_away_is_looked_for_in_a_newer_snapshot() -> None:
    library = cut(papers(20), 5)
    library.gone = 2
    assert ask(library, "tree parser").papers
    library.gone = 9
    with pytest.raises(SegmentGone):
        ask(library, "tree parser")


def test_a_new_snapshot_is_seen_at_once() -> None:
    library = cut(papers(20), 10)
    searcher = LexicalSearcher(library, library)
    assert run(searcher.search(parse_query("tree"), k=5)).searched == 20
    library.current = Snapshot(2, library.current.segments[:1])
    assert run(searcher.search(parse_query("tree"), k=5)).searched == 10


def test_weighted_words_rank_candidates_before_a_year() -> None:
    searcher = LexicalSearcher(LIBRARY, LIBRARY)
    words = [WeightedWord("tree", 0.5), WeightedWord("nets", 2.0), WeightedWord("Trees", 0.5)]
    found = run(searcher.candidates(words, k=9))
    assert found[0].paper.id == "iclr:c"
    assert found[0].matched == (("nets", 1), ("tree", 1))
    same = run(searcher.candidates([WeightedWord("tree", 1.0), WeightedWord("nets", 2.0)], k=9))
    assert [each.score for each in same] == [each.score for each in found]
    assert [each.paper.id for each in run(searcher.candidates(words, k=9, before=2020))] == ["iclr:c", "acl:a"]
    others = run(searcher.candidates(words, k=9, exclude=[PaperId("iclr:c")]))
    assert {each.paper.id for each in others} == {"acl:a", "acl:b", "pmc:d"}
    assert run(searcher.candidates([], k=9)) == ()


def test_a_pasted_paper_is_searched_with_events_in_between() -> None:
    library = cut(papers(20), 5)
    events: list[object] = []
    pasted = " ".join(f"word{n}" for n in range(600)) + " tree"
    ranking = run(LexicalSearcher(library, library).search(parse_query(pasted), k=5), events.append)
    assert ranking.papers
    assert Progress("scoring", 256, 601) in events


def test_two_letters_are_completed_and_one_is_not() -> None:
    library = cut([paper("acl:1", "zebra"), paper("acl:2", "trees")], 2)
    assert ids(ask(library, "ze", finished=False)) == ["acl:1"]
    assert ids(ask(library, "z", finished=False)) == []


def test_a_word_that_is_still_being_typed_weighs_as_much_as_one_that_ended() -> None:
    library = cut([paper("acl:1", "zebra"), paper("acl:2", "trees")], 2)
    (typed,), (ended,) = ask(library, "zebra", finished=False).papers, ask(library, "zebra").papers
    assert typed.score == ended.score


def test_a_single_letter_counts_less_than_a_word_beside_it() -> None:
    # Both words are in one paper each, the letter in a short title.
    library = MemorySegments(
        [[paper("letter", "D-tree grammars"), paper("word", "Vitamin and mineral intake of cattle")]]
    )
    assert ids(ask(library, "vitamin D")) == ["word", "letter"]
    assert ids(ask(library, "D")) == ["letter"]


def test_a_letter_weighs_as_before_beside_the_word_it_belongs_to() -> None:
    library = MemorySegments(
        [[paper("apart", "Vitamins in the diet"), paper("both", "A trial of vitamin D"), paper("other", "D-trees")]]
    )
    assert ids(ask(library, "vitamin D")) == ["both", "apart", "other"]
