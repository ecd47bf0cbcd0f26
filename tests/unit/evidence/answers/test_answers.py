"""Questions put to a small library: which sentences answer, in which groups, and when the library does not say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from answering import BODY, LOWERED, NO_EFFECT, NULL, OTHER, QUESTION, RESTATED, SECOND, TRIAL, answering_engine

from litterm.core.errors import BadInput, QueryError, UsageError
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.evidence.answers.groups import join_restatements
from litterm.evidence.answers.weights import read_answer_weights
from litterm.evidence.candidate_pool import content_stems
from litterm.model.answer import Answer


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    yield answering_engine(tmp_path_factory.mktemp("answers"))


def texts(answer: Answer) -> list[str]:
    return [each.text for item in answer.sentences for each in (item, *item.restatements)]


def test_the_sentences_that_answer_come_first_with_paper_place_page_and_key(engine: Engine) -> None:
    answer = run(engine.ask(QUESTION))
    assert answer.silence == "" and (answer.papers_read, answer.full_texts) == (3, 1)
    assert {LOWERED, RESTATED, NO_EFFECT, BODY} <= set(texts(answer))
    assert OTHER.id not in {item.paper.id for item in answer.sentences}
    items = {each.text: each for item in answer.sentences for each in (item, *item.restatements)}
    body = items[BODY]
    assert (body.paper.id, body.page, body.locator) == (TRIAL.id, 4, "Results §3 ¶1 s1 p.4")
    assert body.key == engine.citation_keys.key(TRIAL)
    assert run(engine.read(TRIAL.id)).sentences[body.index].text == BODY


def test_a_sentence_that_says_the_same_stands_with_the_better_one(engine: Engine) -> None:
    answer = run(engine.ask(QUESTION))
    (first,) = [item for item in answer.sentences if item.text in (LOWERED, RESTATED)]
    (restated,) = [each for each in first.restatements if each.text in (LOWERED, RESTATED)]
    assert {first.paper.id, restated.paper.id} == {TRIAL.id, SECOND.id}


def test_what_is_for_and_what_is_against_are_groups_of_their_own(engine: Engine) -> None:
    answer = run(engine.ask("Does holy basil lower fasting blood glucose in adults with type 2 diabetes?"))
    sides = {group.side: [item.text for item in group.sentences] for group in answer.groups}
    assert [group.side for group in answer.groups] == [side for side in ("for", "against", "unclear") if side in sides]
    assert all(item.side == group.side for group in answer.groups for item in group.sentences)
    assert NO_EFFECT not in sides.get("for", [])


def test_aspects_of_a_question_are_groups_in_the_order_asked(engine: Engine) -> None:
    answer = run(engine.ask("What does holy basil do to fasting blood glucose? Which welds of steel beams failed?"))
    assert [group.title for group in answer.groups] == [
        "What does holy basil do to fasting blood glucose",
        "Which welds of steel beams failed?",
    ]
    assert all(group.side is None for group in answer.groups)


def test_ranks_are_counted_over_all_groups(engine: Engine) -> None:
    answer = run(engine.ask(QUESTION, k=3))
    assert [item.rank for item in answer.sentences] == list(range(1, len(answer.sentences) + 1))
    assert len(answer.sentences) <= 3


def test_a_question_of_another_field_is_not_answered(engine: Engine) -> None:
    answer = run(engine.ask("Which team won the football championship of 1998?"))
    assert answer.silence and not answer.groups


def test_words_that_no_paper_read_holds_are_named(engine: Engine) -> None:
    answer = run(engine.ask("Does holy basil cure schizophrenia with clozapine?"))
    assert {"schizophrenia", "clozapine"} <= set(answer.unknown_words)


def test_filters_choose_the_papers_that_are_read(engine: Engine) -> None:
    answer = run(engine.ask(f"{QUESTION} year:2021"))
    assert {item.paper.id for item in answer.sentences} == {NULL.id}
    assert answer.question == QUESTION


def test_the_first_sentence_of_each_paper_is_one_of_its_own(engine: Engine) -> None:
    ranking = run(engine.search(QUESTION))
    best = run(engine.answers.first_sentences(QUESTION, ranking.papers))
    assert OTHER.id not in best and {TRIAL.id, SECOND.id, NULL.id} <= best.keys()
    assert best[NULL.id].text == NO_EFFECT
    assert all(item.paper.id == paper_id for paper_id, item in best.items())


def test_numbers_out_of_range_and_faulty_filters_are_refused(engine: Engine) -> None:
    for options in ({"k": 0}, {"k": 101}, {"papers": 0}, {"papers": 101}):
        with pytest.raises(UsageError, match="Ask for 1 to 100"):
            run(engine.ask(QUESTION, **options))
    with pytest.raises(QueryError):
        run(engine.ask(f"{QUESTION} year:soon"))


def test_a_null_result_does_not_say_the_same_as_a_finding(engine: Engine) -> None:
    answer = run(engine.ask(QUESTION))
    (null,) = [item for item in answer.sentences if item.text == NO_EFFECT]
    assert not null.restatements


@pytest.mark.parametrize(
    ("sentence", "other", "restated"),
    [
        ("Basil lowered glucose in adults with diabetes.", "In adults with diabetes basil lowered glucose.", True),
        ("Basil lowered glucose in adults with diabetes.", "Basil raised glucose in adults with diabetes.", False),
        (
            "Basil lowered glucose in adults with diabetes.",
            "Basil did not lower glucose in adults with diabetes.",
            False,
        ),
        ("Basil lowered glucose by 21 mg in diabetes.", "Basil lowered glucose by 30 mg in diabetes.", False),
    ],
)
def test_direction_and_numbers_tell_a_restatement(sentence: str, other: str, restated: bool) -> None:
    counts = [Counter(content_stems(text)) for text in (sentence, other)]
    idf = dict.fromkeys(counts[0] | counts[1], 1.0)
    joined = join_restatements((sentence, other), counts, idf, k=5)
    assert [each.others for each in joined] == ([(1,)] if restated else [(), ()])


def test_weights_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text('{"form": 0}')
    for broken in (path, tmp_path / "none.json"):
        with pytest.raises(BadInput, match=str(broken)):
            read_answer_weights(broken)
