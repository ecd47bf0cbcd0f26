"""Reading a paper: page, cursor, search, marks by hand, the way back."""

from __future__ import annotations

from tui.engines import BARE, HOSTILE, PAPERS, PRUNING, SHEARED, SmallEngine, full_text
from tui.harness import Bench, Start

from litterm.model.document import Table
from litterm.model.paper import PaperId
from litterm.render.document_tables import table_csv, table_markdown
from litterm.text.documents.builder import Block, build_document
from litterm.tui.reader.layout import MAX_COLUMNS, lay_out
from litterm.tui.reader.table_view import TableView
from litterm.tui.widgets.glyphs import UNICODE


def sentence(bench: Bench, start: str) -> int:
    document = bench.context.reader.state.document
    assert document is not None
    return next(row.index for row in document.sentences if row.text.startswith(start))


async def test_enter_opens_the_paper_and_the_reader_has_the_focus(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        assert bench.app.focused is bench.context.reader
        assert "1 Introduction" in bench.shown()
        assert "Models grow every year" in bench.shown()


async def test_the_query_s_words_are_highlighted_in_the_paper(start: Start) -> None:
    async with start() as bench:
        await bench.read("structured pruning learns")
        assert "pruning" in bench.context.reader.state.words


async def test_j_and_k_move_from_sentence_to_sentence(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("j", "j", "k")
        assert bench.context.reader.cursor == 1


async def test_capital_j_and_k_walk_the_sections(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("J", "J")
        assert bench.context.reader.cursor == sentence(bench, "1 Introduction")
        await bench.press("K")
        assert bench.context.reader.cursor == sentence(bench, "Abstract")


async def test_the_outline_jumps(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("O")
        assert "Table 1" in bench.shown()
        await bench.press("end", "enter")
        assert bench.context.reader.cursor == sentence(bench, "5 Conclusion")


async def test_the_outline_is_filtered_by_typing(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("O", *"intro")
        assert bench.context.dialogs[-1].choices.count() == 1
        await bench.press("enter")
        assert bench.context.reader.cursor == sentence(bench, "1 Introduction")


async def test_a_search_in_the_paper_finds_all_and_steps(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("/", *"small")
        seek = bench.context.reader.text_search
        assert len(seek.hits) == 10
        assert seek.current == 0
        await bench.press("enter", "down", "up")
        assert bench.context.reader.text_search.current == 1
        assert "2 of 10" in bench.shown()
        await bench.press("escape")
        assert bench.app.focused is bench.context.reader
        assert bench.context.reader.text_search.hits
        await bench.press("escape")
        assert not bench.context.reader.text_search.hits


async def test_the_current_hit_looks_different_from_the_others(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("/", *"small")
        reader = bench.context.reader
        styles = {segment.style for y in range(reader.size.height) for segment in reader.render_line(y)}
        assert {reader.style_of("hit-now"), reader.style_of("hit match")} & styles or reader.style_of(
            "hit-now"
        ) in styles
        assert reader.style_of("hit-now") != reader.style_of("hit")


async def test_the_place_is_kept_per_paper(start: Start) -> None:
    async with start(size=(120, 24)) as bench:
        await bench.search("pruning")
        await bench.press("enter")
        await bench.press("G")
        left = bench.context.reader.top_sentence
        assert left > 0
        await bench.press(">")
        assert bench.context.reader.state.paper.id == SHEARED.id
        await bench.press("b")
        assert bench.context.reader.state.paper.id == PRUNING.id
        assert bench.context.reader.top_sentence == left
        await bench.press("B")
        assert bench.context.reader.state.paper.id == SHEARED.id


async def test_the_place_is_kept_by_sentence_when_the_width_changes(start: Start) -> None:
    async with start(size=(120, 24)) as bench:
        await bench.read()
        await bench.press("J", "J", "J", "J")
        before = bench.context.reader.top_sentence
        await bench.pilot.resize_terminal(90, 24)
        await bench.settle()
        assert abs(bench.context.reader.top_sentence - before) <= 1


async def test_neighbours_of_the_list_open_from_the_reader(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("enter")
        await bench.press(">")
        await bench.press(">")
        assert bench.context.reader.state.paper == bench.context.results.shown[2].paper
        assert bench.app.focused is bench.context.reader
        await bench.press("<")
        assert bench.context.reader.state.paper == bench.context.results.shown[1].paper


async def test_without_full_text_it_says_so_and_names_the_key(start: Start) -> None:
    async with start() as bench:
        await bench.read("sheared", SHEARED.id)
        assert "Abstract only · f full text" in bench.shown()
        await bench.press("f")
        assert any("is there a network connection?" in said for said in bench.said)
        assert "no network" in bench.shown().splitlines()[0]


async def test_a_title_only_paper_says_that_there_is_no_abstract(start: Start) -> None:
    async with start() as bench:
        await bench.read("pruning paper without abstract", BARE.id)
        assert "Title only: no abstract in the Anthology" in bench.shown()


async def test_references_open_what_the_library_has(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("r")
        assert "1 in the library." in bench.shown()
        await bench.press("enter")
        assert bench.context.reader.state.paper.id == SHEARED.id


async def test_enter_on_a_table_opens_its_cells(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        bench.context.reader.go(sentence(bench, "ours"))
        await bench.press("enter")
        assert "theirs  4x" in bench.shown()
        await bench.press("l", "h", "escape")
        assert bench.app.focused is bench.context.reader


async def test_the_footer_names_enter_only_on_a_table_and_the_table_is_copied_whole(start: Start) -> None:
    async with start(size=(100, 30)) as bench:
        await bench.read()
        assert "enter whole table" not in bench.shown()
        bench.context.reader.go(sentence(bench, "ours"))
        await bench.settle()
        assert "enter whole table" in bench.shown()
        last_copy = bench.context.settings.cache / "last-copy.txt"
        await bench.press("enter", "Y")
        assert last_copy.read_text("utf-8") == "model,speed\nours,10x\ntheirs,4x\n"
        await bench.press("y")
        assert last_copy.read_text("utf-8").startswith("| model | speed |\n| --- | --- |\n| ours | 10x |")
        assert any("Copied a table of 3 rows as CSV" in told for told in bench.said)


async def test_a_wide_table_is_wrapped_and_scrolled_behind_its_first_column(start: Start) -> None:
    head = ("method", *(f"measure{number}" for number in range(1, 13)))
    rows = (
        head,
        ("a method with a long name", "words " * 40, *(f"{number}.5 3{number}.25" for number in range(2, 13))),
    )
    async with start(size=(80, 24)) as bench:
        view = TableView(Table(0, "Table 1", "Speed", rows, 0), bench.context.glyphs, lambda text, words: None)
        bench.context.open(view)
        await bench.settle()
        assert "columns 1 and 2-" in bench.shown() and "a method" in bench.shown()
        # More lines than the screen has: the row is scrolled through before the cursor leaves it.
        await bench.press("j", "j")
        await bench.press(*["l"] * 12)
        assert "-13 of 13" in bench.shown() and "12.5 312.25" in bench.shown()
        assert "method" in bench.shown()
        await bench.press(*["h"] * 12)
        assert "columns 1 and 2-" in bench.shown()


def test_tables_of_the_page_are_wrapped_and_no_number_is_cut() -> None:
    numbers = tuple(f"{number}.25±0.1{number}" for number in range(1, 8))
    text = "a long text on how each of them was measured"
    blocks = [
        Block("title", "T"),
        Block("heading", "Results", number="1"),
        Block("table", label="Table 1", cells=(("how", *"abcdefg"), (text, *numbers))),
        Block("body", "The end of it."),
    ]
    document = build_document(PRUNING.id, blocks, origin="pdf", parser="t")
    for width in (40, 80, 118):
        page = lay_out(document, document.text, width, UNICODE)
        shown = [each.text for each in page.lines]
        complete = [number for number in numbers if any(number in each.split() for each in shown)]
        assert width < 118 or len(complete) == 7
        assert all(word in " ".join(shown) for word in text.split())
        assert complete == list(numbers[: len(complete)])
        # A number that has no room is left out, and the line says so.
        assert len(complete) == 7 or any(each.endswith(UNICODE.ellipsis) for each in shown)
        assert not any(number[:3] in each for each in shown for number in numbers[len(complete) :])
        row = next(each.index for each in document.sentences if each.text.startswith("a long"))
        assert page.first_line[row] < page.last_line[row]
        assert page.sentence_on(page.last_line[row]) == row


def test_a_copied_table_holds_nothing_that_a_spreadsheet_or_markdown_acts_on() -> None:
    table = Table(0, "Table 1", "A | B", (("a|b", "=1+1", "-0.5"), ("", "<i>", "+3%")), 0)
    assert table_csv(table).splitlines()[0] == "a|b,'=1+1,-0.5"
    assert table_markdown(table).startswith("| a\\|b |")
    assert "\\<i\\>" in table_markdown(table) and table_markdown(table).endswith(": Table 1 A \\| B\n")


async def test_unknown_references_are_not_called_none(start: Start) -> None:
    async with start() as bench:
        await bench.read("sheared", SHEARED.id)
        await bench.press("r")
        assert "References unknown: no list in the library." in bench.shown()
        # Without a row there is nothing to open or to add.
        assert "enter open" not in bench.shown()
        await bench.press("escape")
        await bench.read()
        await bench.press("r")
        assert "enter open" in bench.shown()


async def test_sentences_selected_by_hand_are_marked_and_unmarked_together(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("J", "j", "v", "j", "a")
        first = sentence(bench, "Pruning makes a model")
        assert dict(bench.context.reader.state.marks) == {first: "hand", first + 1: "hand"}
        assert not bench.context.reader.is_selecting
        await bench.press("u")
        assert dict(bench.context.reader.state.marks) == {}


async def test_the_mouse_selects_sentences(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        reader = bench.context.reader
        index = sentence(bench, "Pruning makes a model")
        y = reader.page.first_line[index] - reader.scroll_offset.y
        await bench.pilot.mouse_down(reader, offset=(6, y + 1))
        await bench.pilot.hover(reader, offset=(40, y + 1))
        await bench.pilot.mouse_up(reader, offset=(40, y + 1))
        await bench.settle()
        assert reader.cursor in (index, index + 1)


async def test_esc_ends_a_selection_first(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await bench.press("v", "j", "escape")
        assert not bench.context.reader.is_selecting
        assert bench.app.focused is bench.context.reader


async def test_hostile_text_is_only_text(start: Start) -> None:
    async with start() as bench:
        await bench.search("bold")
        assert bench.context.results.current is not None
        assert bench.context.results.current.paper.id == HOSTILE.id
        await bench.press("enter")
        shown = bench.shown()
        assert "[red]Bold[/red]" in shown
        assert not set(shown) & set("\x1b\x9b\x07\u202e\u202c\u200b")
        assert "link=http" in shown


async def test_a_paper_of_ten_thousand_sentences_is_laid_out_in_no_time(start: Start) -> None:
    from time import process_time

    from litterm.text.documents.builder import Block, build_document

    text = "Structured pruning reaches large speed-ups with little loss in accuracy on most tasks. " * 10
    blocks = [Block("title", "Long"), *(Block("body", text) for _ in range(1000))]
    document = build_document(PRUNING.id, blocks, origin="jats", parser="long-1")
    before = process_time()
    page = lay_out(document, document.text, 100, UNICODE)
    assert process_time() - before < 5
    assert len(document.sentences) > 9_000
    assert len(page.lines) > 9_000


def test_every_character_of_the_text_is_on_the_page_once_and_no_line_is_too_wide() -> None:
    from litterm.text.terminal_width import width_of

    document = full_text(PRUNING)
    for width in (8, 20, 50, 200):
        page = lay_out(document, document.text, width, UNICODE)
        shown = [document.text[line.start : line.end] for line in page.lines]
        assert "".join("".join(shown).split()) == "".join(
            "".join(row.text.split()) for row in document.sentences if row.kind != "table"
        )
        assert max(map(width_of, shown)) <= max(8, min(width - 6, MAX_COLUMNS))


def test_every_sentence_is_found_on_the_lines_it_stands_on() -> None:
    document = full_text(PRUNING)
    page = lay_out(document, document.text, 40, UNICODE)
    for row in document.sentences:
        first, last = page.lines[page.first_line[row.index]], page.lines[page.last_line[row.index]]
        if row.kind != "table":
            assert first.start <= row.span.start < first.end
            assert last.start < row.span.end <= last.end


async def test_the_session_comes_back(start: Start) -> None:
    engine = SmallEngine()
    async with start(engine, size=(120, 24)) as bench:
        await bench.search("pruning")
        await bench.press("enter")
        await bench.press("G")
        place = bench.context.reader.top_sentence
        bench.controllers.session.save()
    async with start(engine, size=(120, 24)) as bench:
        await bench.settle()
        assert bench.context.query.field.text == "pruning"
        assert len(bench.context.results.shown) > 1
        assert bench.context.reader.state.paper.id == PRUNING.id
        assert bench.context.reader.top_sentence == place
        assert bench.context.query.history == ("pruning",)


async def test_a_session_whose_paper_is_gone_starts_all_the_same(start: Start) -> None:
    from litterm.model.annotations import Session

    engine = SmallEngine()
    engine.annotations.save_session(Session(query="pruning", paper_id=PaperId("acl:GONE")))
    async with start(engine) as bench:
        assert bench.context.results.shown
        assert any("acl:GONE" in said for said in bench.said)


async def test_litterm_read_opens_at_the_paper(start: Start) -> None:
    async with start(opening=PAPERS[1].id) as bench:
        assert bench.context.reader.state.paper.id == PAPERS[1].id


async def test_after_litterm_read_the_next_key_is_for_the_paper(start: Start) -> None:
    engine = SmallEngine()
    from litterm.model.annotations import Session

    engine.annotations.save_session(Session(query="sheared"))
    async with start(engine, opening=PRUNING.id) as bench:
        assert bench.context.focus == "reader"
        await bench.press("e")
        assert "evidence for which hypothesis?" in bench.shown()
        assert PRUNING.title in bench.shown()


async def test_a_page_of_the_paper_is_gone_to(start: Start) -> None:
    async with start() as bench:
        for typed, told in (
            ("6", []),
            ("7", ["There is no page 7; its pages are 6 to 6."]),
            ("x", ["There is no page x; its pages are 6 to 6."]),
        ):
            await bench.read()
            bench.context.reader.go(0)
            said_before = len(bench.said)
            await bench.press(":")
            bench.field("lookup").set_text(f"page {typed}")
            await bench.press("enter")
            assert bench.said[said_before:] == told
            assert bench.context.reader.cursor == (0 if told else sentence(bench, "At 95% sparsity"))


async def test_without_pages_or_a_paper_no_page_is_gone_to(start: Start) -> None:
    async with start() as bench:
        bench.controllers.reader.go_to_page("1")
        await bench.read("without an abstract", BARE.id)
        bench.controllers.reader.go_to_page("1")
        assert bench.said[-2:] == ["No paper is open.", "The text of this paper has no page numbers."]


async def test_a_heading_is_not_marked_by_itself_nor_in_a_range(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        document = bench.context.reader.state.document
        assert document is not None
        heading = next(row for row in document.sentences if row.kind == "heading" and row.text.startswith("1 "))
        for index in (0, heading.index):
            bench.context.reader.go(index)
            for key in ("a", "x"):
                await bench.press("v", key, "escape")
                assert not bench.engine.annotations.marks(document)
        assert len(bench.said) == 4
        assert all("heading" in said for said in bench.said)
        await bench.press("v", "j", "a")
        assert [located.index for located in bench.engine.annotations.marks(document)] == [heading.index + 1]


async def test_a_heading_marked_by_an_older_version_is_cleared(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        document = bench.context.reader.state.document
        assert document is not None
        bench.engine.annotations.mark(document, 1, "hand")
        bench.context.evidence.refresh_marks()
        bench.context.reader.go(1)
        await bench.press("a")
        assert not bench.engine.annotations.marks(document)
