"""How a paper is cut into parts for a model, and what of its text is shown."""

from __future__ import annotations

import pytest

from litterm.evidence.llm.chunks import (
    PaperChunk,
    estimate_tokens,
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
        for block in (Block("heading", name, level=level), Block("body", f"Text of {name}."))
    ]
    titles = [part.title for part in split_paper(document(*blocks))]
    assert titles == ["One", "One > A", "One > A > i", "One > B", "Two", "Two > ii"]


def test_keys_name_the_section_and_stay_when_others_are_cut() -> None:
    blocks = (
        Block("abstract", "Short."),
        Block("heading", "One"),
        Block("body", "Text."),
        Block("caption", "Table 1."),
    )
    assert [part.key for part in split_paper(document(*blocks))] == ["abstract", "s1", "floats"]


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
