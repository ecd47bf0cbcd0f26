"""What a model is sent about a paper, and the pieces of its replies that are taken or dropped."""

from __future__ import annotations

import pytest

from litterm.evidence.llm.chunks import outline_of, split_paper
from litterm.evidence.llm.examples import accepted_examples, describe_examples
from litterm.evidence.llm.prompts import (
    NumberList,
    PaperQuestion,
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
from litterm.model.annotations import Anchor, Mark, MarkKind
from litterm.model.document import Document, DocumentId
from litterm.model.evidence import EvidenceSentence
from litterm.model.llm import Question, ReplyMismatch
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document
from litterm.text.llm.reply_json import read_form

BLOCKS = (
    Block("title", "On zebras"),
    Block("heading", "Speed"),
    Block("body", sentences=("Zebras run.", "Lions rest.", "Horses trot.")),
)
PAPER = build_document(PaperId("local:x"), BLOCKS, origin="jats", parser="test")
(PART,) = split_paper(PAPER)
HYPOTHESIS = "Zebras  outrun\nlions."


def about(document: Document = PAPER, hypothesis: str = HYPOTHESIS, **more: object) -> PaperQuestion:
    values: dict[str, object] = {"k": 5, "scope": "all", **more}
    return PaperQuestion(document, outline_of(document), hypothesis, **values)  # type: ignore[arg-type]


def text_of(question: Question[Picks]) -> str:
    return "\n".join(message.text for message in question.request.messages)


def read(reply: str, question: Question[Picks] | None = None) -> list[int]:
    question = question or ask_about_chunk(about(), PART)
    return [pick.number for pick in read_form(reply, question.form, [])]


# -- requests ----------------------------------------------------------------------------------------------------------


def test_a_part_is_shown_with_its_title_and_numbers_and_the_hypothesis_on_one_line() -> None:
    question = ask_about_chunk(about(), PART)
    assert "\nTitle: On zebras\nPart 1 of 1: Speed\n[1] Zebras run.\n[2] Lions rest.\n[3] Horses trot.\n" in text_of(
        question
    )
    assert "\nZebras outrun lions.\n" in text_of(question)
    assert "one part of the paper" in text_of(question) and "one part" not in text_of(ask_about_paper(about(), PART))


def test_where_there_is_no_full_text_the_model_is_told() -> None:
    blocks = (Block("title", "On zebras"), Block("abstract", "Zebras run. Lions rest."))
    abstract = build_document(PaperId("local:x"), blocks, origin="abstract", parser="test")
    for ask in (ask_about_chunk, ask_about_paper):
        text = text_of(ask(about(abstract), split_paper(abstract)[0]))
        assert "there is no full text" in text and "\nTitle: On zebras\n[1] Zebras run.\n[2] Lions rest.\n" in text
    title = build_document(PaperId("local:x"), blocks[:1], origin="abstract", parser="test")
    assert "its title alone" in text_of(ask_about_paper(about(title), split_paper(title)[0]))


def test_the_choice_shows_stance_and_reason_of_each_pick_and_its_part() -> None:
    picks = [
        EvidenceSentence(0, PART.sentences[0], 0.0, "weak", stance="supports", reason="They are [2] fast."),
        EvidenceSentence(0, PART.sentences[2], 0.0, "weak"),
    ]
    text = text_of(ask_to_choose(about(), picks))
    shown = "Part 1 of 1: Speed\n[1] Zebras run.\n    supports: They are [2] fast.\n[2] Horses trot.\n"
    assert shown in text


def test_a_denial_is_supported_by_a_finding_of_no_effect_and_matching_is_a_point() -> None:
    text = text_of(ask_about_chunk(about(), PART))
    assert "a hypothesis that denies something" in text
    assert "how groups were matched" in text and "adjusted for" in text
    assert "First cover every point once" in text and "that of the abstract" in text


# -- examples ----------------------------------------------------------------------------------------------------------


def accepted(paper: str, hypothesis: str, *quotes: str, kind: MarkKind = "accepted") -> list[Mark]:
    anchors = [Anchor(DocumentId(paper), place, quote) for place, quote in enumerate(quotes)]
    return [Mark(PaperId(paper), anchor, kind, hypothesis) for anchor in anchors]


def test_examples_are_accepted_sentences_of_other_papers_the_latest_decision_first() -> None:
    marks = [
        *accepted("acl:A", "Naps help.", "Recall rose by 12 %.", "We tested 40 adults."),
        *accepted("acl:B", "Tea calms.", "Nothing changed.", kind="rejected"),
        *accepted("local:x", "Lions rest.", "Never shown."),
        *accepted("doi:x", "Lions run.", "Never shown either.", "Lions rest."),
        *accepted("acl:C", "Rain falls.", "It fell."),
        *accepted("acl:D", "", "No hypothesis."),
    ]
    found = accepted_examples(marks, PAPER, "all")
    assert [(each.paper_id, each.hypothesis) for each in found] == [("acl:C", "Rain falls."), ("acl:A", "Naps help.")]
    assert found[1].sentences == ("Recall rose by 12 %.", "We tested 40 adults.")
    assert describe_examples(found, "all") == (
        "The model was shown 2 examples: sentences that you accepted in acl:C, acl:A."
    )
    text = text_of(ask_about_chunk(about(with_examples=True, examples=found), PART))
    assert "Hypothesis: Naps help.\n- Recall rose by 12 %.\n- We tested 40 adults.\n<<<end examples" in text
    assert "tomato" not in text and "Never shown" not in text


def test_for_results_one_example_is_shown_and_only_results_of_it() -> None:
    marks = [
        *accepted("acl:A", "Naps help.", "Recall rose by 12 %.", "We tested 40 adults."),
        *accepted("acl:B", "Tea calms.", "We bought tea."),
    ]
    found = accepted_examples(marks, PAPER, "results")
    assert [(each.paper_id, each.sentences) for each in found] == [("acl:A", ("Recall rose by 12 %.",))]
    text = text_of(ask_about_chunk(about(scope="results", with_examples=True), PART))
    assert text.count("Hypothesis: ") == 1 and "of results" in text


def test_at_most_eight_examples_of_five_sentences_are_shown_and_their_papers_counted() -> None:
    marks = [
        mark
        for number in range(12)
        for mark in accepted(f"acl:{number}", "Naps help.", *(f"Fact {number} {place} holds." for place in range(7)))
    ]
    found = accepted_examples(marks, PAPER, "all")
    assert [len(each.sentences) for each in found] == [5] * 8
    assert describe_examples(found, "all").endswith("acl:11, acl:10, acl:9 and 5 more papers.")
    assert "examples of litterm's own" in describe_examples((), "all")
    assert "no result of another paper" in describe_examples((), "results")


def test_without_accepted_sentences_examples_of_our_own_are_shown_and_none_where_none_are_wanted() -> None:
    assert "tomato" in text_of(ask_about_paper(about(with_examples=True), PART))
    assert "tomato" not in text_of(ask_about_paper(about(), PART))


# -- limits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "room"), [(1, 2048), (24, 2048), (25, 2112), (100, 6912)])
def test_there_is_room_for_every_pick(k: int, room: int) -> None:
    assert ask_about_chunk(about(k=k), PART).request.max_tokens == room
    assert ask_about_paper(about(k=k, with_examples=True), PART).request.max_tokens == room


def test_a_claim_is_shown_to_a_thousand_characters() -> None:
    text = text_of(ask_about_chunk(about(hypothesis="y" * 1500), PART))
    assert "y" * 1000 in text and "y" * 1001 not in text


def test_for_fewer_the_models_own_answer_is_sent_with_the_wish() -> None:
    question = ask_about_chunk(about(k=2), PART)
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
