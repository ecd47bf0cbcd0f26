"""Other queries for a request: what is taken from a model's reply, and how their rankings are fused."""

from __future__ import annotations

import json
from collections.abc import Collection

import pytest
from libraries import paper
from scripted_models import DryRunModel, ScriptedModel

from litterm.core.errors import ModelUnreachable, ReplyUnreadable, UsageError
from litterm.core.tasks import Task, run
from litterm.model.events import Event, Notice, ProvisionalRanking
from litterm.model.paper import PaperId
from litterm.model.search import Prior, Query, QueryPlace, RankedPaper, Ranking, Rewrite, ScoreExplanation, SortOrder
from litterm.search.rewrites.model_rewriter import ModelRewriter
from litterm.search.rewrites.queries import MAX_QUERY_CHARS, check_queries
from litterm.search.rewrites.rewrites import QueryRewriting
from litterm.search.search import NAMED_PAPER_POINTS, NAMED_PAPER_PRIOR
from litterm.text.queries.parser import parse_query

QUESTION = "which works shrink large models"


class Papers:
    """A search that finds these papers by the text of a query; keeps the queries."""

    def __init__(self, **results: str) -> None:
        """`results` are names of papers by the first word of a query, the best first."""
        self.results = results
        self.queries: list[Query] = []
        self.starter = ""
        self.named = ""

    def search(
        self,
        typed: str | Query,
        *,
        k: int = 20,
        sort: SortOrder = "relevance",
        finished: bool = True,
        within: Collection[PaperId] | None = None,
    ) -> Task[Ranking]:
        query = parse_query(typed) if isinstance(typed, str) else typed
        self.queries.append(query)
        yield Notice("")
        names = self.results.get(query.text.split()[0], "").split()
        return Ranking(query, tuple(self._paper(rank, name) for rank, name in enumerate(names, 1)), len(names), "bm25")

    def _paper(self, rank: int, name: str) -> RankedPaper:
        priors = (Prior(NAMED_PAPER_PRIOR, NAMED_PAPER_POINTS),) if name == self.named else ()
        library_name = "starter" if name in self.starter.split() else "own"
        return RankedPaper(rank, paper(name), 9.0, "bm25", library_name=library_name, why=ScoreExplanation((), priors))


def rewriting(papers: Papers, model: ScriptedModel, dry: ScriptedModel | None = None) -> QueryRewriting:
    return QueryRewriting(lambda: papers, lambda: ModelRewriter(model), lambda: ModelRewriter(dry))  # type: ignore[arg-type]


def writes(**fields: str) -> ScriptedModel:
    return ScriptedModel(lambda _request: json.dumps(fields))


def names(ranking: Ranking) -> list[str]:
    return [ranked.paper.id.removeprefix("acl:") for ranked in ranking.papers]


def test_the_queries_of_the_model_are_searched_and_each_paper_says_which_found_it() -> None:
    papers = Papers(which="A B C", compression="B D", LoRA="D B", smaller="E")
    model = writes(terms="compression of models", names="LoRA GPTQ", wording="smaller networks")
    ranking = run(rewriting(papers, model).search(parse_query(QUESTION), k=4))
    assert names(ranking) == ["B", "D", "A", "E"]
    assert ranking.papers[0].places == (QueryPlace(0, 2), QueryPlace(1, 1), QueryPlace(2, 2))
    assert ranking.rewrite == Rewrite(("compression of models", "LoRA GPTQ", "smaller networks"), "parrot")
    assert [ranked.rank for ranked in ranking.papers] == [1, 2, 3, 4]
    why = ranking.papers[0].why
    assert why is not None and sum(share.points for share in why.shares) == pytest.approx(ranking.papers[0].score)
    assert len(model.requests) == 1 and QUESTION in model.requests[0].messages[-1].text


def test_the_filters_of_the_query_hold_for_all_and_are_not_sent() -> None:
    papers, model = Papers(), writes(terms="compression", names="", wording="smaller")
    run(rewriting(papers, model).search(parse_query(f"{QUESTION} year:2020.. -vision")))
    assert [query.filters.years for query in papers.queries] == [papers.queries[0].filters.years] * 3
    assert [query.excluded for query in papers.queries] == [("vision",)] * 3
    assert "2020" not in model.requests[0].messages[-1].text


def test_what_looks_like_syntax_in_a_rewritten_query_is_words() -> None:
    papers = Papers()
    run(
        rewriting(papers, writes(terms='is:starred AND "x" import:refs -y', names="", wording="")).search(
            parse_query("z")
        )
    )
    rewritten = papers.queries[1]
    assert (rewritten.filters, rewritten.conditions, rewritten.chips) == (papers.queries[0].filters, (), ())
    assert (rewritten.excluded, rewritten.phrases) == ((), ())
    assert {"is:starred", "AND", "import:refs"} <= set(rewritten.words)


def test_queries_are_few_short_and_different() -> None:
    typed = ["1. Model compression!", "model COMPRESSION", "names: LoRA", QUESTION, "", "!!!", "wörd " * 99]
    checked = check_queries(typed, QUESTION)
    assert checked[:2] == ("Model compression!", "LoRA")
    assert len(checked) == 3 and len(checked[2]) <= MAX_QUERY_CHARS and checked[2].endswith("wörd")
    assert len(check_queries([f"query {number} of many" for number in range(50)], "x")) == 9
    assert check_queries(["bell\x07 \x1b[31mred\nnext"], "x")[0].isprintable()


def test_a_reply_of_three_lines_is_taken_and_one_that_repeats_the_question_is_not() -> None:
    papers = Papers()
    lines = ScriptedModel(lambda _request: "- compression\n- LoRA\n- smaller networks")
    rewrite = run(rewriting(papers, lines).write(parse_query(QUESTION)))
    assert rewrite.queries == ("compression", "LoRA", "smaller networks")
    with pytest.raises(ReplyUnreadable, match="no other query"):
        run(rewriting(papers, writes(terms=QUESTION, names=QUESTION, wording="")).write(parse_query(QUESTION)))


@pytest.mark.parametrize("error", [ModelUnreachable("Nobody is there."), UsageError("No language model is set.")])
def test_without_a_model_the_query_is_searched_as_typed_and_a_sentence_says_so(error: Exception) -> None:
    def fail(_request: object) -> str:
        raise error

    ranking = run(rewriting(Papers(which="A B"), ScriptedModel(fail)).search(parse_query(QUESTION)))
    assert names(ranking) == ["A", "B"] and ranking.rewrite is None
    assert ranking.notices == (f"Searched as typed, not rewritten: {error}",)


def test_the_ranking_of_the_query_is_shown_while_the_model_writes() -> None:
    events: list[Event] = []
    run(
        rewriting(Papers(which="A B"), writes(terms="c", names="", wording="")).search(parse_query(QUESTION)),
        events.append,
    )
    [first] = [event.ranking for event in events if isinstance(event, ProvisionalRanking)]
    assert names(first) == ["A", "B"]


def test_queries_of_the_user_are_searched_without_a_call() -> None:
    papers, model = Papers(which="A", compression="B"), writes()
    asking = rewriting(papers, model)
    query = parse_query(QUESTION)
    ranking = run(asking.search(query, rewrite=asking.read(f"compression || {QUESTION} || ", query)))
    assert names(ranking) == ["A", "B"] and ranking.rewrite == Rewrite(("compression",))
    assert model.requests == []
    with pytest.raises(UsageError, match="no other query"):
        asking.read(QUESTION, query)


def test_own_papers_stay_before_the_starter_library_and_a_named_one_first() -> None:
    papers = Papers(which="N S A", compression="S A B")
    papers.starter, papers.named = "S", "N"
    ranking = run(rewriting(papers, writes(terms="compression", names="", wording="")).search(parse_query(QUESTION)))
    assert names(ranking) == ["N", "A", "B", "S"]


@pytest.mark.parametrize(
    ("typed", "reason"),
    [("year:2020..", "no words"), ("models sort:newest", "leave out sort:"), ("models like:acl:A", "Only questions")],
)
def test_what_cannot_be_rewritten_is_searched_as_it_is(typed: str, reason: str) -> None:
    model = writes()
    asking = rewriting(Papers(models="A"), model)
    assert reason in run(asking.search(parse_query(typed))).notices[0]
    assert run(asking.search(parse_query(typed), automatic=True)).notices == ()
    assert model.requests == []


def test_a_dry_run_shows_the_request_and_sends_nothing() -> None:
    dry = DryRunModel(lambda _request: "")
    [request] = run(rewriting(Papers(), writes(), dry).preview(parse_query(QUESTION)))
    assert QUESTION in request
