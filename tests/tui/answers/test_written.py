"""An answer of a model in the workbench: consent, sentences and quotes, decisions, files, and the next start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from answering import LOWERED, NO_QUOTE, QUESTION, TRIAL, TRUE, TURNED, answering_engine, writing_model
from fakes_model_server import MODEL, ModelServer
from tui.harness import Bench, Start

from litterm.core.settings import from_home
from litterm.tui.answers.written import WrittenAnswerDialog
from litterm.tui.dialogs.llm_consent import LlmConsentDialog
from litterm.tui.dialogs.text import TextDialog


def library(tmp_path: Path, server: ModelServer) -> dict[str, Any]:
    """Engine and settings over the papers on holy basil, with the model that writes of them."""
    server.brain = writing_model
    home = tmp_path / "home"
    settings = replace(from_home(home), starter=False, network_notice=False)
    settings = replace(settings, model=replace(settings.model, base_url=server.url, model=MODEL))
    return {"engine": answering_engine(home, server.url), "settings": settings}


async def written(bench: Bench) -> WrittenAnswerDialog:
    bench.controllers.answers.written.ask(QUESTION)
    await bench.settle()
    assert isinstance(bench.context.dialogs[-1], LlmConsentDialog)
    await bench.press("enter")
    await bench.settle()
    dialog = bench.context.dialogs[-1]
    assert isinstance(dialog, WrittenAnswerDialog)
    return dialog


async def test_sentences_stand_left_and_the_quote_of_the_cursor_right(
    start: Start, tmp_path: Path, model_server: ModelServer
) -> None:
    async with start(**library(tmp_path, model_server), size=(120, 40)) as bench:
        dialog = await written(bench)
        shown = bench.shown()
        assert dialog.current is not None and dialog.current.text == TRUE
        assert "struck out: Holy basil raised" in shown and "2 struck out" in shown
        assert "significantly lowered" in shown and "pmc:PMC1" in shown
        dialog.go_to(NO_QUOTE)
        await bench.settle()
        assert "No quote is behind this sentence." in bench.shown()


async def test_enter_opens_the_paper_at_the_first_quote(
    start: Start, tmp_path: Path, model_server: ModelServer
) -> None:
    async with start(**library(tmp_path, model_server), size=(120, 40)) as bench:
        await written(bench)
        await bench.press("enter")
        await bench.settle()
        reader = bench.context.reader
        assert reader.state.paper is not None and reader.state.paper.id == TRIAL.id
        assert reader.state.document is not None
        assert reader.state.document.sentences[reader.cursor].text == LOWERED


async def test_a_dropped_sentence_stays_out_of_the_file_also_after_the_next_start(
    start: Start, tmp_path: Path, model_server: ModelServer
) -> None:
    here = library(tmp_path, model_server)
    async with start(**here, size=(120, 40)) as bench:
        dialog = await written(bench)
        await bench.press("x")
        assert "dropped" in bench.shown()
        dialog.go_to(TURNED)
        await bench.press("a")
        assert "kept" not in bench.shown() and "This sentence was struck out" in bench.said[-1]
    sent = len(model_server.chats)
    async with start(**here, size=(80, 24)) as bench:
        bench.controllers.answers.written.ask(QUESTION)
        await bench.settle()
        assert isinstance(bench.context.dialogs[-1], WrittenAnswerDialog) and len(model_server.chats) == sent
        await bench.press("w")
        asked = bench.context.dialogs[-1]
        assert isinstance(asked, TextDialog)
        asked.on_text_submitted(str(tmp_path / "answer.tex"))
        await bench.settle()
        text = (tmp_path / "answer.tex").read_text()
        assert TRUE.rstrip(".") not in text and "\\cite{rao1-2018-holy}" in text
        assert "rao1-2018-holy" in (tmp_path / "answer.bib").read_text()


async def test_a_follow_up_question_is_asked_after_consent(
    start: Start, tmp_path: Path, model_server: ModelServer
) -> None:
    async with start(**library(tmp_path, model_server), size=(120, 40)) as bench:
        await written(bench)
        await bench.press("f")
        asked = bench.context.dialogs[-1]
        assert isinstance(asked, TextDialog)
        asked.on_text_submitted(f"{QUESTION[:-1]} after twelve weeks?")
        await bench.settle()
        assert isinstance(bench.context.dialogs[-1], LlmConsentDialog)


async def test_the_model_is_asked_from_the_view_of_sentences_too(
    start: Start, tmp_path: Path, model_server: ModelServer
) -> None:
    async with start(**library(tmp_path, model_server), size=(120, 40)) as bench:
        bench.controllers.answers.ask(QUESTION)
        await bench.settle()
        await bench.press("M")
        await bench.settle()
        assert isinstance(bench.context.dialogs[-1], LlmConsentDialog)
        assert not model_server.chats
