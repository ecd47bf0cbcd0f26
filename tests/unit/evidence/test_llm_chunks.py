"""How a paper is cut into parts for a model, and what of its text is shown."""

from __future__ import annotations

import pytest

from litterm.evidence.llm.chunks import (
    PaperChunk,
    PaperOutline,
    estimate_tokens,
    outline_of,
    prompt_text,
    shorten_chunk,
    split_chunk,
    split_paper,
)
from litterm.model.document import Document
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document


def document(*blocks: Block) -> Document:
    return build_document(PaperId("local:x"), blocks, origin="jats", parser="test")


def rows(count: int, text: str = "Row {} is here.") -> PaperChunk:
    (part,) = split_paper(document(Block("body", sentences=tuple(text.format(number) for number in range(count)))))
    return part


def test_headings_are_candidates_where_there_is_nothing_else() -> None:
    parts = split_paper(document(Block("title", "Zebras"), Block("heading", "Speed")))
    assert [row.text for part in parts for row in part.sentences] == ["Zebras", "Speed"]
    assert split_paper(document()) == ()


def test_titles_are_the_headings_above_but_not_those_beside_or_below() -> None:
    blocks = [
        block
        for name, level in (("One", 1), ("A", 2), ("i", 3), ("B", 2), ("Two", 1), ("ii", 3))
        for block in (
            Block("heading", name, level=level),
            Block("body", sentences=(f"Text of {name}.", "More.", "Most.")),
        )
    ]
    titles = [part.title for part in split_paper(document(*blocks))]
    assert titles == ["One", "One > A", "One > A > i", "One > B", "Two", "Two > ii"]


def test_keys_name_the_section_and_stay_when_others_are_cut() -> None:
    blocks = (
        Block("abstract", "Short."),
        Block("heading", "One"),
        Block("body", sentences=("Text.", "More.", "Most.")),
        Block("caption", sentences=("Table 1.", "Of one.", "Of two.")),
    )
    assert [part.key for part in split_paper(document(*blocks))] == ["abstract", "s1", "floats"]


def section(name: str, count: int, **of_heading: object) -> tuple[Block, Block]:
    texts = tuple(f"{name} {number}." for number in range(count))
    return Block("heading", name, **of_heading), Block("body", sentences=texts)  # type: ignore[arg-type]


def test_a_part_of_a_sentence_or_two_is_shown_with_the_next_and_the_last_with_the_one_before() -> None:
    blocks = [*section("Methods", 1), *section("Subjects", 2), *section("Results", 4), *section("Outlook", 2)]
    parts = split_paper(document(*blocks))
    assert [(part.key, part.title, len(part.sentences)) for part in parts] == [
        ("s0", "Methods; Subjects", 3),
        ("s2", "Results; Outlook", 6),
    ]
    assert [part.title for part in split_paper(document(*section("Alone", 1)))] == ["Alone"]


def test_thanks_and_footnotes_of_tables_are_no_candidates_but_an_appendix_is() -> None:
    blocks = [
        *section("Results", 3),
        Block("body", "a Adjusted odds ratios for age."),
        Block("body", "cAMP fell in all groups."),
        *section("Acknowledgements", 4, section_kind="back"),
        *section("Appendix A", 3, section_kind="back"),
    ]
    parts = split_paper(document(*blocks))
    assert [part.title for part in parts] == ["Results", "Appendix A"]
    assert [row.text for row in parts[0].sentences][-2:] == ["Results 2.", "cAMP fell in all groups."]
    only = split_paper(document(*section("Funding", 1, section_kind="back")))
    assert [part.title for part in only] == ["Funding"], "where there is nothing else it is shown"


def test_an_outline_names_title_and_parts_and_of_an_abstract_no_part() -> None:
    blocks = (
        Block("title", "Zebras"),
        Block("abstract", "Short. Or long."),
        Block("body", sentences=("A.", "B.", "C.")),
    )
    outline = outline_of(document(*blocks, *section("Speed", 3)))
    assert (outline.title, outline.abstract_only) == ("Zebras", False)
    names = list(dict.fromkeys(outline.headings.values()))
    assert names == ["Part 1 of 3: Abstract", "Part 2 of 3 (no heading)", "Part 3 of 3: Speed"]
    alone = build_document(PaperId("local:x"), blocks[:2], origin="abstract", parser="test")
    assert outline_of(alone) == PaperOutline("Zebras", True, {})


@pytest.mark.parametrize(("count", "parts"), [(7, 1), (8, 4)])
def test_a_part_of_few_sentences_is_not_cut_however_long(count: int, parts: int) -> None:
    assert len(split_chunk(rows(count), most_tokens=10)) == parts


def test_a_part_is_cut_as_soon_as_it_is_too_long_and_windows_again() -> None:
    part = rows(100)
    tokens = estimate_tokens(part.sentences)
    assert split_chunk(part, most_tokens=tokens) == (part,)
    assert [window.key for window in split_chunk(part, most_tokens=tokens - 1)] == ["s0.1", "s0.2", "s0.3", "s0.4"]
    again = split_chunk(part, most_tokens=tokens // 4)
    assert [window.key for window in again[:5]] == ["s0.1.1", "s0.1.2", "s0.1.3", "s0.1.4", "s0.2.1"]


def test_tokens_are_counted_by_characters_with_room_for_numbers() -> None:
    part = rows(10, "x" * 30)
    assert estimate_tokens(part.sentences) == 100
    assert estimate_tokens(()) == 0
    # What is not shown does not count.
    assert estimate_tokens(rows(1, "x" * 50_000).sentences) == round(4006 / 3.6)


@pytest.mark.parametrize(
    ("text", "shown"),
    [(" a \n\tb ", "a b"), ("x" * 4000, "x" * 4000), ("x" * 4001, "x" * 3999 + "…"), ("", "")],
)
def test_a_sentence_is_shown_on_one_line_of_four_thousand_characters(text: str, shown: str) -> None:
    assert prompt_text(text) == shown


@pytest.mark.parametrize(
    ("order", "n", "kept"),
    [
        ([5, 1], 1, [5]),
        ([5, 1], 2, [1, 5]),
        ([], 2, [0, 1]),
        ([5, 4, 3, 2, 1, 0], 5, [1, 2, 3, 4, 5]),
        ([5], 6, [0, 1, 2, 3, 4, 5]),
        ([5], 9, [0, 1, 2, 3, 4, 5]),
        ([5], 0, [0, 1, 2, 3, 4, 5]),
        ([5], -1, [0, 1, 2, 3, 4, 5]),
    ],
)
def test_a_shortlist_is_the_best_n_in_paper_order(order: list[int], n: int, kept: list[int]) -> None:
    assert [row.index for row in shorten_chunk(rows(6), order, n).sentences] == kept
