"""The classes of failure of CiteME, as rules decide them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest

from litterm.attribution.excerpt import read_excerpt
from litterm.model.attribution.agent import (
    Action,
    AgentChoice,
    AgentStep,
    EndReason,
    Trajectory,
    TrajectoryId,
    TrajectoryRequest,
)
from litterm.model.attribution.citation import CandidateBounds
from litterm.model.paper import Paper, PaperId
from litterm_benchmarks.attribution.failures import Failure, FailureClass, classify

TEXT = "Word vectors are trained on news with GloVe. Contextual ones come from the bidirectional model ELMo [CITATION]."
CHOSEN, RIGHT = Paper(id=PaperId("x:chosen"), title="Contextual vectors"), PaperId("x:right")


def failed(
    *queries: str,
    ended: EndReason = "selected",
    targets: Collection[PaperId] = (RIGHT,),
    was_shown: bool = False,
    chosen: Paper | None = CHOSEN,
    online: bool = False,
    cites: Sequence[PaperId] = (),
) -> FailureClass:
    """The class of a failed search with these queries."""
    excerpt = read_excerpt(TEXT)
    request = TrajectoryRequest(TEXT, excerpt.chosen, excerpt.claim, CandidateBounds(), "m", "h", 15, online)
    steps = tuple(AgentStep(n, "", Action("search", query), "", "done") for n, query in enumerate(queries, 1))
    trajectory = Trajectory(TrajectoryId("t"), "", request, steps, AgentChoice(ended, chosen))
    return classify(Failure(excerpt, chosen, targets, was_shown, trajectory), lambda paper: cites if paper else ())


@pytest.mark.parametrize("ended", ["model", "searches", "stopped", ""])
def test_trouble_of_model_and_services_is_technical_whatever_else_holds(ended: EndReason) -> None:
    assert failed(ended=ended, targets=()) == "technical"


def test_a_paper_that_the_library_lacks_is_no_fault_of_the_search_unless_services_were_searched() -> None:
    assert failed("contextual bidirectional", targets=()) == "not in the library"
    assert failed("news", targets=(), online=True) == "misread the excerpt"


@pytest.mark.parametrize("ended", ["none", "unselected", "circles"])
def test_a_search_without_a_selection_is_no_answer(ended: EndReason) -> None:
    assert failed("bidirectional model", ended=ended) == "no answer"


def test_a_paper_that_cites_the_right_one_was_taken_for_it() -> None:
    assert failed("word vectors news", cites=(PaperId("x:other"), RIGHT)) == "took a paper that cites it"


def test_words_of_another_clause_show_a_misreading_and_those_of_the_mark_a_near_match() -> None:
    assert failed("word vectors trained on news") == "misread the excerpt"
    assert failed("bidirectional model contextual") == "stopped at a near match", "the chosen paper does not name ELMo"
    assert failed("word vectors trained on news", was_shown=True) == "stopped at a near match"


def test_what_rules_do_not_settle_is_not_decided() -> None:
    named = Paper(id=PaperId("x:chosen"), title="ELMo and contextual vectors")
    assert failed("bidirectional model contextual", chosen=named) == "not decided"
    assert failed("zebras") == "not decided"
