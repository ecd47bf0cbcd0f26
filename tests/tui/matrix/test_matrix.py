"""The matrix in the workbench: begun over a selection, filled as cells arrive, decided on, left and found again."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from tui.engines import PRUNING, SHEARED, SmallEngine
from tui.harness import Bench, Start

from litterm.core.tasks import Task
from litterm.interfaces import EvidenceExtractor
from litterm.model.annotations import Session
from litterm.model.document import Document
from litterm.model.events import Progress
from litterm.model.evidence import Evidence, EvidenceScope
from litterm.model.matrix import MatrixCell, MatrixRow
from litterm.tui.dialogs.llm_consent import LlmConsentDialog
from litterm.tui.dialogs.message import MessageDialog
from litterm.tui.matrix.cell_actions import _explanation, _run_words
from litterm.tui.matrix.cell_lines import cell_lines
from litterm.tui.matrix.rows import cell_signs, legend
from litterm.tui.widgets.glyphs import ASCII, UNICODE

FAST = "pruned model speed"


@dataclass(frozen=True)
class HeldExtractor:
    """An extractor that waits for `gate` before it looks for evidence on `hypothesis`."""

    extractor: EvidenceExtractor
    hypothesis: str
    gate: threading.Event

    @property
    def name(self) -> str:
        return self.extractor.name

    def extract(
        self, document: Document, hypothesis: str, *, k: int, scope: EvidenceScope, everything: bool = False
    ) -> Task[Evidence]:
        while hypothesis == self.hypothesis and not self.gate.wait(0.01):
            yield Progress("waiting", 1, 2)
        return (yield from self.extractor.extract(document, hypothesis, k=k, scope=scope, everything=everything))


async def begun(bench: Bench, *hypotheses: str) -> None:
    """A matrix over the first three results."""
    await bench.search("pruning")
    await bench.press("v", "j", "j", "v", "E")
    bench.field("asked").set_text("\n".join(hypotheses or (FAST,)))
    await bench.press("enter")
    assert bench.context.focus == "matrix"


async def test_e_over_a_selection_fills_a_row_for_every_paper(start: Start) -> None:
    async with start(size=(140, 40)) as bench:
        await begun(bench, FAST, "zebras sleep")
        matrix = bench.context.matrix.state.matrix
        assert matrix is not None
        assert (len(matrix.rows), matrix.computed_count, matrix.cell_count) == (3, 6, 6)
        assert "H1 pruned model speed" in bench.shown()
        assert "H2 zebras sleep" in bench.shown()
        assert "all 6 cells computed" in bench.shown()
        assert any("Matrix done" in told for told in bench.said)


async def test_all_hypotheses_stand_side_by_side_and_the_lower_half_follows_the_cursor(start: Start) -> None:
    for size in ((120, 40), (80, 24)):
        async with start(size=size) as bench:
            await begun(bench, FAST, "zebras sleep", "small model", "tables of numbers", "pruning heads")
            pane = bench.context.matrix
            assert all(f"H{number}" in bench.shown() for number in range(1, 6))
            pane.go(next(at for at, row in enumerate(pane.shown) if row.paper_id == PRUNING.id))
            await bench.settle()
            cell, row = pane.cell, pane.current
            assert cell is not None and row is not None and cell.quotes
            lower = bench.shown().partition("H1 pruned model speed")[2]
            assert cell.closest_quote.text.split()[0] in lower
            signs = "".join(text for text, _ in cell_signs(row, 0, UNICODE))
            assert str(len(cell.quotes)) in signs
            await bench.press("l")
            assert "H2 zebras sleep" in bench.shown() and "H1 pruned model speed" not in bench.shown()


async def test_a_sentence_accepted_in_the_paper_is_marked_in_its_cell_and_in_the_report(
    start: Start, tmp_path: Path
) -> None:
    async with start(size=(140, 40)) as bench:
        await begun(bench)
        pane = bench.context.matrix
        pane.go(next(at for at, row in enumerate(pane.shown) if row.paper_id == PRUNING.id))
        for key in ("enter", "a", "escape"):
            await bench.press(key)
        assert bench.context.focus == "matrix" and pane.current is not None
        assert f" {UNICODE.accepted}1" in "".join(text for text, _ in cell_signs(pane.current, 0, UNICODE))
        assert "1 sentence accepted" in bench.shown()
        await bench.press("w")
        bench.field("asked").set_text(str(tmp_path / "m.html"))
        await bench.press("enter")
        report = (tmp_path / "m.html").read_text("utf-8")
        assert report.count('<b class="decided">') == 2, "in the grid and at the sentence"
        await bench.press("u")
        assert "1 sentence accepted" not in bench.shown()


def test_what_differs_in_meaning_differs_in_its_sign() -> None:
    for glyphs in (UNICODE, ASCII):
        signs = [sign for sign, _ in legend(glyphs)]
        assert len(signs) == len(set(signs)) and all(len(sign) == 1 for sign in signs)


async def test_cells_show_as_they_arrive_and_a_run_can_be_stopped_and_gone_on_with(start: Start) -> None:
    engine = SmallEngine()
    gate = threading.Event()
    engine.parts.extractor = HeldExtractor(engine.parts.extractor, "zebras sleep", gate)  # type: ignore[assignment]
    async with start(engine, size=(140, 40)) as bench:
        await bench.search("pruning")
        await bench.press("v", "j", "j", "v", "E")
        bench.field("asked").set_text(f"{FAST}\nzebras sleep")
        await bench.tap("enter")
        while not (matrix := bench.context.matrix.state.matrix) or not matrix.computed_count:
            await asyncio.sleep(0.005)
        await bench._hops()
        assert "filling the matrix" in bench.shown()
        assert "ctrl+c stops" in bench.shown()
        await bench.press("ctrl+c")
        assert matrix.computed_count < matrix.cell_count
        gate.set()
        await bench.press(".")
        assert bench.context.matrix.state.matrix is not None
        assert bench.context.matrix.state.matrix.computed_count == 6


async def test_enter_opens_the_paper_at_the_sentence_with_its_evidence(start: Start) -> None:
    async with start() as bench:
        await begun(bench)
        at = next(at for at, row in enumerate(bench.context.matrix.shown) if row.paper_id == PRUNING.id)
        bench.context.matrix.go(at)
        best = bench.context.matrix.cell
        assert best is not None
        await bench.press("enter")
        assert bench.context.focus == "reader"
        assert bench.context.reader.state.paper.id == PRUNING.id
        assert bench.context.reader.cursor == best.quotes[0].index
        assert bench.context.evidence.state.hypothesis == FAST


async def test_i_names_the_method_and_the_day_of_a_cell_in_words(start: Start) -> None:
    async with start(size=(140, 40)) as bench:
        await begun(bench)
        cell = bench.context.matrix.cell
        assert cell is not None
        for by, words in (("linear", "By litterm offline, from the"), ("tiny-1", "By tiny-1, from the")):
            told = " ".join(_explanation(replace(cell, by=by, at="2026-11-26T04:55:48Z"), FAST))
            assert words in told
            assert "26 Nov 2026, 04:55" in told


async def test_i_tells_the_run_of_a_cell_by_day_and_method_in_words(start: Start) -> None:
    async with start(size=(140, 40)) as bench:
        await begun(bench)
        matrix = bench.context.matrix.state.matrix
        assert matrix is not None
        words = _run_words(replace(matrix.runs[0], at="2026-11-26T04:55:48Z", by=("linear",)))
        assert words.startswith("26 Nov 2026, 04:55 ") and "litterm offline" in words and "linear" not in words


def test_a_cell_without_evidence_does_not_say_twice_that_it_is_of_an_abstract() -> None:
    caveat = "No full text: limited evidence."
    cell = MatrixCell(PRUNING.id, FAST, "abstract", "linear", empty="abstract only", why=f"{caveat} No shared word.")
    row = MatrixRow(PRUNING.id, PRUNING, (cell,), (None,))
    drawn = cell_lines(row, 0, FAST, (80, 12), UNICODE)
    assert len(drawn) == 12
    text = " ".join("".join(piece for piece, _ in each) for each in drawn)
    assert "no evidence in the abstract" in text and "No shared word." in text
    assert caveat not in text


async def test_a_and_x_decide_on_cells_and_undo_takes_it_back(start: Start) -> None:
    async with start() as bench:
        await begun(bench)
        pane = bench.context.matrix
        await bench.press("a")
        assert [row.decisions for row in pane.shown] == [("accepted",), (None,), (None,)]
        await bench.press("a")
        assert [row.decisions for row in pane.shown] == [(None,)] * 3
        await bench.press("*", "x")
        assert [row.decisions for row in pane.shown] == [("rejected",)] * 3
        await bench.press("u")
        assert [row.decisions for row in pane.shown] == [(None,)] * 3


async def test_plus_adds_a_column_and_fills_it(start: Start) -> None:
    async with start(size=(140, 40)) as bench:
        await begun(bench)
        await bench.press("+")
        bench.field("asked").set_text("small model")
        await bench.press("enter")
        matrix = bench.context.matrix.state.matrix
        assert matrix is not None
        assert (matrix.request.hypotheses, matrix.computed_count) == ((FAST, "small model"), 6)
        assert bench.context.matrix.column == 1
        await bench.press("h")
        assert bench.context.matrix.column == 0


async def test_w_writes_the_form_the_ending_tells(start: Start, tmp_path: Path) -> None:
    async with start() as bench:
        await begun(bench)
        for name, first in (("m.html", "<!DOCTYPE"), ("m.csv", "\ufeffpaper"), ("m.md", "# Evidence"), ("m.json", "{")):
            await bench.press("w")
            bench.field("asked").set_text(str(tmp_path / name))
            await bench.press("enter")
            assert (tmp_path / name).read_text("utf-8").startswith(first)


async def test_back_leaves_it_and_e_lists_it_again(start: Start) -> None:
    async with start() as bench:
        await begun(bench)
        await bench.press("escape")
        assert bench.context.focus == "results"
        await bench.press("escape", "E")
        assert FAST in bench.shown()
        await bench.press("j", "enter")
        assert bench.context.focus == "matrix"


async def test_back_from_the_paper_of_a_cell_is_that_cell_with_the_selection_kept(start: Start) -> None:
    async with start() as bench:
        await begun(bench)
        chosen = bench.context.results.state.chosen
        await bench.press("j", "enter")
        assert bench.context.focus == "reader"
        await bench.press("4", "escape", "escape")
        assert bench.context.focus == "matrix"
        assert bench.context.matrix.cursor == 1
        assert bench.context.results.state.chosen == chosen
        await bench.press("escape", "3", "escape")
        assert bench.context.focus == "results", "a paper is left for its cell once"


async def test_a_restart_brings_the_matrix_back_and_goes_on_with_it(start: Start) -> None:
    engine = SmallEngine()
    made = engine.matrices.begin([PRUNING.id, SHEARED.id], [FAST])
    engine.annotations.save_session(Session(query="pruning", matrix=made.id))
    async with start(engine) as bench:
        assert bench.context.focus == "matrix"
        assert bench.context.matrix.state.matrix is not None
        assert bench.context.matrix.state.matrix.computed_count == 2
        bench.controllers.session.save()
        assert engine.annotations.session().matrix == made.id


async def test_it_is_drawn_at_every_size_and_in_ascii(start: Start) -> None:
    for size in ((200, 60), (80, 24), (20, 5), (1, 1)):
        async with start(size=size, glyphs=ASCII) as bench:
            engine = bench.engine
            made = engine.matrices.begin([paper.id for paper in engine.papers[:6]], [FAST, "b c", "c d", "d e"])
            bench.controllers.matrix.show(made)
            await bench.settle()
            await bench.press("j", "l", "l", "l", "G")
            assert bench.context.matrix.column == 3


async def test_find_narrows_the_rows_and_escape_shows_all(start: Start) -> None:
    async with start() as bench:
        await begun(bench)
        before = len(bench.context.matrix.shown)
        await bench.press("/", *"no such words", "enter")
        assert len(bench.context.matrix.shown) == 0
        await bench.press("escape")
        assert len(bench.context.matrix.shown) == before


async def test_with_a_model_the_estimate_comes_first_and_a_matrix_of_its_own_is_filled(start: Start) -> None:
    async with start(size=(140, 40)) as bench:
        await begun(bench)
        before = bench.context.matrix.state.key
        await bench.press("M")
        opened = bench.context.dialogs[-1]
        assert isinstance(opened, LlmConsentDialog)
        assert "parrot" in opened.paragraphs[1]
        await bench.press("enter")
        matrix = bench.context.matrix.state.matrix
        assert matrix is not None
        assert matrix.id != before
        assert matrix.computed_count == matrix.cell_count == 3
        stances = {quote.stance for row in matrix.rows for cell in row.cells if cell for quote in cell.quotes}
        assert stances == {"refutes"}
        assert bench.engine.evidence_model.requests


async def test_staying_local_or_a_dry_run_leaves_no_matrix_behind(start: Start) -> None:
    async with start(size=(140, 40)) as bench:
        await begun(bench)
        before = bench.context.matrix.state.key
        await bench.press("M")
        await bench.press("escape")
        assert [each.id for each in bench.engine.matrices.all()] == [before]
        await bench.press("M")
        await bench.press("d")
        opened = bench.context.dialogs[-1]
        assert isinstance(opened, MessageDialog)
        assert "nothing was sent" in opened._paragraphs[0]
        assert [each.id for each in bench.engine.matrices.all()] == [before]
        assert bench.context.matrix.state.key == before
        assert bench.engine.evidence_model.requests == []
