"""What models write when asked for numbers, and how a paper is cut into parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.evidence.llm.chunks import estimate_tokens, shorten_chunk, split_chunk, split_paper
from litterm.evidence.llm.prompts import NumberList, PickList
from litterm.evidence.llm.replies import PickedSentence, read_picks, stance_of
from litterm.model.llm import ReplyMismatch
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("DECISION: [1, 4, 7]", [1, 4, 7]),
        ("I weigh [1, 2].\n**Decision:** [3-5, 9]", [3, 4, 5, 9]),
        ("DECISION: [1]\nNo, rather:\nDECISION: [2]", [2]),
        ("```python\nDECISION: [index 4, Index 2]\n```", [4, 2]),
        ("DECISION: ['3', \"5\", x, , 7.5, 3]", [3, 5]),
        ("DECISION: []", []),
        ("first [8] then, at last, [6, 5]", [6, 5]),
        ("[5] and []", [5]),
        ("None of these sentences bears on it.", []),
        ("3 | supports | it says so\n5 | context | the data", [3, 5]),
        ("DECISION: [9-3, 1-99999, 2]", [2]),
        ("[3, 2, 3]", [3, 2]),
    ],
)
def test_numbers_are_read_as_in_the_published_pipeline(said: str, numbers: list[int]) -> None:
    assert [pick.number for pick in read_picks(said)] == numbers


def test_reasons_on_lines_go_with_the_final_list() -> None:
    said = "1 | supports | It falls.\n2 | does not support | It rises.\nDECISION: [2, 1, 3]"
    assert read_picks(said) == (
        PickedSentence(2, "refutes", "It rises."),
        PickedSentence(1, "supports", "It falls."),
        PickedSentence(3),
    )


def test_a_text_without_any_number_does_not_fit() -> None:
    with pytest.raises(ReplyMismatch):
        read_picks("I would rather talk about the weather.")


@given(st.text(alphabet=st.characters() | st.sampled_from("DECISION:[],-0123456789|\n"), max_size=300))
def test_any_text_is_read_or_does_not_fit(said: str) -> None:
    try:
        numbers = [pick.number for pick in read_picks(said)]
    except ReplyMismatch:
        return
    assert len(numbers) == len(set(numbers))


def read(value: object) -> tuple[tuple[PickedSentence, ...], list[str]]:
    dropped: list[str] = []
    return PickList().read(value, "the reply", dropped), dropped


def test_json_picks_are_read_with_what_models_make_of_them() -> None:
    picks, dropped = read(
        {"picks": [{"number": "3-4", "stance": "SUPPORTS", "reason": "a"}, 7, "9", {"number": None}, True, {"id": 2.0}]}
    )
    assert picks == (
        PickedSentence(3, "supports", "a"),
        PickedSentence(4, "supports", "a"),
        PickedSentence(7),
        PickedSentence(9),
        PickedSentence(2),
    )
    assert len(dropped) == 2
    assert read({"decision": []}) == ((), [])
    assert read([{"index": 3}])[0] == (PickedSentence(3),)


@pytest.mark.parametrize("value", [{}, {"picks": "1"}, [1, 2], [], 3, "DECISION: [1]", None])
def test_json_that_is_no_list_of_picks_does_not_fit(value: object) -> None:
    with pytest.raises(ReplyMismatch):
        read(value)


@pytest.mark.parametrize("shape", [PickList(), NumberList()])
def test_the_model_writes_its_thoughts_before_it_decides(shape: PickList) -> None:
    schema = shape.schema()
    assert next(iter(schema["properties"])) == "thoughts"  # type: ignore[call-overload]
    assert shape.example().startswith('{"thoughts"')


@pytest.mark.parametrize(
    ("said", "stance"),
    [("Supports", "supports"), ("contradicts", "refutes"), ("neutral", "context"), ("banana", None), ("", None)],
)
def test_stances_by_other_names(said: str, stance: str | None) -> None:
    assert stance_of(said) == stance


def document(*blocks: Block):  # type: ignore[no-untyped-def]
    return build_document(PaperId("local:x"), blocks, origin="jats", parser="test")


def test_parts_are_abstract_sections_and_floats_and_a_heading_is_no_candidate() -> None:
    parts = split_paper(
        document(
            Block("title", "T"),
            Block("body", "Before any heading. There is a text. It goes on."),
            Block("heading", "Abstract", section_kind="abstract"),
            Block("abstract", "We count. It works."),
            Block("heading", "Results"),
            Block("heading", "First", level=2),
            Block("body", "Ten came."),
            Block("caption", "Table 1: Counts."),
            Block("table", cells=(("a", "1"),)),
            Block("body", "Then eleven. Nobody left."),
            Block("heading", "", number="7"),
            Block("body", "Seven stay. They rest. They sleep."),
        )
    )
    found = [(part.title, [row.text for row in part.sentences]) for part in parts]
    assert found == [
        ("Abstract", ["We count.", "It works."]),
        ("", ["Before any heading.", "There is a text.", "It goes on."]),
        ("Results > First", ["Ten came.", "Then eleven.", "Nobody left."]),
        ("§7; Tables and figures", ["Table 1: Counts.", "a | 1", "Seven stay.", "They rest.", "They sleep."]),
    ]
    assert len({part.key for part in parts}) == len(parts)


def test_a_long_part_is_read_through_four_overlapping_windows() -> None:
    rows = tuple(f"Sentence number {number} says nothing at all." for number in range(1000))
    (part,) = split_paper(document(Block("body", sentences=rows)))
    assert estimate_tokens(part.sentences) > 12_000
    cut = split_chunk(part)
    assert [(w.sentences[0].index, w.sentences[-1].index + 1) for w in cut] == [
        (0, 325),
        (225, 550),
        (450, 775),
        (675, 1000),
    ]
    assert [w.key for w in cut] == ["s0.1", "s0.2", "s0.3", "s0.4"]


@given(st.integers(1, 400), st.integers(20, 3000))
def test_windows_lose_no_sentence(sentences: int, most: int) -> None:
    (part,) = split_paper(
        document(Block("body", sentences=tuple(f"Row {number} is here." for number in range(sentences))))
    )
    cut = split_chunk(part, most_tokens=most)
    assert {row.index for window in cut for row in window.sentences} == set(range(sentences))
    assert len({window.key for window in cut}) == len(cut)


def test_a_shortlist_keeps_paper_order() -> None:
    (part,) = split_paper(document(Block("body", sentences=tuple(f"Row {n} is here." for n in range(6)))))
    assert [row.index for row in shorten_chunk(part, [5, 1], 3).sentences] == [0, 1, 5]
    assert shorten_chunk(part, [5], 0) == part
