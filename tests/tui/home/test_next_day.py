"""The next start: in NORMAL mode where one was, and what was left undone is named and listed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tui.engines import PRUNING, SHEARED, SmallEngine
from tui.harness import Bench, Start

from litterm.model.annotations import Session, UnfinishedJob
from litterm.tui import workbench
from litterm.tui.attribution.drafts import DraftReview
from litterm.tui.home.pane import HomeSection


@pytest.mark.parametrize("pane", ["query", "results", "reader", "evidence"])
async def test_a_restart_has_the_focus_where_it_was(start: Start, pane: str) -> None:
    engine = SmallEngine()
    engine.annotations.save_session(Session(query="pruning", paper_id=PRUNING.id, hypothesis="faster", focus=pane))
    async with start(engine, size=(80, 24)) as bench:
        assert bench.context.focus == pane
        assert bench.shown().splitlines()[-1].split()[0] == "NORMAL"
        assert bench.controllers.reader.paper is not None
        assert bench.controllers.reader.paper.id == PRUNING.id
        await bench.press("n", "j")
        assert bench.context.query.field.text == "pruning"
        await bench.press("2")
        bench.screen.save_before_end()
    assert engine.annotations.session().focus == "results"


async def test_a_letter_before_the_session_is_restored_waits_for_it(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbench, "MAX_OPENING_WAIT_S", 60.0)
    engine = SmallEngine()
    engine.annotations.save_session(Session(query="pruning", focus="results"))
    async with start(engine) as bench:
        bench.screen._is_opened = False
        bench.send("j")
        assert bench.app.awaits_key()
        bench.screen._is_opened = True
        await bench.settle()
        assert bench.context.results.cursor == 1


async def test_what_was_left_unfinished_is_named_in_one_line(start: Start) -> None:
    engine = SmallEngine()
    jobs = tuple(UnfinishedJob("add", f"importing {name}", (f"/none/{name}",)) for name in ("a.bib", "b.ris"))
    engine.annotations.save_session(Session(query="pruning", unfinished=jobs))
    async with start(engine) as bench:
        assert bench.said == ["Unfinished: importing b.ris and 1 more. 0 lists it; enter goes on."]


def continued(bench: Bench) -> list[tuple[str, str, str]]:
    section = bench.screen.query_one("#home-reading", HomeSection)
    return [(row.choice.key, row.choice.label, row.choice.detail) for row in section.home_rows]


async def go_on(bench: Bench, label: str, key: str = "enter") -> None:
    section = bench.screen.query_one("#home-reading", HomeSection)
    section.focus()
    section.go(next(at for at, row in enumerate(section.home_rows) if label in row.choice.label))
    await bench.settle()
    await bench.press(key)


async def test_home_lists_what_was_begun_and_enter_goes_on_with_each(start: Start, tmp_path: Path) -> None:
    engine, draft, bib = SmallEngine(), tmp_path / "draft.tex", tmp_path / "refs.bib"
    draft.write_text("Pruning learns compact models [CITATION].\n\nIt is old [CITATION].\n", "utf-8")
    project = engine.drafts.read(draft)
    engine.drafts.decisions.set(draft, project.marks, 1, PRUNING.id)
    bib.write_text("@misc{owls, title = {Owls at night}, year = {2001}}\n", "utf-8")
    engine.matrices.begin([PRUNING.id, SHEARED.id], ["faster", "smaller"])
    engine.unsaved_texts.keep("note", PRUNING.id, "half a\nthought")
    job = UnfinishedJob("add", "importing refs.bib", (str(bib),))
    engine.annotations.save_session(Session(query="pruning", unfinished=(job,)))
    async with start(engine, size=(120, 40)) as bench:
        await bench.press("0")
        assert continued(bench) == [
            ("", f"note · {PRUNING.title}", "not saved"),
            ("unfinished", "importing refs.bib", ""),
            ("", f"draft · {draft}", "1 of 2 marks decided"),
            ("unfinished", "matrix of 2 papers: faster | smaller", "0 of 4 cells"),
        ]
        await go_on(bench, "note")
        assert bench.field("asked").text == "half a\nthought"
        await bench.press("enter")
        assert engine.annotations.notes(PRUNING.id).note == "half a\nthought"
        await go_on(bench, "importing")
        assert engine.status().papers == len(engine.papers) + 1
        assert [label.split()[0] for _, label, _ in continued(bench)] == ["draft", "matrix"]
        await go_on(bench, "draft")
        assert isinstance(bench.context.dialogs[-1], DraftReview)
        await bench.press("escape")
        await go_on(bench, "matrix")
        assert bench.context.focus == "matrix"
        await bench.press("0")
        # A finished matrix can be looked at again.
        assert continued(bench)[-1] == ("", "matrix of 2 papers: faster | smaller", "4 of 4 cells")


async def test_what_is_not_saved_is_discarded_from_home_after_a_question(start: Start) -> None:
    engine = SmallEngine()
    engine.unsaved_texts.keep("note", PRUNING.id, "half a thought")
    async with start(engine) as bench:
        await bench.press("escape", "0")
        await go_on(bench, "note", "x")
        assert "Discard the note that is not saved?" in bench.shown()
        await bench.press("enter")
        assert continued(bench) == []
    assert engine.unsaved_texts.all() == ()


def test_a_draft_is_listed_once_it_was_reviewed_and_while_it_has_open_marks(tmp_path: Path) -> None:
    drafts, first, second = SmallEngine().drafts, tmp_path / "first.md", tmp_path / "second.md"
    for path in (first, second):
        path.write_text("Pruning learns compact models [CITATION].\n", "utf-8")
        drafts.decisions.remember(path)
    assert [(item.path, item.decided, item.marks) for item in drafts.in_progress(5)] == [(second, 0, 1), (first, 0, 1)]
    drafts.decisions.remember(first)
    assert drafts.decisions.newest_draft() == first
    first.write_text("Nothing is open here.\n", "utf-8")
    assert [item.path for item in drafts.in_progress(5)] == [second]
    second.unlink()
    assert drafts.in_progress(5) == ()
