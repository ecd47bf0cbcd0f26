"""Operators and fields of the text decide which papers are in; facets count them; nothing typed lists all."""

from __future__ import annotations

import pytest
from memory_segments import MemorySegments

from litterm.core.tasks import run
from litterm.library.index.static_embeddings import open_static
from litterm.model.paper import Author, Paper, PaperId, Provenance
from litterm.model.search import Facet, Ranking
from litterm.search.filters.facets import year_ranges
from litterm.search.hybrid import HybridSearcher
from litterm.search.lexical import LexicalSearcher
from litterm.search.search import SearchPapers
from litterm.search.searched_libraries import SearchedLibraries, SearchedLibrary
from litterm.text.queries.parser import parse_query


def paper(key: str, title: str, abstract: str = "", **more: object) -> Paper:
    return Paper(PaperId(f"acl:{key}"), title, abstract, **more)  # type: ignore[arg-type]


BERT = paper(
    "bert", "BERT: language understanding", "A transformer is trained.", authors=(Author("Devlin", "Jacob"),),
    year=2019, venue="NAACL", venue_keys=("naacl",), type="inproceedings", keywords=("language models", "encoders"),
    provenance=Provenance(imported_at="2026-01-02T00:00:00Z"),
)  # fmt: skip
GPT = paper(
    "gpt", "Language models are few-shot learners", "GPT is a transformer.", year=2020, venue="ACL",
    venue_keys=("acl",), type="article", provenance=Provenance(imported_at="2026-01-03T00:00:00Z"),
)  # fmt: skip
PARSER = paper(
    "parser", "Fast parsers", "We parse with BERT and C++.", year=2011, venue="ACL", venue_keys=("acl",),
    type="inproceedings", provenance=Provenance(imported_at="2026-01-01T00:00:00Z"),
)  # fmt: skip
SURVEY = paper("survey", "A survey of parsing", "Grammars, trees and the transformer.", year=1998)
THESIS = paper("thesis", "Weather", "", authors=(Author("Devlin", "Ann"),), year=2001, type="thesis")
ALL = [BERT, GPT, PARSER, SURVEY, THESIS]


def both_libraries(cut: int = 2) -> MemorySegments:
    return MemorySegments([ALL[at : at + cut] for at in range(0, len(ALL), cut)], model=open_static())


def hybrid(cut: int = 2) -> HybridSearcher:
    library = both_libraries(cut)
    return HybridSearcher(library, library, embedder=open_static(), tagged=lambda _: (SURVEY.id,))


def found(typed: str, *, finished: bool = True, cut: int = 2) -> set[str]:
    ranking: Ranking = run(hybrid(cut).search(parse_query(typed, finished=finished), k=20))
    assert ranking.found == len(ranking.papers)
    return {each.paper.id.removeprefix("acl:") for each in ranking.papers}


@pytest.mark.parametrize(
    ("typed", "ids"),
    [
        ("bert OR gpt", "bert gpt parser"),
        ("bert AND parsing", "parser"),
        ("transformer AND NOT (bert OR gpt)", "survey"),
        ("transformer AND -parsing", "bert gpt"),
        ("title:bert", "bert"),
        ("abstract:bert", "parser"),
        ("transformer AND NOT title:bert", "gpt survey"),
        ("transform*", "bert gpt survey"),
        ("title:pars*", "parser survey"),
        ("abstract:transform* AND venue:acl", "gpt"),
        ('title:"language models"', "gpt"),
        ('"is trained" OR "few-shot learners"', "bert gpt"),
        ("keyword:encoder", "bert"),
        ('keyword:"language models" OR keyword:pars*', "bert"),
        ("NOT keyword:encod*", "gpt parser survey thesis"),
        ("venue:a*", "gpt parser"),
        ("year:201* AND venue:acl", "parser"),
        ("year:2019 OR year:..2000", "bert survey"),
        ('bert AND "C++"', "parser"),
        ("title:bert OR author:devlin", "bert thesis"),
        ("is:starred AND parsing", "survey"),
        ("parsing AND the", "parser survey"),
        ("NOT the AND parsing", "parser survey"),
        ("type:inproceedings NOT bert", ""),
    ],
)
def test_operators_and_fields_decide_which_papers_are_in(typed: str, ids: str) -> None:
    assert found(typed) == set(ids.split())
    assert found(typed, cut=5) == set(ids.split())
    lexical = LexicalSearcher(both_libraries(), both_libraries(), tagged=lambda _: (SURVEY.id,))
    if "author" not in typed:
        assert {each.paper.id for each in run(lexical.search(parse_query(typed), k=20)).papers} == {
            f"acl:{each}" for each in ids.split()
        }


def test_the_word_being_typed_stands_for_all_that_begin_so() -> None:
    assert found("parsing AND ber", finished=False) == {"parser"}
    assert found("parsing AND ", finished=False) >= {"parser", "survey"}


def test_papers_let_in_without_a_word_come_last_and_in_no_other_order_apart() -> None:
    ranked = run(hybrid().search(parse_query("bert OR author:devlin"), k=20))
    assert [(each.paper.id, each.score is None) for each in ranked.papers][-1] == ("acl:thesis", True)
    assert ranked.found == 3
    dated = run(hybrid().search(parse_query("bert OR author:devlin"), k=20, sort="oldest"))
    assert [each.paper.id for each in dated.papers] == ["acl:thesis", "acl:parser", "acl:bert"]


def test_without_operators_a_ranking_is_the_same_with_a_condition_that_all_meet() -> None:
    plain = run(hybrid().search(parse_query("bert language transformer"), k=20))
    same = run(hybrid().search(parse_query("bert language transformer NOT zebra"), k=20))
    assert [(each.paper.id, each.score) for each in plain.papers] == [(e.paper.id, e.score) for e in same.papers]


def test_nothing_typed_lists_all_by_the_time_they_were_added_and_sorts() -> None:
    library = both_libraries()
    own = SearchedLibrary("own", library, library, lambda: LexicalSearcher(library, library))
    verb = SearchPapers(SearchedLibraries(own))
    ranking = run(verb.search(""))
    assert (ranking.by, ranking.found) == ("added", 5)
    assert [each.paper for each in ranking.papers] == [GPT, BERT, PARSER, THESIS, SURVEY]
    assert [each.paper for each in run(verb.search("", k=2, sort="oldest")).papers] == [SURVEY, THESIS]
    assert [each.paper for each in run(verb.search("venue:acl")).papers] == [GPT, PARSER]
    assert [each.paper for each in run(verb.search("venue:acl,naacl sort:added")).papers] == [GPT, BERT, PARSER]


def counted(typed: str) -> dict[str, int]:
    return {f"{each.field}:{each.value}": each.count for each in run(hybrid().facets(parse_query(typed)))}


def test_facets_count_what_is_found() -> None:
    assert run(hybrid().facets(parse_query("transformer"))) == (
        Facet("year", "2019..", 2),
        Facet("year", "..1999", 1),
        Facet("year", "2020", 1),
        Facet("year", "2019", 1),
        Facet("year", "1998", 1),
        Facet("venue", "acl", 1),
        Facet("venue", "naacl", 1),
        Facet("type", "article", 1),
        Facet("type", "inproceedings", 1),
        Facet("type", "other", 1),
        Facet("source", "acl", 3),
    )


def test_two_names_of_the_venue_of_the_same_papers_are_one_row() -> None:
    names = ("jep/taln/recital", "jeptalnrecital")
    papers = [paper(f"p{at}", f"Parsing {at}", venue_keys=(*names, "taln") if at else names) for at in range(4)]
    library = MemorySegments([papers[:2], papers[2:]], model=open_static())
    facets = run(HybridSearcher(library, library, embedder=open_static()).facets(parse_query("parsing")))
    assert [(each.value, each.count) for each in facets if each.field == "venue"] == [
        ("jeptalnrecital", 4),
        ("taln", 3),
    ]


def test_what_is_chosen_in_a_field_narrows_the_others_and_not_itself() -> None:
    told = counted("transformer venue:acl")
    assert told["venue:naacl"] == told["venue:acl"] == 1
    assert [name for name in told if name.startswith("type")] == ["type:article"]
    assert counted("transformer AND venue:acl")["source:acl"] == 1
    assert counted("zebra") == {}


@pytest.mark.parametrize(
    ("first", "last", "ranges"),
    [
        (2024, 2025, [(2024, None)]),
        (1998, 2020, [(2019, None), (2010, 2018), (2000, 2009), (None, 1999)]),
        (2015, 2025, [(2024, None), (2020, 2023), (2010, 2019)]),
        (2016, 2021, [(2020, None), (2010, 2019)]),
    ],
)
def test_years_are_told_by_a_few_ranges(first: int, last: int, ranges: object) -> None:
    assert list(year_ranges(first, last)) == ranges


def test_a_doubtful_spelling_is_told_though_much_was_found() -> None:
    many = [paper(str(at), "transformers attend", "transformer") for at in range(200)]
    library = MemorySegments([[*many, paper("typo", "A transfomer", "")]])
    ranking = run(LexicalSearcher(library, library).search(parse_query("transfomer attend"), k=20))
    assert ranking.found > 100
    assert ranking.suggestion == "transformer attend"
    assert run(LexicalSearcher(library, library).search(parse_query("transformer attend"), k=20)).suggestion == ""
