"""Windows of a long list: which papers each shows, what is said on the way, and what a failed one costs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from scripted_models import DryRunModel, ScriptedModel
from scripted_rerankers import ranking, shown, sorting, titles

from litterm.core.errors import CapReached, ContextOverflow, ModelError, ModelFailed, RepeatedRequest, ReplyCut
from litterm.core.tasks import run
from litterm.model.events import Event, Progress, ProvisionalRanking
from litterm.model.llm import ModelRequest
from litterm.model.search import Query, Ranking, RerankOptions
from litterm.search.rerank.llm_rerank import LlmReranker, complete_order, order_question, window_spans
from litterm.text.llm.reply_json import read_form
from litterm.text.queries.parser import parse_query

TEN = "jihgfedcba"


def alphabetic(request: ModelRequest) -> str:
    return sorting(str)(request.messages[-1].text)


def windows(model: ScriptedModel) -> list[str]:
    """The titles shown in each request."""
    return ["".join(shown(request.messages[-1].text)) for request in model.requests]


def reranked(
    reply: Callable[[ModelRequest], str] = alphabetic, before: str = TEN, **options: int
) -> tuple[Ranking, ScriptedModel, list[Event]]:
    model, events = ScriptedModel(reply), list[Event]()
    reranker = LlmReranker(model, RerankOptions(**options))  # type: ignore[arg-type]
    return run(reranker.rank(ranking(before)), events.append), model, events


def fails_at(letter: str, error: ModelError) -> Callable[[ModelRequest], str]:
    def reply(request: ModelRequest) -> str:
        if letter in shown(request.messages[-1].text):
            raise error
        return alphabetic(request)

    return reply


@pytest.mark.parametrize(
    ("end", "window", "spans"),
    [
        (10, 4, [(6, 10), (4, 8), (2, 6), (0, 4)]),
        (9, 4, [(5, 9), (3, 7), (1, 5), (0, 3)]),
        (4, 4, [(0, 4)]),
        (5, 4, [(1, 5), (0, 3)]),
        (3, 2, [(1, 3), (0, 2)]),
        (7, 5, [(2, 7), (0, 5)]),
        (2, 1, [(1, 2), (0, 1)]),
        (0, 4, []),
    ],
)
def test_windows_step_by_half_their_size(end: int, window: int, spans: list[tuple[int, int]]) -> None:
    assert list(window_spans(end, window)) == spans


def test_the_best_papers_of_a_window_are_shown_again_in_the_next() -> None:
    answer, model, _ = reranked(window=4)
    assert windows(model) == ["dcba", "feab", "hgab", "jiab"]
    assert titles(answer) == list("abijghefcd")


@pytest.mark.parametrize(("window", "sizes"), [(1, [2] * 9), (2, [2] * 9), (10, [10]), (50, [10])])
def test_a_window_holds_two_papers_at_least_and_the_list_at_most(window: int, sizes: list[int]) -> None:
    assert [len(letters) for letters in windows(reranked(window=window)[1])] == sizes


def test_progress_counts_windows_and_each_answer_is_shown() -> None:
    answer, _, events = reranked(window=4)
    progress = [event for event in events if isinstance(event, Progress)]
    assert {event.what for event in progress} == {"parrot ranks 10 papers"}
    assert [(event.done, event.total) for event in progress] == [(number, 4) for number in range(4)]
    shown_orders = ["".join(titles(event.ranking)) for event in events if isinstance(event, ProvisionalRanking)]
    assert shown_orders == ["jihgfeabcd", "jihgabefcd", "jiabghefcd", "".join(titles(answer))]


def test_a_list_that_is_half_ordered_says_so_and_keeps_the_scores_of_the_rest() -> None:
    answer, _, events = reranked(window=4)
    shown_orders = [event.ranking for event in events if isinstance(event, ProvisionalRanking)]
    assert [order.by for order in shown_orders] == [
        "bm25, places 7 to 10 by listwise · parrot",
        "bm25, places 5 to 10 by listwise · parrot",
        "bm25, places 3 to 10 by listwise · parrot",
        answer.by,
    ]
    assert answer.by == "listwise · parrot"
    first = shown_orders[0].papers
    assert [row.by == "listwise · parrot" for row in first] == [False] * 6 + [True] * 4
    assert [row.score is None for row in first] == [False] * 6 + [True] * 4
    assert all(row.score is None for row in answer.papers)


def test_reasons_go_with_their_papers_through_all_windows() -> None:
    answer, _, _ = reranked(before="dcba", window=2)
    # a is the best of each of the windows it is in, d is first of none.
    assert [(row.paper.title, row.reason) for row in answer.papers] == [
        *(("a", "it fits"), ("d", ""), ("c", ""), ("b", ""))
    ]


def test_a_window_that_fails_keeps_its_order_and_counts() -> None:
    answer, model, events = reranked(fails_at("e", ModelFailed("It is ill.")), window=4)
    assert windows(model) == ["dcba", "feab", "hgfe", "jihg"]
    assert titles(answer) == list("ghijfeabcd")
    assert answer.notices == (
        "2 of 4 parts of the list were ranked by the model, the others keep their order: It is ill.",
        "parrot was shown the first 10; 8 of them moved.",
    )
    assert [event.done for event in events if isinstance(event, Progress)] == [0, 1, 2, 3]


@pytest.mark.parametrize("error", [CapReached("No more."), RepeatedRequest("Again.")])
def test_after_a_fatal_error_no_further_window_is_asked_about(error: ModelError) -> None:
    answer, model, _ = reranked(fails_at("h", error), window=4)
    assert windows(model) == ["dcba", "feab", "hgab"]
    assert titles(answer) == list("jihgabefcd")
    assert answer.by == "bm25, places 5 to 10 by listwise · parrot"
    assert answer.notices[0] == (
        f"2 of 4 parts of the list were ranked by the model, the others keep their order: {error}"
    )
    assert reranked(fails_at("a", error), window=4)[0].by == "bm25"


@pytest.mark.parametrize("error", [ContextOverflow("Too long."), ReplyCut("Cut off.")])
def test_a_window_that_is_too_long_is_halved_down_to_four(error: ModelError) -> None:
    def reply(request: ModelRequest) -> str:
        if len(shown(request.messages[-1].text)) > 4:
            raise error
        return alphabetic(request)

    answer, model, events = reranked(reply, window=10)
    assert windows(model) == ["jihgfedcba", "edcba", "dcba", "feab", "hgab", "jiab"]
    assert answer.notices == ("parrot was shown the first 10; 10 of them moved.",)
    totals = [(event.done, event.total) for event in events if isinstance(event, Progress)]
    assert totals == [(0, 1), (0, 4), (0, 4), (1, 4), (2, 4), (3, 4)]


def test_four_papers_that_are_too_long_fail_and_the_next_are_tried() -> None:
    answer, model, _ = reranked(fails_at("b", ContextOverflow("Too long.")), window=4)
    assert windows(model) == ["dcba", "fedc", "hgcd", "jicd"]
    assert titles(answer) == list("cdijghefba")
    assert "3 of 4 parts" in answer.notices[0]


def test_a_dry_run_reports_no_failure() -> None:
    model = DryRunModel(lambda _request: "")
    answer = run(LlmReranker(model, RerankOptions(window=4)).rank(ranking(TEN)))  # type: ignore[arg-type]
    assert answer.notices == ("The model could not be asked, so this is the offline order: ",)


# -- the question ------------------------------------------------------------------------------------------------------


def question_text(query: Query, titles_shown: str = "ab", abstract: str = "") -> str:
    papers = [row.paper for row in ranking(titles_shown, abstract=abstract).papers]
    return order_question(query, papers).request.messages[-1].text


def test_the_question_shows_free_words_titles_and_abstracts() -> None:
    text = question_text(parse_query("zebras year:2010.."), abstract="Short  one.")
    assert "\nzebras\n" in text
    assert shown(text) == ["a. Short one.", "b. Short one."]
    assert shown(question_text(Query("x"))) == ["a", "b"]
    assert "\nyear:2010..\n" in question_text(parse_query("year:2010.."))
    assert "z" * 4000 in question_text(Query("z" * 5000)) and "z" * 4001 not in question_text(Query("z" * 5000))


def test_there_is_room_for_every_number_and_five_reasons_at_most_are_wanted() -> None:
    papers = [row.paper for row in ranking("abcdefgh").papers]
    few, many = order_question(Query("x"), papers[:2]), order_question(Query("x"), papers)
    assert many.request.max_tokens - few.request.max_tokens == 6 * 8  # type: ignore[operator]
    assert few.request.max_tokens == 2048 + 16
    assert few.request.messages != many.request.messages


def test_of_two_reasons_for_one_paper_the_first_is_kept_and_empty_ones_are_not() -> None:
    papers = [row.paper for row in ranking("abcd").papers]
    reply = (
        '{"reasons": [{"number": 2, "reason": "first"}, {"number": 2, "reason": "second"},'
        ' {"number": 3, "reason": ""}], "order": [2, 3]}'
    )
    order = read_form(reply, order_question(Query("x"), papers).form, [])
    assert (order.numbers, order.reasons) == ((2, 3, 1, 4), {2: "first"})


@pytest.mark.parametrize(
    ("numbers", "count", "order"),
    [((), 3, (1, 2, 3)), ((3, 1), 3, (3, 1, 2)), ((0, 4, 2, 2), 3, (2, 1, 3)), ((1,), 1, (1,)), ((3,), 0, ())],
)
def test_unknown_and_repeated_numbers_are_dropped_and_missing_ones_follow(
    numbers: tuple[int, ...], count: int, order: tuple[int, ...]
) -> None:
    assert complete_order(numbers, count) == order
