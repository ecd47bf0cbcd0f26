"""`:tour`: five steps beside the panes that see what one does, in a project of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tui.engines import PRUNING, SHEARED, SmallEngine
from tui.harness import Bench, Start

from litterm.model.annotations import Session
from litterm.model.paper import PaperId
from litterm.tui.attribution.dialog import NO_MODEL_IN_TOUR, CitationDialog
from litterm.tui.attribution.drafts import DraftReview
from litterm.tui.search.controller import IN_TOUR
from litterm.tui.tour.controller import TOUR_PROJECT, TOUR_STEPS


async def tour(bench: Bench) -> None:
    await bench.press("ctrl+p")
    bench.field("lookup").set_text("tour")
    await bench.press("enter")


async def step_is(bench: Bench, done: int) -> None:
    bench.controllers.tour.check_steps()
    await bench.settle()
    assert bench.context.tour == done


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
async def test_each_step_is_seen_to_be_done(start: Start, tmp_path: Path, size: tuple[int, int]) -> None:
    engine = SmallEngine()
    async with start(engine, size=size) as bench:
        await tour(bench)
        assert engine.annotations.projects.current == TOUR_PROJECT
        assert TOUR_STEPS[0].name in bench.shown()
        assert bench.screen.focused is bench.context.query.field
        await step_is(bench, 0)
        await bench.search("structured pruning learns")
        await step_is(bench, 1)
        assert TOUR_STEPS[1].name in bench.shown()
        await bench.press("enter")
        await step_is(bench, 2)
        await bench.press("e")
        bench.field("asked").set_text("pruned model speed")
        await bench.press("enter")
        await step_is(bench, 3)
        await bench.press("n", "a")
        await step_is(bench, 4)
        await bench.press("w")
        bench.field("asked").set_text(str(tmp_path / "tour.bib"))
        await bench.press("enter")
        await step_is(bench, 5)
        assert any("The tour is done" in said for said in bench.said)
        await tour(bench)
        assert engine.annotations.projects.current == ""
        assert not bench.controllers.tour.is_open
        assert ":tour leaves" not in bench.shown()
        # On a screen with room for one pane, too, it is the one that has something to show.
        assert "Nothing is open." not in bench.shown()
        assert bench.context.results.display


async def test_no_notice_covers_its_steps(start: Start) -> None:
    async with start(size=(80, 24)) as bench:
        await tour(bench)
        assert "5 Export or cite" in bench.shown()
        assert not any(TOUR_PROJECT in notice for notice in bench.said)


async def test_it_is_left_and_gone_on_with(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await tour(bench)
        await bench.search("structured pruning learns")
        await step_is(bench, 1)
        await tour(bench)
        assert not bench.controllers.tour.is_open
        assert bench.engine.annotations.projects.current == ""


async def test_at_the_next_start_in_its_project_it_is_there_again(start: Start) -> None:
    engine = SmallEngine()
    engine.annotations.projects.use(TOUR_PROJECT)
    engine.annotations.save_session(Session(tour=2))
    async with start(engine, size=(120, 40)) as bench:
        assert bench.controllers.tour.is_open
        await bench.until(lambda: TOUR_STEPS[2].instruction.split(";")[0][:20] in bench.shown())


async def test_a_citation_is_looked_for_in_the_starter_library_only(start: Start) -> None:
    engine = SmallEngine(starter=True)
    own = {paper.id for paper in engine.papers}

    async def candidates(bench: Bench) -> set[str]:
        bench.controllers.attribution.open("We prune [CITATION].")
        await bench.settle()
        dialog = bench.context.dialogs[-1]
        assert isinstance(dialog, CitationDialog)
        dialog.ask(engine.excerpt("We prune [CITATION].", 0, None))
        await bench.settle()
        bench.context.close_all()
        await bench.settle()
        return {row.paper.id for row in bench.context.results.state.rows}

    async with start(engine, size=(120, 40)) as bench:
        assert PRUNING.id in await candidates(bench)
        await tour(bench)
        in_tour = await candidates(bench)
        assert in_tour and not in_tour & own
        await tour(bench)
        assert PRUNING.id in await candidates(bench)


async def test_a_draft_is_answered_from_the_starter_library_only(start: Start, tmp_path: Path) -> None:
    engine = SmallEngine(starter=True)
    own = {paper.id for paper in engine.papers}
    draft = tmp_path / "draft.tex"
    draft.write_text("Structured pruning learns compact models [CITATION].", "utf-8")

    async def candidates(bench: Bench) -> set[PaperId]:
        bench.controllers.drafts.start(str(draft))
        await bench.settle()
        dialog = bench.context.dialogs[-1]
        assert isinstance(dialog, DraftReview) and dialog._review is not None
        (answer,) = dialog._review.answers
        assert answer.attribution is not None
        candidates = [candidate.paper for candidate in answer.attribution.candidates]
        assert candidates[0].title[:30] in bench.shown()
        await bench.press("escape")
        return {paper.id for paper in candidates}

    async with start(engine, size=(200, 50)) as bench:
        assert SHEARED.id in await candidates(bench)
        await tour(bench)
        in_tour = await candidates(bench)
        assert in_tour and not in_tour & own
        await tour(bench)
        assert SHEARED.id in await candidates(bench)


async def test_the_model_is_not_asked_for_a_citation_as_it_would_search_all_papers(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await tour(bench)
        bench.controllers.attribution.open("We prune [CITATION].")
        await bench.settle()
        dialog = bench.context.dialogs[-1]
        assert isinstance(dialog, CitationDialog)
        dialog.action_run_agent()
        await bench.settle()
        assert NO_MODEL_IN_TOUR in bench.shown()
        assert not any(job.group == "estimate" for job in bench.context.work.jobs)


async def test_it_searches_the_starter_library_only(start: Start) -> None:
    engine = SmallEngine(starter=True)
    own = {paper.id for paper in engine.papers}
    async with start(engine, size=(120, 40)) as bench:
        await bench.search("pruning")
        assert SHEARED.id in {row.paper.id for row in bench.context.results.state.rows}
        await tour(bench)
        await bench.search("pruning")
        in_tour = {row.paper.id for row in bench.context.results.state.rows}
        assert in_tour and not in_tour & own
        assert IN_TOUR in bench.context.results.state.hint
        await tour(bench)
        await bench.search("pruning")
        assert SHEARED.id in {row.paper.id for row in bench.context.results.state.rows}
        assert IN_TOUR not in bench.context.results.state.hint
