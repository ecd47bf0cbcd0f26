"""The aspects strip and the coverage matrix."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scripted_aspects import graded
from tui.harness import Bench, Start

from litterm.core.errors import ModelFailed
from litterm.model.llm import ModelRequest
from litterm.tui.dialogs.choose import ChoiceDialog
from litterm.tui.dialogs.llm_consent import LlmConsentDialog
from litterm.tui.dialogs.message import MessageDialog
from litterm.tui.search.results_pane import ORDER_WORDS
from litterm.tui.widgets.glyphs import ASCII

# "sparse" and "pruning" are in many papers; of an even and of an odd number of letters, so that they pull apart.
TYPED = "pruning || sparse"


async def strip(bench: Bench, typed: str = TYPED) -> None:
    """A query with aspects, the cursor on the first."""
    await bench.search(typed)
    await bench.press("shift+tab")
    assert bench.context.focus == "aspects"


def titles(bench: Bench) -> list[str]:
    return [row.paper.id for row in bench.context.results.state.rows]


def aspects(bench: Bench) -> list[str]:
    return [
        f"{each.text}{'!' if each.muted else ''}{'' if each.weight == 1 else each.weight}"
        for each in bench.context.aspects.state.query.aspects
    ]


def told(bench: Bench) -> str:
    dialog = bench.context.dialogs[-1]
    assert isinstance(dialog, MessageDialog)
    return "\n".join(dialog._paragraphs)


async def edit(bench: Bench, text: str) -> None:
    bench.field("asked").set_text(text)
    await bench.press("enter")


async def test_a_query_of_several_aspects_gets_a_strip_and_a_matrix_and_keeps_its_order(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.search("pruning sparse")
        assert not bench.context.aspects.state.shown
        before = titles(bench)
        await bench.search(TYPED)
        shown = bench.shown()
        assert "⟨1 pruning ✓⟩ ⟨2 sparse ✓⟩" in shown
        assert "split at ||" in shown
        assert any(mark in shown for mark in "●◐○")
        assert "1 2 " in shown
        assert titles(bench) == before
        assert bench.engine.graders.scored == [("pruning", len(before)), ("sparse", len(before))]


@pytest.mark.parametrize(("size", "there"), [((120, 40), True), ((80, 24), False)])
async def test_the_marks_are_explained_where_there_is_a_frame(start: Start, size: tuple[int, int], there: bool) -> None:
    async with start(size=size) as bench:
        await bench.search(TYPED)
        assert ("● met   ◐ in part   ○ not met   · muted   ? no clear grade" in bench.shown()) == there


async def test_a_long_query_is_split_and_can_be_read_as_one_again(start: Start) -> None:
    one, other = "we prune sparse language models on number study", "study number on pruning"
    long = f"{' '.join([one] * 3).capitalize()}. {' '.join([other] * 3).capitalize()}."
    async with start(size=(120, 40)) as bench:
        await bench.search(long)
        assert len(aspects(bench)) == 2
        await bench.press(":", *"aspects", "enter")
        assert not bench.context.aspects.state.shown
        await bench.search(long)
        assert not bench.context.aspects.state.shown, "what the user decided about a query holds"
        await bench.press(":", *"aspects", "enter")
        assert len(aspects(bench)) == 2


async def test_muting_reorders_at_once_and_scores_nothing_again(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await strip(bench)
        asked, before = list(bench.engine.graders.scored), titles(bench)
        await bench.press("space")
        muted = titles(bench)
        assert aspects(bench) == ["pruning!", "sparse"]
        assert bench.context.results.state.sort == "aspects"
        assert muted == sorted(before), "by the second aspect alone"
        assert "by aspects" in bench.shown()
        await bench.press("l", "space", "h", "space")
        assert titles(bench) == sorted(before, reverse=True), "by the first aspect alone"
        assert bench.engine.graders.scored == asked


async def test_a_query_without_aspects_is_not_said_to_be_sorted_by_them(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await strip(bench)
        await bench.press("space")
        await bench.search("pruning")
        assert bench.context.results.state.rows
        assert "by aspects" not in bench.shown()


async def test_a_filter_that_no_row_passes_is_not_an_empty_search(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.search("pruning")
        await bench.press("2", "/", *"zebra")
        assert "None of these rows holds “zebra”." in bench.shown()
        assert "Nothing for" not in bench.shown()


async def test_the_whole_order_comes_back_with_the_sort(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await strip(bench)
        before = titles(bench)
        await bench.press("space", "2")
        assert titles(bench) != before
        assert bench.context.results.state.sort == "aspects"
        await bench.press("S")
        dialog = bench.context.dialogs[-1]
        assert isinstance(dialog, ChoiceDialog)
        assert [choice.label for choice in dialog.choices._choices] == list(ORDER_WORDS.values())
        await bench.press("g", "enter")
        assert bench.context.results.state.sort == "relevance"
        assert titles(bench) == before


async def test_editing_an_aspect_scores_that_one_only_and_a_weight_none(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await strip(bench)
        bench.engine.graders.scored.clear()
        await bench.press("l", "enter")
        await edit(bench, "sparse models\nmodels that are sparse")
        assert aspects(bench) == ["pruning", "sparse models"]
        assert bench.context.aspects.state.query.aspects[1].sub_aspects == ("models that are sparse",)
        assert [text for text, _ in bench.engine.graders.scored] == ["sparse models"]
        bench.engine.graders.scored.clear()
        await bench.press("enter")
        assert bench.field("asked").text == "sparse models\nmodels that are sparse"
        await edit(bench, "sparse models *3")
        assert aspects(bench) == ["pruning", "sparse models3.0"]
        assert bench.engine.graders.scored == []
        assert bench.context.results.state.sort == "aspects"


async def test_aspects_are_added_merged_taken_away_and_all_that_undone(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await strip(bench)
        await bench.press("+")
        await edit(bench, "small devices")
        assert aspects(bench) == ["pruning", "sparse", "small devices"]
        assert bench.context.aspects.cursor == 2
        await bench.press("&")
        assert aspects(bench) == ["pruning", "sparse; small devices"]
        assert bench.context.aspects.state.query.aspects[1].sub_aspects == ("sparse", "small devices")
        await bench.press("x")
        assert aspects(bench) == ["pruning"]
        await bench.press("u", "u")
        assert aspects(bench) == ["pruning", "sparse", "small devices"]
        await bench.press("U")
        assert aspects(bench) == ["pruning", "sparse; small devices"]


@pytest.mark.parametrize("text", ["sparse", "***"])
async def test_an_aspect_that_is_there_or_says_nothing_is_not_added(start: Start, text: str) -> None:
    async with start() as bench:
        await strip(bench)
        await bench.press("+")
        await edit(bench, text)
        assert aspects(bench) == ["pruning", "sparse"]
        assert bench.said


async def test_another_query_has_other_aspects_and_the_first_one_its_edited_ones(start: Start) -> None:
    async with start() as bench:
        await strip(bench)
        await bench.press("space")
        await bench.search("pruning || models")
        assert aspects(bench) == ["pruning", "models"]
        await bench.search("pruning")
        assert not bench.context.aspects.state.shown
        assert bench.context.results.state.sort == "aspects"
        await bench.search(TYPED)
        assert aspects(bench) == ["pruning!", "sparse"]


async def test_the_strip_is_walked_and_left_by_the_usual_keys(start: Start) -> None:
    async with start() as bench:
        await strip(bench)
        await bench.press("G")
        assert bench.context.aspects.cursor == 1
        await bench.press("l", "j")
        assert bench.context.focus == "results"
        await bench.press("h")
        assert bench.context.focus == "aspects"
        await bench.press("k")
        assert bench.context.focus == "query"
        await bench.press("tab")
        assert bench.context.focus == "aspects"
        await bench.press("escape")
        assert bench.context.focus == "query"


async def test_why_tells_of_the_aspect_and_in_the_results_of_every_cell(start: Start) -> None:
    async with start() as bench:
        await strip(bench)
        await bench.press("i")
        assert "100% is the paper of the library that fits it best" in told(bench)
        await bench.press("escape", "2", "i")
        assert "Aspect 2, sparse:" in told(bench)
        assert "of the best in the library" in told(bench)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (40, 12)])
async def test_strip_and_matrix_fit_every_size(start: Start, size: tuple[int, int]) -> None:
    words = "pruning study number sparse language models we prune on number study".split()
    typed = " || ".join(" ".join(words[: at + 1] + ["pruning"] * 5) for at in range(9) if at != 7)
    async with start(size=size) as bench:
        await strip(bench, typed)
        assert len(aspects(bench)) >= 6
        pane = bench.context.aspects
        assert pane.region.height >= 1
        for at in range(len(aspects(bench))):
            assert pane.cursor == at
            line = pane.cursor_line - pane.scroll_offset.y
            assert 0 <= line < pane.size.height, "the chip under the cursor is on the screen"
            await bench.press("l")
        assert all(len(row) <= size[0] for row in bench.shown().splitlines())


async def test_in_ascii_the_marks_are_ascii(start: Start) -> None:
    async with start(glyphs=ASCII, size=(120, 40)) as bench:
        await strip(bench)
        assert "<1 pruning +>" in bench.shown()
        assert bench.shown().isascii()


async def test_beside_the_reader_the_marks_have_a_line_of_their_own(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await strip(bench)
        await bench.press("2", "enter", "2")
        rows = [line for line in bench.shown().splitlines() if "%" in line and any(mark in line for mark in "●◐○")]
        assert rows


async def test_candidates_for_a_citation_have_no_columns_of_the_query(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await strip(bench)
        await bench.press("2")
        assert bench.context.results._row_cache.drawing.cover.columns == 2
        bench.controllers.attribution.open("Pruning works [CITATION].")
        await bench.settle()
        await bench.press("enter")
        await bench.settle()
        assert bench.context.results.state.source == "cite"
        assert bench.context.results._row_cache.drawing.cover.columns == 0


# -- with a model ------------------------------------------------------------------------------------------------------


async def test_the_model_grades_what_is_shown_after_its_estimate(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await strip(bench)
        before = titles(bench)
        await bench.press("M")
        dialog = bench.context.dialogs[-1]
        assert isinstance(dialog, LlmConsentDialog)
        assert "parrot" in " ".join(dialog.paragraphs)
        assert bench.engine.graders.model.requests == []
        for _ in range(3):
            await bench.press("n")
        assert "first 10" in dialog.options[1].current
        await bench.press("enter")
        assert len(bench.engine.graders.model.requests) == 10
        state = bench.context.aspects.state
        assert state.scores.graded_by == "parrot"
        assert "2.00" in bench.shown()
        assert titles(bench) == before
        await bench.press("2", "i")
        assert "It says so." in told(bench)


async def test_d_shows_the_requests_and_s_asks_for_aspects_instead(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await strip(bench)
        await bench.press("M")
        await bench.press("d")
        assert "nothing was sent" in told(bench)
        assert bench.engine.graders.model.requests == []
        await bench.press("escape")
        await bench.press("M")
        await bench.press("s")
        await bench.press("d")
        requests = told(bench)
        assert "nothing was sent" in requests
        # The request that splits the query has no paper in it.
        assert bench.context.results.shown[0].paper.abstract[:20] not in requests
        await bench.press("escape")
        await bench.press("M")
        await bench.press("enter")
        assert aspects(bench) == ["One thing.", "Another thing."]
        assert "split by parrot" in bench.shown()


async def test_a_reply_nobody_can_read_is_a_question_mark_and_the_dot_asks_again(start: Start) -> None:
    ill = [True]

    def say(request: ModelRequest) -> str:
        return "I cannot say." if ill[0] else graded(request)

    async with start(size=(120, 40)) as bench:
        bench.engine.graders.model.reply = say
        await strip(bench)
        await bench.press("M")
        await bench.press("enter")
        first = bench.context.results.state.rows[0]
        cell = bench.context.aspects.state.scores.cell("pruning", first.paper.id)
        assert (cell.grade, cell.score is not None) == ("?", True)
        assert any("?" in text for text in bench.said)
        ill[0] = False
        await bench.press(".")
        assert bench.context.aspects.state.scores.cell("pruning", first.paper.id).grade == 2


async def test_a_model_that_is_ill_leaves_the_scores_and_says_so(start: Start) -> None:
    def say(request: ModelRequest) -> str:
        raise ModelFailed("The server is ill.")

    async with start(size=(120, 40)) as bench:
        bench.engine.graders.model.reply = say
        await strip(bench)
        await bench.press("M")
        await bench.press("enter")
        assert any("The server is ill." in text for text in bench.said)
        first = bench.context.results.state.rows[0]
        assert bench.context.aspects.state.scores.cell("pruning", first.paper.id).grade is None


async def test_in_the_order_of_aspects_too_starter_papers_come_after_ones_own(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await strip(bench)
        aspecting, first = bench.controllers.aspects, titles(bench)
        aspecting._library_rows = tuple(
            replace(row, library_name="own" if at % 2 else "starter") for at, row in enumerate(aspecting._library_rows)
        )
        await bench.press("space", "2")
        rows = bench.context.results.shown
        assert titles(bench) != first
        assert any(row.library_name == "starter" for row in rows)
        assert [row.library_name for row in rows] == sorted(row.library_name for row in rows)
        assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
