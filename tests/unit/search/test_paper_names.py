"""Searching by the name of a paper that holds it nowhere."""

from __future__ import annotations

from dataclasses import replace

from memory_segments import MemorySegments, cut

from litterm.core.tasks import run
from litterm.library.citation_facts.names import NameTable
from litterm.library.citation_facts.shipped import open_facts
from litterm.model.citations.facts import NameFact
from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PaperId
from litterm.model.search import Ranking
from litterm.render.json import search as search_data
from litterm.render.lines import LineOptions
from litterm.render.lines import search as search_lines
from litterm.search.hybrid import HybridSearcher
from litterm.search.search import SearchPapers
from litterm.search.searched_libraries import SearchedLibraries, SearchedLibrary
from litterm.search.signals.paper_names import PaperNames
from litterm.text.queries.parser import parse_query
from litterm_benchmarks.memory_library import MemoryLibrary

SNLI = Paper(
    PaperId("acl:D15-1075"),
    "A large annotated corpus for learning natural language inference",
    authors=(Author("Bowman"),),
    year=2015,
)
OTHERS = (
    Paper(PaperId("acl:a"), "Artifacts of annotation in SNLI", "SNLI has artifacts.", year=2018),
    Paper(PaperId("acl:b"), "SNLI and its sentences", year=2019),
    Paper(PaperId("acl:c"), "Race bias in hiring", year=2017),
    Paper(PaperId("acl:d"), "Parsing with tables", year=2017),
)
REASON = "the name SNLI is used for this paper (Hugging Face data sets and 2 more)"


def searcher(papers: tuple[Paper, ...], *, names: bool = True) -> HybridSearcher:
    segments = cut(papers, 2)
    library = MemoryLibrary(map(Parsed, papers))
    titles = {paper.title: paper.id for paper in papers}
    table = PaperNames(NameTable(open_facts), library, lambda title: [titles[title]] if title in titles else [])
    return HybridSearcher(segments, segments, embedder=None, names=table if names else None)


def find(typed: str, papers: tuple[Paper, ...] = (*OTHERS, SNLI), *, names: bool = True) -> Ranking:
    return run(searcher(papers, names=names).search(parse_query(typed), k=10))


def ids(ranking: Ranking) -> list[str]:
    return [item.paper.id for item in ranking.papers]


def test_the_paper_of_a_name_comes_first_and_says_why() -> None:
    for typed in ("SNLI", "snli", "the SNLI corpus"):
        ranking = find(typed)
        first = ranking.papers[0]
        assert first.paper == SNLI
        assert first.name.lower() == REASON.lower()
        assert first.why is not None and first.name in [prior.name for prior in first.why.priors]
    assert SNLI.id not in ids(find("SNLI", names=False))


def test_it_is_found_by_its_title_where_the_library_has_another_id() -> None:
    saved = replace(SNLI, id=PaperId("local:0123456789ab"))
    assert ids(find("SNLI", (*OTHERS, saved)))[0] == saved.id


def test_within_other_words_a_name_counts_by_its_share() -> None:
    ranking = find("SNLI artifacts of annotation")
    (named,) = [item for item in ranking.papers if item.paper == SNLI]
    assert named.name == "" and named.why is not None
    (points,) = [prior.points for prior in named.why.priors if prior.name == REASON]
    assert 0 < points < 4


def test_a_word_that_is_spelt_like_a_name_changes_nothing() -> None:
    for typed in ("race bias in hiring", "parsing with tables"):
        with_names, without = find(typed), find(typed, names=False)
        assert with_names == without


def test_a_name_that_the_user_has_hidden_does_not_count() -> None:
    papers = (*OTHERS, SNLI)
    segments, library = cut(papers, 2), MemoryLibrary(map(Parsed, papers))
    for hidden in (frozenset({(SNLI.id, "snli")}), frozenset({(SNLI.id, "bert")})):
        names = PaperNames(NameTable(open_facts), library, hidden=lambda pairs=hidden: pairs)
        ranking = run(HybridSearcher(segments, segments, embedder=None, names=names).search(parse_query("SNLI"), k=5))
        assert (SNLI.id in ids(ranking), bool(ranking.names)) == ((SNLI.id, "bert") in hidden,) * 2


def test_names_of_own_texts_come_before_those_of_others() -> None:
    cited = Paper(PaperId("local:cited"), "Sentences paired by hand", year=2014)
    papers = (*OTHERS, SNLI, cited)
    own = NameFact("SNLI", "cited name", (cited.id,), "", None, "", (), texts=3)
    gone = NameFact("GaleAlign", "cited name", (PaperId("local:gone"),), "", None, "", (), texts=3)
    table = NameTable(open_facts, lambda keys: {"snli": (own,), "galealign": (gone,)})
    segments = cut(papers, 2)
    names = PaperNames(table, MemoryLibrary(map(Parsed, papers)))
    searcher = HybridSearcher(segments, segments, embedder=None, names=names)
    ranking = run(searcher.search(parse_query("SNLI"), k=10))
    assert ids(ranking)[:2] == [cited.id, SNLI.id]
    assert [item.name for item in ranking.papers[:2]] == [
        "the name SNLI is used for this paper in 3 of your texts",
        REASON,
    ]
    assert run(searcher.search(parse_query("GaleAlign tables"), k=10)).names == ()


def test_words_that_earlier_titles_hold_are_no_name_in_own_texts() -> None:
    cited = Paper(PaperId("local:cited"), "Sentences paired by hand", year=2014)
    fact = NameFact("TNF-7", "cited name", (cited.id,), "", None, "", (), texts=3)
    table = NameTable(open_facts, lambda keys: {"tnf 7": (fact,)})
    for year, is_named in ((2013, False), (2015, True)):
        older = (Paper(PaperId(f"local:{place}"), f"TNF-7 in place {place}", year=year) for place in range(3))
        papers = (*older, cited)
        segments = cut(papers, 2)
        names = PaperNames(table, MemoryLibrary(map(Parsed, papers)))
        searcher = HybridSearcher(segments, segments, embedder=None, names=names)
        assert bool(run(searcher.search(parse_query("TNF-7"), k=10)).names) == is_named


def test_filters_hold_for_the_paper_of_a_name() -> None:
    assert SNLI.id not in ids(find("SNLI year:2018.."))


def two_libraries(own: tuple[Paper, ...], behind: tuple[Paper, ...]) -> SearchPapers:
    def searched(name: str, papers: tuple[Paper, ...]) -> SearchedLibrary:
        made, segments = searcher(papers), MemorySegments([list(papers)])
        library = MemoryLibrary(map(Parsed, papers))
        return SearchedLibrary("own" if name == "own" else "starter", library, segments, lambda: made)

    return SearchPapers(SearchedLibraries(searched("own", own), lambda: searched("starter", behind)))


def test_a_paper_that_is_not_in_the_library_is_named_with_its_id() -> None:
    ranking = run(two_libraries(OTHERS, OTHERS[:1]).search("SNLI", k=10))
    notice = (
        "“SNLI” is the name of “A large annotated corpus for learning natural language inference” (Bowman 2015), "
        "which is not in your library: litterm add acl:D15-1075"
    )
    assert notice in ranking.notices
    (named,) = ranking.names
    assert named.paper is None
    # Where the library behind holds it, nothing is missing.
    assert not any("not in your" in notice for notice in run(two_libraries(OTHERS, (SNLI,)).search("SNLI")).notices)


def test_lines_and_json_say_the_name() -> None:
    ranking = find("SNLI")
    assert search_lines(ranking, LineOptions(columns=0))[2].strip() == REASON
    data = search_data(ranking, typed="SNLI")
    assert data["names"] == [
        {
            "name": "SNLI",
            "id": "acl:D15-1075",
            "ids": ["acl:D15-1075", "arxiv:1508.05326"],
            "title": SNLI.title,
            "year": 2015,
            "first_author": "Bowman",
            "kind": "dataset",
            "sources": ["Hugging Face data sets", "NLP-progress", "TensorFlow data sets"],
            "texts": 0,
            "whole": True,
        }
    ]
