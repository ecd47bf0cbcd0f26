"""`C`: a draft's open marks answered one by one; kept, written beside the draft, checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tui.engines import PRUNING, SmallEngine
from tui.harness import Bench, Start

from litterm.model.attribution.citation import Candidate
from litterm.model.paper import PaperId
from litterm.tui.attribution.bibliography import CheckedBibliography
from litterm.tui.attribution.drafts import DraftReview

TEX = r"""Pruning removes weights \cite{}. It is old \cite{held}.

Structured pruning learns compact models [CITATION].
"""
BIB = f"@misc{{held, title = {{{PRUNING.title}}}, author = {{Xia, M.}}, year = {{{PRUNING.year}}}}}\n"


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "refs.bib").write_text(BIB, "utf-8")
    path = folder / "draft.tex"
    path.write_text(TEX, "utf-8")
    return path


def candidates_of(dialog: DraftReview, mark: int) -> list[Candidate]:
    """The papers that are proposed for a mark, best first."""
    assert dialog._review is not None
    attribution = dialog._review.answers[mark].attribution
    assert attribution is not None
    return list(attribution.candidates)


async def review(bench: Bench, draft: Path) -> DraftReview:
    await bench.press("escape", "C")
    bench.field("lookup").set_text(f"draft {draft}")
    await bench.press("enter")
    dialog = bench.context.dialogs[-1]
    assert isinstance(dialog, DraftReview)
    return dialog


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_marks_and_the_candidates_of_the_one_under_the_cursor_are_on_the_screen(
    start: Start, draft: Path, size: tuple[int, int]
) -> None:
    async with start(size=size) as bench:
        dialog = await review(bench, draft)
        best = candidates_of(dialog, 0)[0]
        shown = bench.shown()
        assert best.confidence is not None
        assert best.paper.title[:20] in shown and f"{best.confidence:.0%}" in shown
        for said in ("draft.tex", "1:25", "mark 1 of 2", "0 of 2 accepted", "refs.bib", "a accept"):
            assert said in shown
        await bench.press("n")
        assert "3:42" in bench.shown()


async def test_decisions_are_kept_written_beside_the_draft_and_taken_back(start: Start, draft: Path) -> None:
    engine = SmallEngine()
    async with start(engine, size=(120, 40)) as bench:
        dialog = await review(bench, draft)
        first = candidates_of(dialog, 0)[0].paper
        await bench.press("a")
        assert dialog.at == 1
        await bench.press("x")
        project = engine.drafts.read(draft)
        assert engine.drafts.decided_marks(project) == {0: first.id, 1: PaperId("")}
        assert "1 of 2 accepted" in bench.shown()
        await bench.press("w")
        copy = draft.with_name("draft.cited.tex").read_text("utf-8")
        assert copy != TEX
        assert "[CITATION]" in copy
        assert draft.read_text("utf-8") == TEX
        await bench.press("x", "N", "a")
        assert engine.drafts.decided_marks(project) == {}
        assert dialog.is_attached


async def test_another_candidate_is_accepted_from_the_list_below(start: Start, draft: Path) -> None:
    engine = SmallEngine()
    async with start(engine, size=(120, 40)) as bench:
        dialog = await review(bench, draft)
        second = candidates_of(dialog, 0)[1].paper
        await bench.press("j", "a")
        assert engine.drafts.decided_marks(engine.drafts.read(draft)) == {0: second.id}
        await bench.press("escape")
        assert not bench.context.dialogs


async def test_every_mark_begins_at_its_first_candidate(start: Start, draft: Path) -> None:
    async with start(size=(80, 24)) as bench:
        dialog = await review(bench, draft)
        reviewed = dialog._review
        assert reviewed is not None
        first, second = reviewed.answers
        assert second.attribution is not None
        # What is the best for one mark is the last for the other.
        turned = replace(second.attribution, candidates=second.attribution.candidates[::-1])
        dialog.show(replace(reviewed, answers=(first, replace(second, attribution=turned))), {}, 0)
        await bench.press("n")
        assert (dialog.at, dialog.below.cursor, dialog.below.scroll_offset.y) == (1, 0, 0)
        await bench.press("j", "N")
        assert (dialog.at, dialog.below.cursor, dialog.below.scroll_offset.y) == (0, 0, 0)
        await bench.press("j", "tab", "tab")
        assert (dialog.at, dialog.below.cursor) == (0, 0)


async def test_a_candidate_is_read_and_c_comes_back_to_the_mark(start: Start, draft: Path) -> None:
    engine = SmallEngine()
    async with start(engine, size=(120, 40)) as bench:
        best = candidates_of(await review(bench, draft), 1)[0].paper
        await bench.press("n", "enter")
        assert bench.context.reader.state.paper == best
        await bench.press("C")
        dialog = bench.context.dialogs[-1]
        assert isinstance(dialog, DraftReview)
        assert dialog.at == 1


async def test_esc_in_a_paper_of_a_candidate_comes_back_to_its_mark_once(start: Start, draft: Path) -> None:
    async with start(size=(120, 40)) as bench:
        await review(bench, draft)
        await bench.press("n", "enter")
        assert bench.context.focus == "reader"
        await bench.press("escape")
        dialog = bench.context.dialogs[-1]
        assert isinstance(dialog, DraftReview)
        assert dialog.at == 1
        await bench.press("escape", "3", "escape")
        assert not bench.context.dialogs
        assert bench.context.focus == "results"


async def test_a_changed_draft_is_read_again(start: Start, draft: Path) -> None:
    async with start(size=(120, 40)) as bench:
        await review(bench, draft)
        await bench.press("escape")
        draft.write_text(TEX + "\nOne more [?].\n", "utf-8")
        await bench.press("C")
        assert "of 3 accepted" in bench.shown()


async def test_tab_shows_what_the_cited_papers_say(start: Start, draft: Path) -> None:
    async with start(size=(120, 40)) as bench:
        await review(bench, draft)
        await bench.press("tab")
        shown = bench.shown()
        assert "1 cited" in shown
        assert "held" in shown
        assert "Structured Pruning Learns" in shown
        await bench.press("tab")
        assert "0 of 2 accepted" in bench.shown()


async def test_a_draft_that_cites_nothing_says_so(start: Start, draft: Path) -> None:
    draft.write_text("Structured pruning learns compact models [CITATION].\n", "utf-8")
    async with start(size=(80, 24)) as bench:
        await review(bench, draft)
        await bench.press("tab")
        assert "No citations to check: the draft has no \\cite yet" in bench.shown()


async def test_b_checks_the_bibliography_of_the_draft_and_a_record_comes_back_to_it(start: Start, draft: Path) -> None:
    wrong = BIB.replace("Xia, M.", "Xia, Mengzhou and Nemo, Ned and Chen, Danqi")
    draft.with_name("refs.bib").write_text(wrong, "utf-8")
    async with start(size=(120, 40)) as bench:
        under = await review(bench, draft)
        await bench.press("b")
        dialog = bench.context.dialogs[-1]
        assert isinstance(dialog, CheckedBibliography)
        await bench.until(lambda: bool(dialog.entries))
        assert "wrong field" in bench.shown() and "Ned Nemo" in bench.shown()
        await bench.press("escape")
        assert bench.context.dialogs == [under]
        await bench.press("tab")
        assert "b check bibliography" in bench.shown()
        await bench.press("b", "enter")
        assert not bench.context.dialogs
        paper = bench.context.reader.state.paper
        assert paper is not None and paper.id == PRUNING.id
        await bench.press("escape")
        assert isinstance(bench.context.dialogs[-1], DraftReview)


async def test_the_help_of_a_draft_names_the_keys_its_last_line_has_no_room_for(start: Start, draft: Path) -> None:
    async with start(size=(80, 24)) as bench:
        await review(bench, draft)
        await bench.press("f1")
        assert "fill in the draft itself" in bench.shown()
        assert "check its bibliography" in bench.shown()
        await bench.press("escape")
        assert "mark 1 of 1" in bench.shown() or "mark 1 of 2" in bench.shown()


async def test_ctrl_o_searches_elsewhere_for_what_the_library_lacks(start: Start, draft: Path) -> None:
    async with start(size=(120, 40)) as bench:
        queries: list[str] = []
        bench.controllers.online.ask = queries.append
        await review(bench, draft)
        await bench.press("ctrl+o")
        (query,) = queries
        assert {"pruning", "removes", "weights"} <= set(query.split())


async def test_a_mark_without_words_around_it_is_not_searched_for(start: Start, draft: Path) -> None:
    draft.write_text("[CITATION].\n", "utf-8")
    async with start(size=(120, 40)) as bench:
        queries: list[str] = []
        bench.controllers.online.ask = queries.append
        await review(bench, draft)
        await bench.press("ctrl+o")
        assert queries == []
        assert any("no word around this mark" in said for said in bench.said)


async def test_what_is_no_file_is_told_and_the_last_draft_is_offered(start: Start, draft: Path) -> None:
    engine = SmallEngine()
    async with start(engine, size=(120, 40)) as bench:
        await bench.press("escape", "C")
        bench.field("lookup").set_text("draft /none.tex")
        await bench.press("enter")
        assert any("no such file" in said for said in bench.said)
        await bench.press("escape")
    engine.drafts.decisions.set(draft, engine.drafts.read(draft).marks, 0, engine.papers[0].id)
    async with start(engine, size=(120, 40)) as bench:
        await bench.press("escape", "C")
        assert bench.field("lookup").text == f"draft {draft}"


MANY = "\n\n".join(
    f"Paragraph {number} says a few words about many things, as paragraphs do, and goes on for a line or two of text "
    f"before it cites somebody for pruned models {{}}."
    for number in range(1, 31)
)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
async def test_the_current_mark_is_always_on_the_screen(start: Start, draft: Path, size: tuple[int, int]) -> None:
    draft.write_text(MANY.replace("{}", "[CITATION]"), "utf-8")
    async with start(size=size) as bench:
        dialog = await review(bench, draft)
        for number in range(1, 31):
            assert dialog.at == number - 1
            shown = bench.shown()
            assert f"mark {number} of 30" in shown
            assert any("▌" in row and "[CITATION]" in row for row in shown.splitlines()), shown
            assert f"Paragraph {number} says" in shown
            await bench.press("a" if number % 2 else "n")
        assert "15 of 30 accepted" in bench.shown()
        await bench.press("N", "N")
        assert "mark 28 of 30" in bench.shown()


async def test_what_is_written_names_its_new_bibliography(start: Start, draft: Path) -> None:
    draft.write_text(TEX + "\\bibliography{refs}\n", "utf-8")
    async with start(size=(120, 40)) as bench:
        await review(bench, draft)
        await bench.press("j", "a", "j", "a", "w")
        assert "\\bibliography{refs,draft.cited}" in draft.with_name("draft.cited.tex").read_text("utf-8")
        assert draft.with_name("draft.cited.bib").is_file()


async def test_the_draft_itself_is_filled_in_after_a_question(start: Start, draft: Path) -> None:
    draft.write_text(TEX + "\\bibliography{refs}\n", "utf-8")
    async with start(size=(120, 40)) as bench:
        second = candidates_of(await review(bench, draft), 0)[1].paper
        await bench.press("j", "a", "W")
        assert "refs.bib" in bench.shown()
        assert draft.read_text("utf-8").startswith("Pruning removes weights \\cite{}")
        await bench.press("enter")
        assert not draft.read_text("utf-8").startswith("Pruning removes weights \\cite{}")
        assert second.title in draft.with_name("refs.bib").read_text("utf-8")
        assert not draft.with_name("draft.cited.tex").exists()


async def test_a_mark_in_a_file_that_the_draft_takes_in_is_shown_in_that_file(start: Start, draft: Path) -> None:
    draft.write_text(TEX + "\\input{more}\n", "utf-8")
    draft.with_name("more.tex").write_text("Sparse models run on a phone [?].\n", "utf-8")
    engine = SmallEngine()
    async with start(engine, size=(120, 40)) as bench:
        dialog = await review(bench, draft)
        assert "draft.tex:1:25" in bench.shown() and "run on a phone" not in bench.shown()
        await bench.press("n", "n")
        assert dialog.at == 2
        assert "more.tex:1:30" in bench.shown() and "run on a phone" in bench.shown()
        await bench.press("a", "w")
        assert r"\cite{" in draft.with_name("more.cited.tex").read_text("utf-8")
        assert r"\input{more.cited.tex}" in draft.with_name("draft.cited.tex").read_text("utf-8")
        await bench.press("N")
        assert "draft.tex:3:42" in bench.shown() and "run on a phone" not in bench.shown()
