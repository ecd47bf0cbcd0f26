"""What a key may not wait for: rows nobody sees, the library, styling that changes nothing."""

from __future__ import annotations

import threading

import pytest
from tui.engines import OTHERS, PAPERS, PRUNING, SmallEngine
from tui.harness import Start

from litterm.model.annotations import PaperNotes, Session
from litterm.tui.aspects.state import CoverageMatrix
from litterm.tui.dialogs.choose import ChoiceRows, ListChoice
from litterm.tui.search import row_cache
from litterm.tui.search.result_rows import DrawnRow, score_percent, wrapped_height, wrapped_lines
from litterm.tui.search.row_cache import best_score, row_style
from litterm.tui.state import ResultRow
from litterm.tui.widgets.glyphs import UNICODE


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rank of each row that is drawn, as it is drawn."""
    ranks: list[int] = []
    draw = row_cache._draw_row

    def counted(shown: DrawnRow, drawing: row_cache.RowStyle) -> object:
        ranks.append(shown.row.rank)
        return draw(shown, drawing)

    monkeypatch.setattr(row_cache, "_draw_row", counted)
    return ranks


async def test_only_rows_on_the_screen_are_drawn_and_only_when_they_changed(start: Start, drawn: list[int]) -> None:
    async with start(size=(100, 16)) as bench:
        await bench.search("pruning")
        assert bench.context.results.count() > 20
        assert 0 < len(set(drawn)) < 16
        del drawn[:]
        await bench.press("s")
        assert set(drawn) == {1}
        await bench.press("enter")
        del drawn[:]
        await bench.press(">")
        assert len(drawn) <= 3


@pytest.mark.parametrize("width", [24, 40, 60])
def test_the_height_of_a_row_beside_the_reader_is_known_without_drawing_it(width: int) -> None:
    matched = (("pruning", 2),)
    rows = [ResultRow(at, paper, 1.0 / at, "bm25", matched=matched) for at, paper in enumerate(PAPERS, 1)]
    rows += [ResultRow(0, paper, None, "bm25", moved="cited by two") for paper in PAPERS]
    drawing = row_style(rows, width, UNICODE, beside=True, pinned=False, cover=CoverageMatrix())
    for row in rows:
        assert wrapped_height(row, drawing) == len(wrapped_lines(DrawnRow(row, PaperNotes()), drawing)), row.paper.title


def test_a_starter_paper_takes_nothing_from_the_score_of_ones_own() -> None:
    own, starter = ResultRow(1, PRUNING, 6.0, "bm25"), ResultRow(2, OTHERS[0], 8.0, "bm25", library_name="starter")
    rows = (own, starter)
    assert score_percent(own, best_score(rows, "own")) == 100
    assert score_percent(starter, best_score(rows, "starter")) == 100


class _Slow(SmallEngine):
    """Notes in which thread a paper is looked up."""

    threads: tuple[threading.Thread, ...] = ()

    def paper(self, key: str):  # type: ignore[no-untyped-def]
        self.threads += (threading.current_thread(),)
        return super().paper(key)


async def test_the_way_back_looks_papers_up_beside_the_screen(start: Start) -> None:
    engine = _Slow()
    async with start(engine) as bench:
        await bench.search("pruning")
        await bench.press("enter")
        here = bench.context.reader.state.paper
        await bench.press(">")
        there = bench.context.reader.state.paper
        engine.threads = ()
        await bench.press("b")
        assert bench.context.reader.state.paper == here != there
        await bench.press("B")
        assert bench.context.reader.state.paper == there
        assert engine.threads
        assert threading.main_thread() not in engine.threads


async def test_a_session_comes_back_with_the_filter_its_query_ends_in(start: Start) -> None:
    engine = SmallEngine()
    engine.annotations.save_session(Session(query="pruning venue:iclr", paper_id=PRUNING.id))
    async with start(engine) as bench:
        assert [chip.label for chip in bench.context.query.chip_line.chips] == ["venue:iclr"]
        assert [row.paper.venue for row in bench.context.results.shown] == ["ICLR"]
        assert bench.context.reader.state.paper.id == PRUNING.id


async def test_a_list_without_rows_and_one_not_yet_laid_out_are_moved_in_without_harm(start: Start) -> None:
    async with start() as bench:
        await bench.search("zzzz")
        await bench.press("2", "g", "G", "j", "k", "ctrl+d", "ctrl+u", "space", "*", "enter")
        assert bench.context.results.cursor == 0
        bench.context.focus_pane("query")
        bench.send("escape", "?", "down", "down", "z", "z", "z", "q", "down", "up")
        await bench.settle()
        choices = ChoiceRows([ListChoice("one"), ListChoice("two")], UNICODE)
        choices.go(1)
        assert choices.cursor == 1


async def test_home_and_quitting_keep_the_session_without_looking_the_paper_up(start: Start) -> None:
    engine = _Slow()
    async with start(engine) as bench:
        await bench.search("pruning")
        await bench.press("enter")
        engine.threads = ()
        bench.controllers.session.save()
        assert engine.threads == ()
        opened = bench.context.reader.state.paper
        assert opened is not None
        assert engine.annotations.session().paper_id == opened.id


async def test_a_change_of_focus_styles_the_frame_of_the_query_and_nothing_in_it(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.search("pruning")
        styled: list[object] = []
        apply = bench.app.stylesheet.apply

        def noted(node: object, **how: object) -> None:
            styled.append(node)
            apply(node, **how)  # type: ignore[arg-type]

        monkeypatch.setattr(bench.app.stylesheet, "apply", noted)
        frame = bench.context.query.styles.border_top
        await bench.press("1")
        assert bench.context.query.styles.border_top != frame
        assert bench.context.query.field not in styled
