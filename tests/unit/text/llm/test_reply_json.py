"""Reading what a model wrote: shapes, wrappings, and anything at all."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.model.llm import ReplyForm, ReplyMismatch, ReplyShape
from litterm.text.llm.reply_json import (
    Label,
    LineShape,
    ListField,
    OptionalField,
    Record,
    WholeNumber,
    json_values,
    label_from_text,
    read_form,
    without_reasoning,
)


@dataclass(frozen=True)
class Grade:
    reason: str
    grade: int


GRADE = Record(Grade, reason=LineShape(longest=20), grade=WholeNumber(0, 2))
FORM = ReplyForm("grade", GRADE)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("shape", "value", "read"),
    [
        (WholeNumber(1, 5), "3", 3),
        (WholeNumber(1, 5), 3.0, 3),
        (WholeNumber(1, 5), "[3]", 3),
        (Label(("AGREE", "DISAGREE")), " disagree ", "DISAGREE"),
        (LineShape(), 7, "7"),
        (LineShape(), None, ""),
        (LineShape(longest=3), "a\x1b[31mb\nc\u202ed", "ab "),
        (ListField(WholeNumber(1, 5)), 3, (3,)),
        (ListField(WholeNumber(1, 5)), None, ()),
        (ListField(WholeNumber(1, 5)), [1, 9, "x", 2], (1, 2)),
        (ListField(WholeNumber(1, 5), max_items=1), [4, 5], (4,)),
        (OptionalField(WholeNumber(1, 5), 0), None, 0),
        (OptionalField(WholeNumber(1, 5), 0), 9, 0),
        (GRADE, {"reason": "r", "grade": 1, "more": 2}, Grade("r", 1)),
        (GRADE, [{"reason": "r", "grade": 1}], Grade("r", 1)),
    ],
)
def test_what_is_meant_is_read(shape: ReplyShape[object], value: object, read: object) -> None:
    assert shape.read(value, "it", []) == read


@pytest.mark.parametrize(
    ("shape", "value", "why"),
    [
        (WholeNumber(1, 5), 6, "it is 6, but must be a whole number from 1 to 5."),
        (WholeNumber(1, 5), 1.5, "1.5"),
        (WholeNumber(1, 5), True, "true"),
        (WholeNumber(1, 5), float("nan"), "NaN"),
        (WholeNumber(1, 5), float("inf"), "Infinity"),
        (WholeNumber(0, 10**9), "9" * 50, "but must be"),
        (Label(("a", "b")), "c", "one of a, b"),
        (LineShape(), {"a": 1}, "must be text"),
        (GRADE, {"reason": "r"}, "has no 'grade'"),
        (GRADE, "yes", "must be an object with reason, grade"),
        (ListField(WholeNumber(1, 5), strict=True), [1, 9], "it[1] is 9"),
        (Label(("a",)), "x\x1b[2J" * 100, "…"),
    ],
)
def test_what_does_not_fit_is_told_in_a_sentence(shape: ReplyShape[object], value: object, why: str) -> None:
    with pytest.raises(ReplyMismatch) as caught:
        shape.read(value, "it", [])
    assert why in str(caught.value)
    assert len(str(caught.value)) < 200
    assert "\x1b" not in str(caught.value)


@given(ANYTHING)
def test_no_decoded_value_breaks_a_shape(value: object) -> None:
    shape = Record(dict, a=ListField(GRADE, max_items=2), b=Label(("x",)), c=OptionalField(WholeNumber(0, 1), None))
    for each in (shape, GRADE, ListField(GRADE)):
        try:
            each.read(value, "it", [])
        except ReplyMismatch as misfit:
            assert str(misfit)


@given(st.text(max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    list(json_values(text))
    without_reasoning(text)
    try:
        read_form(text, FORM, [])
    except ReplyMismatch as misfit:
        assert str(misfit)


@given(ANYTHING.filter(lambda value: isinstance(value, dict)), st.sampled_from(["", "Sure! ", "<think>{x}</think>\n"]))
def test_an_object_is_found_in_its_wrapping(value: dict[str, object], before: str) -> None:
    text = f"{before}```json\n{json.dumps(value, indent=1)}\n```\nDone."
    found = next(json_values(without_reasoning(text)[0]))
    assert json.dumps(found) == json.dumps(value)


def test_the_first_value_that_fits_wins_and_the_first_misfit_is_told() -> None:
    assert read_form('[1] {"a": 1} {"reason": "r", "grade": 2} {"reason": "s", "grade": 1}', FORM, []) == Grade("r", 2)
    with pytest.raises(ReplyMismatch, match="has no 'reason'"):
        read_form('{"a": 1} {"reason": 1}', FORM, [])
    with pytest.raises(ReplyMismatch, match="no JSON"):
        read_form("Two.", FORM, [])
    with pytest.raises(ReplyMismatch, match="empty"):
        read_form("<think>Two", FORM, [])


@pytest.mark.parametrize(
    ("text", "reply", "thought"),
    [
        ("<think>a</think>b", "b", "a"),
        ("<THINK>a</THINK>\n<think>b</think>\nc", "c", "a\nb"),
        ("a</think>b", "b", "a"),
        ("<think>never ends", "", "never ends"),
        ('{"x": "</think>"}', '{"x": "</think>"}', ""),
        ("no thought", "no thought", ""),
    ],
)
def test_reasoning_is_taken_off(text: str, reply: str, thought: str) -> None:
    assert without_reasoning(text) == (reply, thought)


@pytest.mark.parametrize(
    "text",
    [
        "<think>" * 20_000,
        "{" * 50_000,
        "[" * 100_000,
        '{"a":' * 20_000,
        '"' * 100_000,
        ", " * 50_000,
        "'" + "(" * 90_000,
    ],
    ids=["think", "braces", "brackets", "objects", "quotes", "commas", "literal"],
)
def test_hostile_replies_are_read_in_no_time(text: str) -> None:
    start = time.process_time()
    with pytest.raises(ReplyMismatch):
        read_form(text, FORM, [])
    assert time.process_time() - start < 15


def test_a_label_is_a_whole_word_and_stands_alone() -> None:
    labels = ("AGREE", "DISAGREE")
    assert label_from_text("So I DISAGREE.", labels) == "DISAGREE"
    for text in ("AGREE or DISAGREE", "neither"):
        with pytest.raises(ReplyMismatch):
            label_from_text(text, labels)
