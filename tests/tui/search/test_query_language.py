"""Operators, faults, spellings, browsing, history and facets, as one meets them in the workbench."""

from __future__ import annotations

import re

import pytest
from textual.geometry import Offset
from tui.engines import SmallEngine
from tui.harness import Bench, Start

from litterm.core.errors import LibraryServerError
from litterm.model.search import Facet
from litterm.text.plural import count_phrase
from litterm.text.queries.fields import FIELDS
from litterm.text.queries.parser import parse_query
from litterm.tui.dialogs.choose import ChoiceDialog
from litterm.tui.search.facet_dialog import facet_dialog
from litterm.tui.search.facet_line import distinguishing_facets, facet_line
from litterm.tui.widgets.glyphs import ASCII, UNICODE
from litterm.tui.widgets.styled_lines import line_text


async def typed(bench: Bench, text: str) -> None:
    """Text as it stands when the hand rests."""
    bench.context.focus_pane("query", typing=True)
    bench.context.query.field.set_text(text)
    bench.controllers.search.search_as_typed(text)
    await bench.settle()


def marked(bench: Bench) -> str:
    """What of the query is drawn as wrong."""
    line = bench.context.query.field.get_line(0)
    return "".join(line.plain[span.start : span.end] for span in line.spans)


@pytest.mark.parametrize(
    ("text", "at_fault"),
    [("pruning AND sheared) x", ")"), ("a AND AND b", "AND"), ("foo:bar x", "foo:"), ("pruning year:20x1 x", "20x1")],
)
async def test_what_is_wrong_is_marked_where_it_stands_while_typing(start: Start, text: str, at_fault: str) -> None:
    async with start() as bench:
        await typed(bench, text)
        assert marked(bench) == at_fault
        assert bench.app.focused is bench.context.query.field
        await typed(bench, "pruning ")
        assert (marked(bench), bench.context.query.state.fault) == ("", "")


async def test_a_missing_parenthesis_is_a_fault_once_enter_is_pressed(start: Start) -> None:
    async with start() as bench:
        await typed(bench, "pruning AND (sheared OR llama")
        assert marked(bench) == "("
        assert bench.context.query.state.fault == ""
        await bench.press("enter")
        assert marked(bench) == "("
        assert "a closing parenthesis is missing" in bench.shown()
        assert bench.app.focused is bench.context.query.field


@pytest.mark.parametrize(
    ("text", "part", "says"),
    [
        ("pruning AND (", "(", "( not closed yet"),
        ("pruning AND ", "AND", "AND needs a word after it"),
        ('pruning "sheared', '"', '" not closed yet'),
    ],
)
async def test_what_is_half_typed_is_marked_and_no_fault(start: Start, text: str, part: str, says: str) -> None:
    async with start(size=(120, 30)) as bench:
        await typed(bench, text)
        assert marked(bench) == part
        assert says in bench.shown()
        assert bench.context.query.state.fault == ""
        assert bench.context.results.state.rows
        await typed(bench, "pruning ")
        assert marked(bench) == ""
        assert says not in bench.shown()


@pytest.mark.parametrize(
    ("text", "at_fault"), [("is:liked", "liked"), ("in:included", "in:included"), ("has:no,x", "no,x")]
)
async def test_a_value_that_can_become_none_is_told_while_it_is_typed(start: Start, text: str, at_fault: str) -> None:
    async with start(size=(120, 30)) as bench:
        await typed(bench, text)
        assert marked(bench) == at_fault
        assert bench.context.query.state.fault


async def test_a_filter_being_typed_says_that_it_is_not_applied_yet(start: Start) -> None:
    async with start(size=(120, 30)) as bench:
        await typed(bench, "pruning is:star")
        assert "enter applies is:star" in bench.shown()
        assert bench.context.query.state.fault == ""
        await typed(bench, "pruning is:starred ")
        assert "enter applies" not in bench.shown()


async def test_chips_leave_their_room_to_the_text_and_are_there_in_command_mode(start: Start) -> None:
    query = "pruning of models venue:iclr year:2000.."
    async with start(size=(60, 24)) as bench:
        await bench.search(query)
        assert query in bench.shown()
        assert "⟨venue:iclr⟩" not in bench.shown()
        assert "result" in bench.shown().splitlines()[1]
        await bench.press("escape", "escape")
        assert bench.screen.focused is bench.context.query.chip_line
        assert "⟨venue:iclr⟩" in bench.shown()
    async with start(size=(120, 24)) as bench:
        await bench.search(query)
        assert "⟨venue:iclr⟩ ⟨year:2000..⟩" in bench.shown()


async def test_an_empty_query_browses_the_library(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("1", "ctrl+u")
        await bench.until(lambda: bench.context.query.state.text == "")
        bench.controllers.search.search_as_typed("")
        await bench.settle()
        assert len(bench.context.results.shown) == bench.context.query.state.result_count == len(bench.engine.papers)
        assert "last added first" in bench.shown()
        assert "Type what you look for" in bench.shown()
        await bench.press("enter")
        assert bench.context.focus == "results"


async def test_a_spelling_is_offered_though_something_was_found_and_ctrl_t_takes_it(start: Start) -> None:
    engine = SmallEngine(spellings={"pruning": "sheared"})
    async with start(engine) as bench:
        await bench.search("pruning")
        assert "Did you mean: sheared · ctrl+t uses it" in bench.shown()
        await bench.press("ctrl+t")
        assert bench.context.query.field.text == "sheared"
        assert "Did you mean" not in bench.shown()
        await bench.search("pruning")
        await bench.press("1", "ctrl+t")
        assert bench.context.query.field.text == "sheared"


async def test_a_click_takes_the_spelling_that_is_offered(start: Start) -> None:
    async with start(SmallEngine(spellings={"pruning": "sheared"})) as bench:
        await bench.search("pruning")
        row = next(at for at, line in enumerate(bench.shown().splitlines()) if "Did you mean" in line)
        await bench.pilot.click(offset=Offset(8, row))
        await bench.settle()
        assert bench.context.query.field.text == "sheared"


async def test_older_queries_are_brought_back_and_the_one_typed_too(start: Start) -> None:
    async with start() as bench:
        for query in ("pruning", "sheared", "attention"):
            await bench.search(query)
        await bench.press("1")
        bench.context.query.field.set_text("half a que")
        shown = []
        for key in ("up", "up", "up", "up", "down", "down", "down", "down"):
            await bench.press(key)
            shown.append(bench.context.query.field.text)
            if bench.context.focus != "query":
                break
        assert shown[:7] == ["attention", "sheared", "pruning", "pruning", "sheared", "attention", "half a que"]
        await bench.press("1", "ctrl+u", "up")
        assert bench.context.query.field.text == "attention"


async def faceted(bench: Bench, query: str = "pruning") -> None:
    await bench.search(query)
    await bench.until(lambda: bench.context.results.facets)
    await bench.settle()


async def test_tab_completes_the_venues_of_all_papers_found(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await faceted(bench)
        [venue, *_] = [facet for facet in bench.context.results.facets or () if facet.field == "venue"]
        meanings = {completion.text: completion.meaning for completion in bench.context.query.completions}
        assert meanings[f"venue:{venue.value}"] == count_phrase(venue.count, "paper")


async def test_facets_stand_above_the_results_and_p_puts_one_into_the_query(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await faceted(bench)
        assert " venue " in bench.shown()
        await bench.press("p")
        assert isinstance(bench.context.dialogs[-1], ChoiceDialog)
        chosen = (bench.context.results.facets or ())[0]
        await bench.press("enter")
        assert bench.context.query.field.text == f"pruning {chosen.field}:{chosen.value}"
        await bench.until(lambda: bench.context.results._faceted is bench.context.query.state.query)
        await bench.settle()
        await bench.press("p", "enter")
        assert bench.context.query.field.text == "pruning"


async def test_a_click_on_a_facet_adds_it_and_a_second_takes_it_away(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await faceted(bench)
        for expected in ("pruning venue:acl", "pruning"):
            lines = bench.shown().splitlines()
            row = next(at for at, line in enumerate(lines) if " venue " in line)
            await bench.pilot.click(offset=Offset(lines[row].index("acl ", lines[row].index("venue")), row))
            await bench.settle()
            assert bench.context.query.field.text == expected
            await bench.until(lambda: bench.context.results._faceted is bench.context.query.state.query)
            await bench.settle()


def first_row(bench: Bench) -> int:
    """The line of the screen on which the first paper begins."""
    title = bench.context.results.shown[0].paper.title[:20]
    return next(at for at, line in enumerate(bench.shown().splitlines()) if title in line)


async def test_rows_stay_in_place_whatever_is_counted_or_offered(start: Start) -> None:
    engine = SmallEngine(spellings={"pruning": "sheared"})
    async with start(engine, size=(120, 40)) as bench:
        places = set()
        for query in ("structured pruning learns", "pruning", "structured pruning"):
            await bench.search(query)
            places.add(first_row(bench))
            if len(bench.context.results.shown) > 1:
                await bench.until(lambda: bench.context.results._faceted is bench.context.query.state.query)
            await bench.settle()
            places.add(first_row(bench))
        bench.context.results.show_facets(())
        await bench.settle()
        places.add(first_row(bench))
        assert len(places) == 1


async def test_a_spelling_and_the_facets_share_a_line_and_each_is_clicked_where_it_stands(start: Start) -> None:
    engine = SmallEngine(spellings={"pruning": "sheared"})
    async with start(engine, size=(160, 40)) as bench:
        await faceted(bench)
        lines = bench.shown().splitlines()
        row = next(at for at, line in enumerate(lines) if "Did you mean" in line)
        await bench.pilot.click(offset=Offset(lines[row].index("acl ", lines[row].index("venue")), row))
        await bench.settle()
        assert bench.context.query.field.text == "pruning venue:acl"


async def test_a_fault_that_has_no_room_beside_the_query_is_said_in_full_above_the_results(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await bench.search("pruning")
        offsets = tuple(bench.context.results._offsets)
        await bench.search("pruning foo:bar")
        beside, above = (line for line in bench.shown().splitlines() if "Unknown filter “foo:”." in line)
        assert "Available" not in beside and "…" not in beside
        assert "Available: venue" in above
        assert tuple(bench.context.results._offsets) == offsets
        await bench.search("pruning")
        assert "Unknown filter" not in bench.shown()


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (80, 14)])
async def test_a_fault_is_said_in_full_in_narrow_windows_and_moves_no_row(start: Start, size: tuple[int, int]) -> None:
    async with start(size=size) as bench:
        await bench.search("pruning")
        offsets = tuple(bench.context.results._offsets)
        await bench.search("pruning foo:bar")
        shown = " ".join(bench.shown().split())
        assert f"Available: {', '.join(FIELDS)}." in shown
        assert "put it in quotes." in shown
        assert tuple(bench.context.results._offsets) == offsets


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_no_part_of_a_row_shows_below_a_fault_that_covers_its_title(start: Start, size: tuple[int, int]) -> None:
    async with start(size=size) as bench:
        await bench.search("pruning")
        top = bench.context.results.shown[0].paper
        title, abstract = top.title[:20], top.abstract[:20]
        assert title in bench.shown() and abstract in bench.shown()
        await bench.search("foo:bar")
        assert "Available: venue" in bench.shown()
        assert (title in bench.shown()) == (abstract in bench.shown())


async def test_where_a_paper_covers_the_results_a_notice_says_the_fault_in_full(start: Start) -> None:
    async with start(size=(80, 24)) as bench:
        await bench.read()
        await bench.search("pruning foo:bar")
        assert not bench.context.results.size.height
        assert any("put it in quotes." in said for said in bench.said)


async def test_why_a_search_failed_is_said_in_full(start: Start) -> None:
    engine = SmallEngine()
    async with start(engine, size=(80, 24)) as bench:
        engine.error = LibraryServerError("The server http://library.example.org:8765 cannot be reached; start it.")
        await bench.search("pruning")
        assert "cannot be reached; start it." in " ".join(bench.shown().split())
        engine.error = None
        await bench.search("pruning")
        assert "cannot be reached" not in bench.shown()


async def test_a_small_list_keeps_its_lines(start: Start) -> None:
    async with start(size=(80, 14)) as bench:
        await faceted(bench)
        assert " venue " not in bench.shown()
        await bench.resize(80, 24)
        assert " venue " in bench.shown()


FACETS = (
    *(Facet("year", value, 10) for value in ("2024..", "2020..2023", "2010..2019", "..2009")),
    *(Facet("venue", value, 10) for value in ("acl", "emnlp", "naacl")),
    Facet("type", "inproceedings", 40),
)


@pytest.mark.parametrize("width", [20, 50, 80, 120, 200])
def test_the_line_of_facets_is_cut_to_whole_values(width: int) -> None:
    found = facet_line(FACETS, None, width, UNICODE)
    text = line_text(found.pieces)
    assert len(text) <= width
    for span in found.spans:
        assert text[span.start : span.end] == f"{span.facet.value} {span.facet.count}"
        assert found.facet_at(span.start) == found.facet_at(span.end - 1) == span.facet
    assert found.facet_at(len(text)) is None
    assert len(found.spans) == len(FACETS) or width < 200


def test_years_are_columns_and_every_facet_has_a_bar() -> None:
    years = tuple(Facet("year", str(year), count) for year, count in ((2024, 8), (2023, 40), (2019, 1), (1950, 2)))
    for glyphs in (UNICODE, ASCII):
        dialog = facet_dialog((*FACETS, *years), parse_query("x year:2019"), 80, glyphs)
        assert all(len(each) <= 60 for each in dialog.chart)
        columns = dialog.chart[2]
        assert "2024" in dialog.chart[3] and "most in 2023: 40" in "".join(dialog.chart)
        # 2019 is there, and the years without a paper between it and 2023 are gaps.
        assert re.search(r"\S {3}\S\S$", columns.strip())
        labels = [choice.label for choice in dialog.choices._choices]
        assert "year:2019" in labels and "year:2024" not in labels
        details = [choice.detail for choice in dialog.choices._choices]
        assert all(glyphs.levels[-1] in each for each in details)
        assert len({len(each) for each in details if "chosen" not in each}) == 1


def test_only_facets_that_leave_something_out_or_were_chosen_are_told() -> None:
    query = parse_query("x year:2024..")
    assert [each.field for each in distinguishing_facets(FACETS, 40, None)] == ["year"] * 4 + ["venue"] * 3
    assert [each.field for each in distinguishing_facets(FACETS, 10, query)] == ["year"] * 4
