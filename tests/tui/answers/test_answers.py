"""`:ask`, and the sentences in the rows of a question that is typed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

from answering import BODY, LOWERED, NO_EFFECT, NULL, QUESTION, RESTATED, TRIAL, answering_engine
from tui.engines import PRUNING, SmallEngine
from tui.harness import Bench, Start

from litterm.core.settings import from_home
from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.tui.answers.dialog import AnswerDialog


def library(tmp_path: Path) -> dict[str, Any]:
    """Engine and settings over the papers on holy basil."""
    home = tmp_path / "home"
    return {"engine": answering_engine(home), "settings": replace(from_home(home), starter=False, network_notice=False)}


async def ask(bench: Bench, question: str = QUESTION) -> AnswerDialog:
    bench.controllers.answers.ask(question)
    await bench.settle()
    dialog = bench.context.dialogs[-1]
    assert isinstance(dialog, AnswerDialog)
    return dialog


def go_to(dialog: AnswerDialog, text: str) -> None:
    place = next(index for index, row in enumerate(dialog.rows) if row.sentence and row.sentence.text == text)
    dialog.choices.go(place)


async def test_a_question_opens_its_sentences_with_paper_and_place(start: Start, tmp_path: Path) -> None:
    async with start(**library(tmp_path), size=(120, 40)) as bench:
        dialog = await ask(bench)
        shown = bench.shown()
        assert "Holy basil significantly lowered fasting blood glucose" in shown
        assert "p.4" in shown and "pmc:PMC1" in shown and "1 of them as full text" in shown
        assert dialog.current is not None


async def test_enter_opens_the_paper_at_the_sentence(start: Start, tmp_path: Path) -> None:
    async with start(**library(tmp_path), size=(120, 40)) as bench:
        dialog = await ask(bench)
        go_to(dialog, BODY)
        await bench.press("enter")
        reader = bench.context.reader
        assert reader.state.paper is not None and reader.state.paper.id == TRIAL.id
        assert reader.state.document is not None
        assert reader.state.document.sentences[reader.cursor].text == BODY
        # The answer is still at hand, with the cursor where it was.
        bench.controllers.answers.ask("")
        await bench.settle()
        again = bench.context.dialogs[-1]
        assert isinstance(again, AnswerDialog) and again.current is not None and again.current.text == BODY


async def test_sentences_are_kept_and_dropped_as_evidence_is_and_taken_back(start: Start, tmp_path: Path) -> None:
    here = library(tmp_path)
    engine = here["engine"]
    async with start(**here, size=(120, 40)) as bench:
        dialog = await ask(bench)

        def marks() -> list[tuple[str, str, str]]:
            return [
                (mark.anchor.quote, mark.kind, mark.hypothesis)
                for paper in (TRIAL, NULL)
                for mark in engine.annotations.visible_marks(paper.id)
            ]

        go_to(dialog, NO_EFFECT)
        await bench.press("a")
        assert marks() == [(NO_EFFECT, "accepted", QUESTION)] and "kept" in bench.shown()
        go_to(dialog, BODY)
        await bench.press("x")
        assert (BODY, "rejected", QUESTION) in marks() and "dropped" in bench.shown()
        await bench.press("x")
        assert marks() == [(NO_EFFECT, "accepted", QUESTION)]
        await bench.press("u", "u", "u")
        assert marks() == []


async def test_decisions_made_in_a_burst_are_all_recorded(start: Start, tmp_path: Path) -> None:
    here = library(tmp_path)
    engine = here["engine"]
    async with start(**here, size=(120, 40)) as bench:
        dialog = await ask(bench)
        go_to(dialog, NO_EFFECT)
        bench.send("x")
        await bench.handle()
        go_to(dialog, BODY)
        bench.send("a")
        await bench.settle()
        assert [mark.kind for mark in engine.annotations.visible_marks(NULL.id)] == ["rejected"]
        assert [mark.kind for mark in engine.annotations.visible_marks(TRIAL.id)] == ["accepted"]


async def test_where_the_library_does_not_say_the_view_says_so(start: Start, tmp_path: Path) -> None:
    async with start(**library(tmp_path), size=(80, 24)) as bench:
        dialog = await ask(bench, "Which team won the football championship of 1998?")
        assert not dialog.rows
        assert "The library does not say" in bench.shown()


async def test_questions_come_back_with_the_session(start: Start, tmp_path: Path) -> None:
    here = library(tmp_path)
    engine = here["engine"]
    async with start(**here, size=(120, 40)) as bench:
        await ask(bench)
        bench.controllers.session.save()
    assert engine.annotations.session().questions == (QUESTION,)
    async with start(**here, size=(120, 40)) as bench:
        bench.controllers.answers.ask("")
        await bench.settle()
        assert bench.field("asked").text == QUESTION


async def test_a_faulty_filter_is_said_and_asks_nothing(start: Start, tmp_path: Path) -> None:
    async with start(**library(tmp_path), size=(100, 30)) as bench:
        bench.controllers.answers.ask(f"{QUESTION} year:soon")
        await bench.settle()
        assert not bench.context.dialogs and any("soon" in said for said in bench.said)


def line_of(bench: Bench, text: str) -> int:
    return next(index for index, row in enumerate(bench.shown().splitlines()) if text in row)


async def test_a_sentence_comes_into_the_row_of_a_question_and_moves_none(start: Start, tmp_path: Path) -> None:
    async with start(**library(tmp_path), size=(120, 40)) as bench:
        await bench.search(QUESTION)
        results = bench.context.results
        places = [line_of(bench, row.paper.title[:40]) for row in results.state.rows]
        assert all(row.has_answer_line for row in results.state.rows)
        await bench.until(lambda: any(row.answer for row in results.state.rows))
        await bench.settle()
        assert [line_of(bench, row.paper.title[:40]) for row in results.state.rows] == places
        answers = {row.paper.id: row.answer for row in results.state.rows}
        assert answers[NULL.id] == NO_EFFECT and answers[TRIAL.id] in (LOWERED, BODY, RESTATED)
        assert NO_EFFECT[:60] in bench.shown()


async def test_rows_of_keywords_have_no_line_for_a_sentence(start: Start) -> None:
    async with start(SmallEngine()) as bench:
        await bench.search("structured pruning")
        rows = bench.context.results.state.rows
        assert rows[0].paper.id == PRUNING.id
        assert not any(row.has_answer_line for row in rows)


async def test_typing_on_stops_the_reading_for_what_was_typed_before(start: Start, tmp_path: Path) -> None:
    async with start(**library(tmp_path), size=(120, 40)) as bench:
        await bench.search(QUESTION)
        await bench.search("steel bridges")
        await bench.settle()
        assert not any(row.answer for row in bench.context.results.state.rows)


async def test_a_question_that_is_being_answered_can_be_stopped(start: Start, tmp_path: Path) -> None:
    here = library(tmp_path)
    begun = Event()

    def never(*_args: object, **_options: object) -> Task[None]:
        begun.set()
        while not Event().wait(0.02):
            yield Progress("reading")

    here["engine"].ask = never
    async with start(**here, size=(100, 30)) as bench:
        bench.controllers.answers.ask(QUESTION)
        await bench.until(begun.is_set)
        bench.controllers.navigation.action_cancel()
        await bench.settle()
        assert bench.said[-1] == "Stopped." and not bench.context.dialogs
