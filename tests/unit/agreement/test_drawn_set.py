"""Sets of cells: how they are drawn, written and read."""

from __future__ import annotations

import json

import pytest

from litterm.agreement import drawn_set
from litterm.core.errors import BadInput, UsageError
from litterm.model.agreement import Freeze, GradedCell, GradedSet
from litterm.model.paper import Paper, PaperId
from litterm.text.documents.builder import Block, build_document

PAPERS = [Paper(PaperId(f"p:{number}"), f"Paper {number}", abstract="We parse.") for number in range(30)]
ASPECTS = ("parsing", "speed", "data")


def drawn(seed: int = 0, development: int = 10, test: int = 20) -> GradedSet:
    by_paper = drawn_set.aspect_cells(PAPERS, ASPECTS)
    return drawn_set.draw("aspects", "q", by_paper, development=development, test=test, seed=seed)


def test_no_paper_is_drawn_for_development_and_for_the_test() -> None:
    made = drawn()
    assert (len(set(made.development)), len(set(made.test))) == (10, 20)
    assert not {cell.paper_id for cell in made.development} & {cell.paper_id for cell in made.test}
    assert {cell.text for cell in made.test} == set(ASPECTS)


def test_the_same_seed_draws_the_same_cells_and_another_seed_others() -> None:
    assert drawn(seed=7) == drawn(seed=7)
    assert drawn(seed=8).test != drawn(seed=7).test


def test_papers_without_an_abstract_are_not_graded() -> None:
    bare = Paper(PaperId("p:bare"), "Bare")
    assert list(drawn_set.aspect_cells([PAPERS[0], bare], ASPECTS)) == [PAPERS[0].id]


def test_too_few_cells_are_refused_with_what_to_do() -> None:
    with pytest.raises(UsageError, match=r"are wanted; ask for fewer with -n and --dev, or take more papers with -k"):
        drawn(test=400)


def test_drawn_again_all_cells_become_development_cells_and_no_paper_comes_back() -> None:
    frozen = Freeze("tiny-1", "m", "p", "2026-01-01T00:00:00+00:00")
    first = GradedSet("aspects", "q", 0, *(drawn().development, drawn().test), freeze=frozen, measured=(frozen,))
    by_paper = drawn_set.aspect_cells(
        [*PAPERS, *(Paper(PaperId(f"n:{n}"), "New", abstract="X.") for n in range(20))], ASPECTS
    )
    again = drawn_set.draw("aspects", "q", by_paper, development=10, test=12, seed=1, earlier=first)
    assert again.development == first.development + first.test
    assert len(again.test) == 12
    assert not {cell.paper_id for cell in again.test} & {cell.paper_id for cell in again.development}
    assert (again.freeze, again.measured) == (None, ())


def test_a_set_is_read_as_it_was_written() -> None:
    frozen = Freeze("tiny-1", "m", "p", "2026-01-01T00:00:00+00:00")
    made = drawn()
    whole = GradedSet(made.kind, made.query, 3, made.development, made.test, frozen, (frozen, frozen))
    assert drawn_set.loads(drawn_set.dumps(whole), "set.json") == whole


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"format": "another"}',
        drawn_set.dumps(drawn()).replace('"paper": "p:', '"pap": "p:'),
        drawn_set.dumps(drawn())[:-20],
        "[" * 100_000,
    ],
)
def test_a_file_of_something_else_or_a_damaged_one_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"set\.json"):
        drawn_set.loads(text, "set.json")


def test_line_breaks_of_a_strangers_file_are_blanks() -> None:
    body = json.loads(drawn_set.dumps(drawn()))
    body["test"][0]["text"] = "parsing\nsomebody else"
    assert drawn_set.loads(json.dumps(body), "set.json").test[0].text == "parsing somebody else"


def test_a_sentence_is_shown_with_those_around_it() -> None:
    blocks = [Block("body", sentences=("One is here.", "Two is here.", "Three is here."))]
    document = build_document(PaperId("p:1"), blocks, origin="jats", parser="test-1")
    cell = GradedCell(document.paper_id, "claim", "Two  is here")
    assert drawn_set.find_neighbours(cell, document) == ("One is here.", "Three is here.")
    first = GradedCell(document.paper_id, "claim", "One is here.")
    assert drawn_set.find_neighbours(first, document) == ("", "Two is here.")
    assert drawn_set.find_neighbours(GradedCell(document.paper_id, "claim", "Not there."), document) == ("", "")
