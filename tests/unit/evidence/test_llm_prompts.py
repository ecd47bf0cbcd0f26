"""What a model is sent about a paper, and the pieces of its replies that are taken or dropped."""

from __future__ import annotations

import pytest

from litterm.evidence.llm.chunks import split_paper
from litterm.evidence.llm.prompts import (
    NumberList,
    PickList,
    Picks,
    ask_about_chunk,
    ask_about_paper,
    ask_for_fewer,
    ask_for_negation,
    ask_to_choose,
    names_sentences,
    negate_plainly,
)
from litterm.evidence.llm.replies import PickedSentence, clean_reason, drop_out_of_range, read_picks, stance_of
from litterm.model.llm import Question, ReplyMismatch
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document
from litterm.text.llm.reply_json import read_form

BLOCKS = (Block("heading", "Speed"), Block("body", sentences=("Zebras run.", "Lions rest.", "Horses trot.")))
(PART,) = split_paper(build_document(PaperId("local:x"), BLOCKS, origin="jats", parser="test"))
HYPOTHESIS = "Zebras  outrun\nlions."


def text_of(question: Question[Picks]) -> str:
    return "\n".join(message.text for message in question.request.messages)


def read(reply: str, question: Question[Picks] | None = None) -> list[int]:
    question = question or ask_about_chunk(PART, HYPOTHESIS, k=5, scope="all")
    return [pick.number for pick in read_form(reply, question.form, [])]


# -- requests ----------------------------------------------------------------------------------------------------------


def test_a_part_is_shown_with_its_title_and_numbers_and_the_hypothesis_on_one_line() -> None:
    question = ask_about_chunk(PART, HYPOTHESIS, k=5, scope="all")
    assert "\nPart: Speed\n[1] Zebras run.\n[2] Lions rest.\n[3] Horses trot.\n" in text_of(question)
    assert "\nZebras outrun lions.\n" in text_of(question)
    whole = ask_about_paper(PART, HYPOTHESIS, k=5, scope="all", examples=False)
    assert "Part: " not in text_of(whole) and "\n[1] Zebras run.\n" in text_of(whole)
    assert "[3] Horses trot." in text_of(ask_to_choose(PART.sentences, HYPOTHESIS, k=1, scope="all"))


@pytest.mark.parametrize(("k", "room"), [(1, 2048), (24, 2048), (25, 2112), (100, 6912)])
def test_there_is_room_for_every_pick(k: int, room: int) -> None:
    assert ask_about_chunk(PART, HYPOTHESIS, k=k, scope="all").request.max_tokens == room
    assert ask_about_paper(PART, HYPOTHESIS, k=k, scope="all", examples=True).request.max_tokens == room


def test_a_claim_is_shown_to_a_thousand_characters() -> None:
    text = text_of(ask_about_chunk(PART, "y" * 1500, k=5, scope="all"))
    assert "y" * 1000 in text and "y" * 1001 not in text


def test_for_fewer_the_models_own_answer_is_sent_with_the_wish() -> None:
    question = ask_about_chunk(PART, HYPOTHESIS, k=2, scope="all")
    again = ask_for_fewer(question, "DECISION: [1, 2, 3]", count=3, k=2)
    assert again.request.purpose == f"{question.request.purpose}+again"
    assert again.request.max_tokens == question.request.max_tokens
    assert [(turn.role, turn.text) for turn in again.request.messages[-2:-1]] == [("assistant", "DECISION: [1, 2, 3]")]
    assert again.request.messages[:-2] == question.request.messages
    assert read("DECISION: [3]", again) == [3]


def test_a_negation_is_asked_for_and_read() -> None:
    question = ask_for_negation(HYPOTHESIS)
    assert question.request.max_tokens == 512
    assert read_form('{"negation": "Lions outrun zebras."}', question.form, []) == "Lions outrun zebras."
    assert negate_plainly(HYPOTHESIS) == "It is not the case that: Zebras outrun lions."


# -- replies in JSON ---------------------------------------------------------------------------------------------------


def test_schemas_name_every_field_and_allow_no_other() -> None:
    for shape, name in ((PickList(), "picks"), (NumberList(), "numbers")):
        schema = dict(shape.schema())
        assert schema["required"] == ["thoughts", name]
        assert schema["additionalProperties"] is False
        assert f'"{name}": [' in shape.example()
    item = PickList().schema()["properties"]["picks"]["items"]  # type: ignore[index]
    assert item["required"] == ["number", "stance", "reason"] and item["additionalProperties"] is False
    assert item["properties"]["stance"]["enum"] == ["supports", "refutes", "context"]


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ({"picks": [1]}, True),
        ({"sentences": [{"id": 1}]}, True),
        ({"picks": []}, False),
        ({"picks": 1}, False),
        ({"number": 0}, True),
        ({"thoughts": "none"}, False),
        ([1], False),
    ],
)
def test_json_names_sentences_by_a_list_or_a_number(value: object, named: bool) -> None:
    assert names_sentences(value) is named


@pytest.mark.parametrize(
    ("reply", "numbers"),
    [
        ('{"picks": [{"number": 3}, {"number": 1}, {"number": 3}]}', [3, 1]),
        ('{"picks": [{"number": 4}, {"number": 2}, {"number": 0}]}', [2]),
        ('{"number": 2, "stance": "supports"}', [2]),
        ('{"sentences": ["1-2"]}', [1, 2]),
        ('{"ids": [2.0, 1.5, true]}', [2]),
        ('[{"index": "[3]"}]', [3]),
        ('{"picks": []}', []),
        ("I think of [1], but rather [2, 3]", [2, 3]),
    ],
)
def test_a_reply_in_json_or_prose_names_sentences_that_were_shown(reply: str, numbers: list[int]) -> None:
    assert read(reply) == numbers


@pytest.mark.parametrize("reply", ['{"picks": [{"number": 4}]}', '{"number": 9}', "DECISION: [4]", '{"x": 1}', "Well."])
def test_a_reply_without_a_number_that_was_shown_does_not_fit(reply: str) -> None:
    with pytest.raises(ReplyMismatch):
        read(reply)


def test_what_is_dropped_is_reported() -> None:
    dropped: list[str] = []
    value = {"picks": [{"number": 1}, "x", {"reason": "no number"}, {"number": 7}, {"number": 9}]}
    assert PickList(3).read(value, "the reply", dropped) == (PickedSentence(1),)
    assert dropped == [
        "the reply names something that is no sentence number.",
        "the reply names something that is no sentence number.",
        "Numbers that no sentence has: 7, 9.",
    ]
    assert PickList(0).read({"picks": [70]}, "the reply", dropped) == (PickedSentence(70),), (
        "nothing is said of a limit"
    )


# -- replies in prose --------------------------------------------------------------------------------------------------


def test_out_of_range_numbers_are_an_error_only_where_no_other_is_there() -> None:
    picks = tuple(map(PickedSentence, (0, 1, 5, 6)))
    dropped: list[str] = []
    assert drop_out_of_range(picks, 5, dropped) == picks[1:3]
    assert dropped == ["Numbers that no sentence has: 0, 6."]
    assert drop_out_of_range((), 5, dropped) == ()
    assert drop_out_of_range(picks[1:3], 5, dropped) == picks[1:3]
    assert len(dropped) == 1
    with pytest.raises(ReplyMismatch, match="from 1 to 5"):
        drop_out_of_range(picks[3:], 5, dropped)


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("[1-200]", 200),
        ("[2, 1-201]", 1),
        ("[3 - 3]", 1),
        ("[4–6; 8\n9]", 5),
        ("x" * 100_000 + " [1, 2]", None),
        ("No evidence here.", 0),
        ("It is empty.", 0),
        ("Nonesuch.", None),
    ],
)
def test_ranges_and_length_are_limited(said: str, numbers: int | None) -> None:
    if numbers is None:
        with pytest.raises(ReplyMismatch):
            read_picks(said)
    else:
        assert len(read_picks(said)) == numbers


def test_lines_with_a_stance_are_picks_with_and_without_a_reason() -> None:
    said = "1 | supports\n2: refutes | It rises.\n3 | banana | No.\n4\tneutral |\n- 5. | confirms | Yes "
    assert read_picks(said) == (
        PickedSentence(1, "supports", ""),
        PickedSentence(2, "refutes", "It rises."),
        PickedSentence(4, "context", ""),
        PickedSentence(5, "supports", "Yes"),
    )
    assert read_picks("2 | supports | a\nDECISION: []") == (), "the decision counts"


@pytest.mark.parametrize(
    ("said", "stance"),
    [
        ("does not support", "refutes"),
        ("Opposed", "refutes"),
        ("evidence for", "supports"),
        ("confirms", "supports"),
        ("mixed", "context"),
    ],
)
def test_a_denied_support_refutes(said: str, stance: str) -> None:
    assert stance_of(said) == stance


@pytest.mark.parametrize(
    ("reason", "kept"),
    [
        ("a\n b\x1b[31m", "a b"),
        ("x" * 200, "x" * 200),
        ("x" * 201, "x" * 199 + "…"),
        ("x" * 198 + " yz", "x" * 198 + "…"),
        ("", ""),
    ],
)
def test_a_reason_is_one_line_of_two_hundred_characters(reason: str, kept: str) -> None:
    assert clean_reason(reason) == kept
