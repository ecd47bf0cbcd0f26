"""`M` in the cite dialog: the agent over a real library and a model server on this machine, step by step."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from fakes_model_server import ModelServer, Received, Script, error, hangs
from graphs import TITLES, small_library, written
from libraries import store
from model_clients import settings_for
from scripted_agents import calling, read, search, select, turns
from tui.harness import Bench, Start

from litterm.build import build_engine
from litterm.model.attribution.agent import AGENT_VARIANTS
from litterm.tui.attribution.dialog import CitationDialog
from litterm.tui.dialogs.llm_consent import LlmConsentDialog
from litterm.tui.dialogs.message import MessageDialog

EXCERPT = "Phrases are learned from word alignments [CITATION]."
GOOD = [search("phrase tables"), read("acl:B", "sentence pairs"), select("acl:B")]


@pytest.fixture
def model(tmp_path: Path, model_server: ModelServer) -> ModelServer:
    store(tmp_path / "home" / "library", [*small_library(), written("D")])
    model_server.brain = calling(GOOD)
    return model_server


async def asked(bench: Bench) -> CitationDialog:
    """The dialog, with the offline answer in it."""
    bench.controllers.attribution.open(EXCERPT)
    await bench.settle()
    await bench.press("enter")
    dialog = bench.context.dialogs[-1]
    assert isinstance(dialog, CitationDialog)
    return dialog


def opened(start: Start, tmp_path: Path, model: ModelServer) -> object:
    settings = replace(settings_for(tmp_path / "home", model.url), starter=False)
    return start(build_engine(settings), settings=settings, size=(120, 40))


async def test_the_estimate_comes_first_then_the_steps_and_the_paper_selected(
    start: Start, tmp_path: Path, model: ModelServer
) -> None:
    async with opened(start, tmp_path, model) as bench:  # type: ignore[attr-defined]
        dialog = await asked(bench)
        assert not dialog.trail.display
        await bench.press("M")
        consent = bench.context.dialogs[-1]
        assert isinstance(consent, LlmConsentDialog)
        assert "nothing leaves it" in consent.paragraphs[0]
        assert model.chats == []
        await bench.press("enter")
        assert [step.action.name for step in dialog.trail.steps] == ["search", "read", "select"]
        assert bench.context.results.state.rows[0].paper.id == "acl:B"
        assert bench.context.results.state.by == "agent · tiny-1"
        shown = bench.shown()
        for words in ("searches “phrase tables”", "try phrase tables", "2 papers", "agent · tiny-1 selected"):
            assert words in shown
        assert bench.app.focused is dialog.choices
        await bench.press("enter")
        assert bench.context.reader.state.paper is not None
        assert bench.context.reader.state.paper.title == TITLES["B"]


async def test_enter_on_a_step_shows_all_that_the_model_was_told(
    start: Start, tmp_path: Path, model: ModelServer
) -> None:
    async with opened(start, tmp_path, model) as bench:  # type: ignore[attr-defined]
        dialog = await asked(bench)
        await bench.press("M")
        await bench.press("enter")
        dialog.trail.focus()
        await bench.press("g")
        await bench.press("enter")
        told = bench.context.dialogs[-1]
        assert isinstance(told, MessageDialog)
        assert f"Title: {TITLES['C']}" in " ".join(told._paragraphs)
        await bench.press("escape")
        assert bench.context.dialogs == [dialog]
        assert bench.app.focused is dialog.choices


@pytest.mark.parametrize("key", ["x", "ctrl+c"])
async def test_it_is_stopped_and_the_offline_ranking_stands(
    start: Start, tmp_path: Path, model: ModelServer, key: str
) -> None:
    def waits(given: Received) -> Script:
        return calling(GOOD)(given) if not turns(given) else hangs()

    model.brain = waits
    async with opened(start, tmp_path, model) as bench:  # type: ignore[attr-defined]
        dialog = await asked(bench)
        before = [row.paper.id for row in bench.context.results.state.rows]
        await bench.press("M")
        await bench.tap("enter")
        while len(dialog.trail.steps) < 1 or len(model.chats) < 2:
            await asyncio.sleep(0.01)
        await bench.press(key)
        assert model.hung_up_after(model.chats[-1].at) > 0
        assert [row.paper.id for row in bench.context.results.state.rows] == before
        assert "this is the offline ranking" in bench.shown()
        assert bench.context.dialogs == [dialog]
        assert len(dialog.trail.steps) == 1
        await bench.press("escape")
        assert bench.context.results.state.by != "agent · tiny-1"
        (kept,) = build_engine(settings_for(tmp_path / "home", model.url)).citing.all()
        assert (kept.choice.ended, len(kept.steps)) == ("stopped", 1)


async def test_a_model_that_fails_leaves_the_offline_ranking_and_says_so(
    start: Start, tmp_path: Path, model: ModelServer
) -> None:
    model.brain = lambda _asked: error(401, "no")
    async with opened(start, tmp_path, model) as bench:  # type: ignore[attr-defined]
        await asked(bench)
        before = [row.paper.id for row in bench.context.results.state.rows]
        await bench.press("M")
        await bench.press("enter")
        assert [row.paper.id for row in bench.context.results.state.rows] == before
        assert "so this is the offline ranking" in " ".join(bench.shown().split())


async def test_how_it_is_asked_can_be_switched_and_a_dry_run_sends_nothing(
    start: Start, tmp_path: Path, model: ModelServer
) -> None:
    async with opened(start, tmp_path, model) as bench:  # type: ignore[attr-defined]
        dialog = await asked(bench)
        await bench.press("M")
        await bench.press("s", "c")
        consent = bench.context.dialogs[-1]
        assert isinstance(consent, LlmConsentDialog)
        assert [each.current for each in consent.options] == [
            "also Semantic Scholar, arXiv and OpenAlex",
            "none: every action, after an example of a search",
            "1",
            "are not used",
        ]
        await bench.press("d")
        assert isinstance(bench.context.dialogs[-1], MessageDialog)
        await bench.press("escape")
        assert (model.chats, bench.context.dialogs) == ([], [dialog])


async def test_the_published_variants_are_switched_in_turn(start: Start, tmp_path: Path, model: ModelServer) -> None:
    async with opened(start, tmp_path, model) as bench:  # type: ignore[attr-defined]
        dialog = await asked(bench)
        await bench.press("M")
        consent = bench.context.dialogs[-1]
        assert isinstance(consent, LlmConsentDialog)
        variants = []
        for _ in range(len(AGENT_VARIANTS) + 1):
            variants.append(next(each.current for each in consent.options if each.key == "l").partition(":")[0])
            await bench.press("l")
        assert variants == ["none", *(variant.name for variant in AGENT_VARIANTS)]
        await bench.press("l", "l", "enter")
        assert dialog.trail.steps
        (kept,) = build_engine(settings_for(tmp_path / "home", model.url)).citing.all()
        assert kept.request.commands == "search"
        tools = {tool["function"]["name"] for tool in model.chats[0].body["tools"]}
        assert tools <= {"search", "search_citations", "select"}


async def test_several_runs_are_estimated_shown_one_after_the_other_and_counted(
    start: Start, tmp_path: Path, model: ModelServer
) -> None:
    async with opened(start, tmp_path, model) as bench:  # type: ignore[attr-defined]
        dialog = await asked(bench)
        await bench.press("M")
        consent = bench.context.dialogs[-1]
        assert isinstance(consent, LlmConsentDialog)
        assert "15 calls" in consent.paragraphs[1]
        await bench.press("r")
        assert "45 calls" in consent.paragraphs[1]
        assert "3: the paper that most select" in bench.shown()
        await bench.press("enter")
        assert [step.action.name for step in dialog.trail.steps] == ["search", "read", "select"] * 3
        assert "selected in 3 of 3 runs" in " ".join(bench.shown().split())
        dialog.trail.focus()
        await bench.press("G")
        assert "run 3 · selects" in bench.shown()


async def test_on_a_small_screen_the_estimate_stands_alone_and_the_trajectory_fits(
    start: Start, tmp_path: Path, model: ModelServer
) -> None:
    settings = replace(settings_for(tmp_path / "home", model.url), starter=False)
    async with start(build_engine(settings), settings=settings, size=(80, 24)) as bench:
        dialog = await asked(bench)
        await bench.press("M")
        assert "esc stay offline" in bench.shown()
        assert "which paper is cited here?" not in bench.shown()
        await bench.press("enter")
        shown = bench.shown()
        for words in ("which paper is cited here?", "selects acl:B", "chosen by tiny-1", "enter open"):
            assert words in shown
        assert dialog.region.bottom <= 24


async def test_without_a_model_it_says_how_to_set_one(start: Start, tmp_path: Path, model: ModelServer) -> None:
    settings = replace(settings_for(tmp_path / "home", ""), starter=False)
    async with start(build_engine(settings), settings=settings, size=(120, 40)) as bench:
        await asked(bench)
        await bench.press("M")
        assert "model" in bench.shown()
        assert len(bench.context.dialogs) == 1
