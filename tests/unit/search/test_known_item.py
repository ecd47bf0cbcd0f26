"""A name typed as a keyword finds the paper that bears it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from memory_segments import AVERAGE, MemorySegments

from litterm.core.tasks import run
from litterm.library.index.static_embeddings import open_static
from litterm.model.paper import Paper, PaperId
from litterm.search.hybrid import HybridSearcher
from litterm.search.signals.named_papers import NAME_POINTS
from litterm.text.queries.parser import parse_query

NAMED = Paper(PaperId("acl:squid"), "SQUIDNET: Parsing of questions in the sea", "We parse questions. " * 30, year=2019)
USERS = [Paper(PaperId(f"acl:user{at}"), f"Squidnet for task {at}", year=2020) for at in range(8)]
TOPIC = [Paper(PaperId(f"acl:old{at}"), f"Grammar induction {at}", year=1990 + at) for at in range(5)]
SURVEY = Paper(PaperId("acl:survey"), "Grammar induction: where do we stand", "Years of work. " * 30, year=2010)


def priors(typed: str, made: Sequence[Paper] = (NAMED, *USERS, *TOPIC, SURVEY), size: int = 100) -> dict[str, float]:
    """Per paper that gets any, the points for bearing the name."""
    cuts = [made[at : at + size] for at in range(0, len(made), size)]
    both_libraries = MemorySegments(cuts, average=AVERAGE, model=open_static())
    found = run(HybridSearcher(both_libraries, both_libraries, embedder=open_static()).search(parse_query(typed), k=50))
    return {
        each.paper.id: prior.points
        for each in found.papers
        for prior in (each.why.priors if each.why else ())
        if "name" in prior.name
    }


def test_the_paper_that_bears_the_name_typed_is_favoured() -> None:
    assert priors("squidnet") == {NAMED.id: NAME_POINTS}


def test_a_name_that_is_part_of_what_was_typed_counts_for_its_part() -> None:
    points = priors("squidnet grammar")
    assert points.keys() == {NAMED.id}
    assert 0 < points[NAMED.id] < NAME_POINTS


@pytest.mark.parametrize(
    "typed",
    [
        "grammar induction",  # a topic: many titles held these words before
        "questions in the sea",  # not what stands before the colon
        "Is there a paper that uses squidnet for tasks?",  # one word of a sentence
        "squidnet parsing questions sea task grammar induction stand work",  # too much to be a name
        "zzzz",
    ],
)
def test_nothing_else_is_a_name(typed: str) -> None:
    assert priors(typed) == {}


def test_who_came_later_with_the_same_words_bears_no_new_name() -> None:
    again = Paper(PaperId("acl:again"), "Squidnet: once more", year=2024)
    assert priors("squidnet", (NAMED, *USERS, again)).keys() == {NAMED.id}


def test_a_name_of_an_unknown_year_is_no_evidence() -> None:
    undated = Paper(PaperId("acl:undated"), "Squidnet: without a year")
    assert priors("squidnet", (undated, *USERS)) == {}


@pytest.mark.parametrize(("earlier", "bears"), [(0, True), (2, True), (3, False)])
def test_a_name_is_new_while_at_most_two_earlier_titles_hold_its_word(earlier: int, bears: bool) -> None:
    before = [Paper(PaperId(f"acl:before{at}"), f"Of squidnet once {at}", year=2010 + at) for at in range(earlier)]
    same_year = Paper(PaperId("acl:same"), "Squidnet in the same year", year=2019)
    found = priors("squidnet", (NAMED, same_year, *USERS, *before))
    assert found == ({NAMED.id: NAME_POINTS} if bears else {})


def test_names_do_not_depend_on_how_the_library_is_cut() -> None:
    assert priors("squidnet", size=3) == priors("squidnet")


def test_of_two_papers_as_near_keywords_put_the_one_first_that_says_more() -> None:
    bare = Paper(PaperId("acl:bare"), "Parsing Czech", year=2000)
    said = Paper(
        PaperId("acl:said"), "Parsing Czech", "Czech is parsed. Parsers of Czech parse Czech trees.", year=2000
    )
    both_libraries = MemorySegments([[bare, said, *USERS]], average=AVERAGE, model=open_static())
    searcher = HybridSearcher(both_libraries, both_libraries, embedder=open_static())

    def nearness(typed: str) -> dict[str, float]:
        ranking = run(searcher.search(parse_query(typed), k=2))
        shares = {each.paper.id: each.why.shares for each in ranking.papers if each.why}
        return {key: next(share.score for share in told if share.name == "meaning") for key, told in shares.items()}

    short, whole = nearness("parsing Czech"), nearness("Is there any paper on parsing Czech?")
    assert short[said.id] / short[bare.id] > 1.05 * whole[said.id] / whole[bare.id]
