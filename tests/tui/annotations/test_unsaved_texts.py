"""Notes and corrections that are half typed: kept without a key, offered again, gone once saved or discarded."""

from __future__ import annotations

from pathlib import Path

import pytest
from tui.engines import PRUNING, SmallEngine
from tui.harness import Start

from litterm.annotations.unsaved_texts import UnsavedTexts
from litterm.library.state import sessions
from litterm.library.state.connection import StateDatabase
from litterm.model.annotations import Session, UnsavedText
from litterm.tui.annotations import text_editor


def stored(engine: SmallEngine) -> list[tuple[str, str]]:
    """As another process, or the next start, reads them."""
    texts = UnsavedTexts(StateDatabase(engine.settings.library)).all()
    return [(text.kind, text.text) for text in texts if text.paper_id == PRUNING.id]


async def test_what_is_typed_is_on_the_disk_before_it_is_saved_and_gone_after(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_editor, "STORE_AFTER_S", 0.01)
    engine = SmallEngine()
    async with start(engine) as bench:
        await bench.read()
        await bench.press("m", *"half")
        await bench.until(lambda: stored(engine) == [("note", "half")])
        await bench.press("enter")
        assert engine.annotations.notes(PRUNING.id).note == "half"
        assert stored(engine) == []
        # Typed and taken back by hand, it is what is saved already.
        await bench.press("m", *" x")
        await bench.until(lambda: stored(engine) == [("note", "half x")])
        bench.field("asked").action_delete_left()
        bench.field("asked").action_delete_left()
        await bench.until(lambda: stored(engine) == [])


async def test_a_note_that_is_left_is_offered_again_until_it_is_discarded(start: Start) -> None:
    engine = SmallEngine()
    async with start(engine) as bench:
        await bench.read()
        await bench.press("m", *"half", "escape")
        assert stored(engine) == [("note", "half")]
    async with start(engine) as bench:
        await bench.read()
        await bench.press("m")
        assert bench.field("asked").text == "half"
        await bench.press("f2")
        assert bench.said[-1] == "Discarded."
        assert not bench.context.dialogs
        await bench.press("m")
        assert bench.field("asked").text == ""
    assert stored(engine) == []


async def test_a_correction_with_a_line_that_cannot_be_read_is_not_lost(start: Start) -> None:
    async with start(engine := SmallEngine()) as bench:
        await bench.read()
        await bench.press("T")
        right = bench.field("asked").text
        bench.field("asked").set_text(right.replace("2022", "soon"))
        await bench.press("enter")
        assert "soon is no year" in bench.said[-1]
        await bench.press("T")
        assert bench.field("asked").text == right.replace("2022", "soon").strip()
        bench.field("asked").set_text(right.replace("2022", "2023"))
        await bench.press("enter")
        assert engine.paper(PRUNING.id).year == 2023
        assert stored(engine) == []


async def test_the_end_of_the_program_keeps_what_is_typed_although_the_database_is_busy(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "END_WAIT_S", 0.01)
    async with start(engine := SmallEngine()) as bench:
        await bench.read()
        await bench.press("m", *"half")
        with StateDatabase(engine.settings.library).write():
            bench.screen.save_before_end()
    assert stored(engine) == [("note", "half")]
    assert engine.annotations.session().paper_id == PRUNING.id


async def test_notes_left_in_a_session_of_an_earlier_version_are_still_there(start: Start) -> None:
    engine = SmallEngine()
    engine.annotations.projects.session_row.save({"note_drafts": [[PRUNING.id, "from before"]]})
    assert engine.annotations.session() == Session(note_drafts=((PRUNING.id, "from before"),))
    async with start(engine) as bench:
        bench.screen.save_session()
    assert stored(engine) == [("note", "from before")]
    assert engine.annotations.session().note_drafts == ()


def test_texts_are_listed_the_newest_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = UnsavedTexts(StateDatabase(tmp_path))
    times = iter(["2026-11-28T10:00:00Z", "2026-11-28T11:00:00Z"])
    monkeypatch.setattr("litterm.annotations.unsaved_texts.utc_now", lambda: next(times))
    texts.keep("note", PRUNING.id, "a \ud83d")
    texts.keep("correction", PRUNING.id, "title: b")
    assert texts.all() == (
        UnsavedText("correction", PRUNING.id, "title: b"),
        UnsavedText("note", PRUNING.id, "a \ud83d"),
    )
    texts.discard("note", PRUNING.id)
    texts.discard("note", PRUNING.id)
    assert [text.kind for text in texts.all()] == ["correction"]
