"""Structured replies: asked for as strictly as the server allows, validated always, repaired once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from fakes_model_server import (
    ModelServer,
    Received,
    Script,
    after,
    answers,
    calls,
    error,
    no_json_object,
    no_schema,
    says,
    says_json,
)
from model_clients import Clock, Models

from litterm.core import errors
from litterm.core.tasks import run
from litterm.model.events import Event
from litterm.model.llm import Message, ModelRequest, Question, ReplyForm, StructuredReply
from litterm.text.llm.reply_json import Label, LineShape, ListField, OptionalField, Record, WholeNumber


@dataclass(frozen=True)
class Pick:
    reason: str
    sentence: int
    stance: str = "context"


@dataclass(frozen=True)
class Picks:
    picks: tuple[Pick, ...]


STANCE = OptionalField(Label(("supports", "refutes", "context")), "context")
SHAPE = Record(
    Picks, picks=ListField(Record(Pick, reason=LineShape(), sentence=WholeNumber(1, 9), stance=STANCE), max_items=3)
)
FORM = ReplyForm("picks", SHAPE)
REQUEST = ModelRequest("test@1", (Message("system", "Pick."), Message("user", "[1] a [2] b")), max_tokens=100)
ASK = Question(REQUEST, FORM)
GOOD = {"picks": [{"reason": "It says so.", "sentence": 2, "stance": "supports"}]}
PICKED = Picks((Pick("It says so.", 2, "supports"),))


def test_the_schema_is_sent_and_nothing_is_said_twice(make_model: Models, model_server: ModelServer) -> None:
    model_server.strict = True
    model_server.script(says_json(GOOD))
    answer = run(make_model().answer(ASK))
    assert (answer.value, answer.output_mode, answer.repaired, answer.dropped) == (PICKED, "json_schema", False, ())
    body = model_server.asked[0].body
    assert body["messages"][-1]["content"] == "[1] a [2] b"
    assert body["response_format"]["json_schema"]["name"] == "picks"
    fields = body["response_format"]["json_schema"]["schema"]["properties"]["picks"]["items"]
    assert list(fields["properties"]) == ["reason", "sentence", "stance"]
    assert fields["properties"]["sentence"] == {"type": "integer", "minimum": 1, "maximum": 9}


def rungs_of(server: ModelServer) -> list[str]:
    return [each.rung for each in server.asked]


def only(*allowed: str) -> object:
    def brain(asked: Received) -> Script:
        if asked.rung not in allowed:
            return no_schema() if asked.rung == "json_schema" else no_json_object()
        return says_json(GOOD)

    return brain


@pytest.mark.parametrize(
    ("allowed", "climbed"),
    [
        (("json_object", "text"), ["json_schema", "json_object"]),
        (("text",), ["json_schema", "json_object", "text"]),
    ],
)
def test_the_rung_that_holds_is_found_once_and_remembered_on_disk(
    make_model: Models, model_server: ModelServer, allowed: tuple[str, ...], climbed: list[str]
) -> None:
    model_server.brain = only(*allowed)  # type: ignore[assignment]
    answer = run(make_model().answer(ASK))
    assert (answer.value, answer.output_mode) == (PICKED, climbed[-1])
    assert rungs_of(model_server) == climbed
    described = model_server.asked[-1].last
    assert "JSON" in described
    assert '{"picks": [{"reason": "text", "sentence": 1..9,' in described
    run(make_model().start_run(fresh=True).answer(ASK))
    assert rungs_of(model_server) == [*climbed, climbed[-1]]


@pytest.mark.parametrize(
    "refusal",
    [
        error(422, "Extra inputs are not permitted: response_format"),
        error(404, "No endpoints found that support structured outputs"),
        error(500, "failed to parse grammar"),
        answers(400, {"object": "error", "message": "guided decoding is off", "type": "BadRequestError"}),
        error(400, "Bad Request"),
    ],
)
def test_refusals_of_every_dialect_lead_down_the_ladder(
    make_model: Models, model_server: ModelServer, refusal: Script
) -> None:
    model_server.brain = lambda asked: says_json(GOOD) if asked.rung == "text" else refusal
    assert run(make_model().answer(ASK)).value == PICKED
    assert len(model_server.asked) <= 3


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{json.dumps(GOOD)}\n```",
        f"<think>Which? {{1, 2}} perhaps.</think>Here it is:\n{json.dumps(GOOD)}\nI hope that helps [1].",
        '{"picks": [{"reason": "It says so.", "sentence": "2", "stance": "Supports"},]}',
        "{'picks': [{'reason': 'It says so.', 'sentence': 2.0, 'stance': 'supports'}]}",
        '{"picks": {"reason": "It says so.", "sentence": "[2]", "stance": "SUPPORTS", "colour": "red"}}',
        '{"picks": [{"reason": "It says so.", "sentence": 99}, {"reason": "It says so.", "sentence": 2, '
        '"stance": "supports"}]}',
    ],
)
def test_what_is_meant_is_read_at_once(make_model: Models, model_server: ModelServer, text: str) -> None:
    model_server.script(says(text))
    answer = run(make_model().answer(ASK))
    assert answer.value == PICKED
    assert len(model_server.asked) == 1


@pytest.mark.parametrize("name", ["result", "picks", "evidence"])
def test_one_object_wrapped_round_the_reply_is_taken_off(
    make_model: Models, model_server: ModelServer, name: str
) -> None:
    model_server.script(says_json({name: GOOD}))
    answer = run(make_model().answer(ASK))
    assert (answer.value, answer.dropped) == (PICKED, ())
    assert len(model_server.asked) == 1


def test_two_wrappers_are_too_many(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(says_json({"a": {"b": GOOD}}), says_json(GOOD))
    assert run(make_model().answer(ASK)).repaired


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_a_reply_that_came_as_reasoning_is_read_where_the_text_is_empty(
    make_model: Models, model_server: ModelServer, field: str
) -> None:
    draft = json.dumps({"picks": [{"reason": "perhaps", "sentence": 1}]})
    model_server.script(says("", **{field: f"Is it {draft}? No. {json.dumps(GOOD)}"}))
    assert run(make_model().answer(ASK)).value == PICKED
    assert len(model_server.asked) == 1


def test_reasoning_without_a_reply_in_it_is_an_empty_reply(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(says(None, reasoning_content="I wonder about [1]."), says_json(GOOD))
    assert run(make_model().answer(ASK)).repaired
    assert "The reply is empty." in model_server.asked[1].last


def test_a_call_where_a_reply_should_be_is_named_as_what_it_is(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(calls(("picks", GOOD)), says_json(GOOD))
    assert run(make_model().answer(ASK)).repaired
    assert "calls a function" in model_server.asked[1].last


def test_bad_parts_are_dropped_singly_and_told(make_model: Models, model_server: ModelServer) -> None:
    body = {"picks": [{"reason": "a", "sentence": n, "stance": "supports"} for n in (1, 0, 99, 2, 3, 4, 5)]}
    body["picks"][0]["stance"] = "maybe"
    model_server.script(says_json(body))
    answer = run(make_model().answer(ASK))
    assert [pick.sentence for pick in answer.value.picks] == [1, 2, 3]
    assert answer.value.picks[0].stance == "context"
    assert len(answer.dropped) == 4
    assert "is 99, but must be a whole number from 1 to 9" in " ".join(answer.dropped)


def test_a_reply_that_does_not_fit_is_repaired_by_one_turn(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(says('{"pick": 2}'), says_json(GOOD))
    answer = run(make_model().answer(ASK))
    assert (answer.value, answer.repaired) == (PICKED, True)
    assert (answer.reply.usage.prompt_tokens, answer.reply.usage.reply_tokens) == (40, 10)
    turns = model_server.asked[1].messages
    assert [turn["role"] for turn in turns] == ["system", "user", "assistant", "user"]
    assert turns[2]["content"] == '{"pick": 2}'
    assert "has no 'picks'" in turns[3]["content"]


def test_where_the_form_is_in_words_a_repair_says_them_once(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(no_schema(), no_json_object(), says('{"pick": 2}'), says_json(GOOD))
    assert run(make_model().answer(ASK)).repaired
    assert model_server.asked[-1].last.count("of this form") == 1


def test_two_bad_replies_are_an_error_and_no_third_is_asked_for(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(says("No."))
    with pytest.raises(errors.ReplyUnreadable, match="was asked twice, and neither reply has the requested form"):
        run(make_model().answer(ASK))
    assert len(model_server.asked) == 2


def test_a_server_that_ignores_schemas_is_told_the_form_in_words_from_then_on(
    make_model: Models, model_server: ModelServer
) -> None:
    model_server.script(says("Sentence two, I think."), says_json(GOOD))
    model = make_model()
    assert run(model.answer(ASK)).repaired
    model_server.script(says_json(GOOD))
    run(model.start_run(fresh=True).answer(ASK))
    assert rungs_of(model_server) == ["json_schema"] * 3
    assert "of this form" in model_server.asked[-1].last


def test_an_odd_reply_is_no_refusal_and_is_forgotten_with_the_process(
    make_model: Models, model_server: ModelServer
) -> None:
    model_server.script(says("Sentence two, I think."), says_json(GOOD))
    run(make_model().answer(ASK))
    model_server.script(says_json(GOOD))
    run(make_model().start_run(fresh=True).answer(ASK))
    assert run(make_model().start_run(fresh=True).answer(ASK)).output_mode == "json_schema"
    assert "of this form" not in model_server.asked[-1].last


def test_what_was_refused_is_tried_again_a_day_later(
    make_model: Models, model_server: ModelServer, model_clock: Clock
) -> None:
    model_server.brain = only("text")  # type: ignore[assignment]
    model = make_model()
    run(model.answer(ASK))
    model_clock.today += 80_000
    assert run(model.start_run(fresh=True).answer(ASK)).output_mode == "text"
    assert len(model_server.asked) == 4
    model_server.brain = lambda _asked: says_json(GOOD)
    model_clock.today += 10_000
    assert run(model.start_run(fresh=True).answer(ASK)).output_mode == "json_schema"
    assert run(make_model().start_run(fresh=True).answer(ASK)).output_mode == "json_schema"


def test_a_step_down_of_an_older_version_is_tried_again(
    make_model: Models, model_server: ModelServer, tmp_path: Path
) -> None:
    model_server.brain = only("text")  # type: ignore[assignment]
    run(make_model().answer(ASK))
    (path,) = tmp_path.rglob("endpoints/*.json")
    body = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({name: value for name, value in body.items() if name != "refused_at"}), "utf-8")
    model_server.brain = lambda _asked: says_json(GOOD)
    assert run(make_model().start_run(fresh=True).answer(ASK)).output_mode == "json_schema"


CUT = '{"picks": [{"reason": "It says so.", "sentence": 2, "stance": "supports"}, {"reason": "And'


@pytest.mark.parametrize("finish", ["length", "stop"])
@pytest.mark.parametrize("text", [CUT, f"```json\n{CUT}"])
def test_half_a_reply_is_never_taken_for_the_whole(
    make_model: Models, model_server: ModelServer, text: str, finish: str
) -> None:
    model_server.script(says(text, finish=finish), says_json(GOOD))
    answer = run(make_model().answer(ASK))
    assert (answer.value, answer.repaired) == (PICKED, True)
    model_server.script(says(text, finish=finish))
    with pytest.raises(errors.ReplyCut if finish == "length" else errors.ReplyUnreadable):
        run(make_model().start_run(fresh=True).answer(ASK))


def test_a_reply_that_was_cut_gets_twice_the_room_instead_of_a_talk(
    make_model: Models, model_server: ModelServer
) -> None:
    model_server.script(says('{"picks": [{"rea', finish="length"), says_json(GOOD))
    assert run(make_model().answer(ASK)).value == PICKED
    assert [each.body["max_tokens"] for each in model_server.asked] == [100, 200]
    assert len(model_server.asked[1].messages) == 2
    model_server.script(says('{"picks": [{"rea', finish="length"))
    with pytest.raises(errors.ReplyCut, match="used up its 200 tokens"):
        run(make_model().start_run(fresh=True).answer(ASK))


def test_a_reply_in_words_is_read_where_the_form_knows_how(make_model: Models, model_server: ModelServer) -> None:
    def decided(text: str) -> Picks:
        return Picks(tuple(Pick("", int(number)) for number in text.partition("DECISION: ")[2].split()))

    model_server.script(says("Both matter. DECISION: 2 4 5"))
    answer = run(make_model().answer(Question(REQUEST, ReplyForm("picks", SHAPE, decided))))
    assert [pick.sentence for pick in answer.value.picks] == [2, 4, 5]
    assert not answer.repaired


# -- several ---------------------------------------------------------------------------------------------------------


def numbered(count: int) -> list[Question[Picks]]:
    return [
        Question(ModelRequest("test@1", (Message("user", f"number {n}"),), max_tokens=50), FORM) for n in range(count)
    ]


def test_several_run_at_the_same_time_but_no_more_than_allowed(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(after(0.05, says_json(GOOD)))
    outcomes = run(make_model(concurrency=3).answer_all(numbered(12)))
    assert [outcome.value for outcome in outcomes if isinstance(outcome, StructuredReply)] == [PICKED] * 12
    assert 2 <= model_server.most_at_once <= 3


def test_a_server_on_this_machine_gets_one_request_at_a_time(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(says_json(GOOD))
    run(make_model().answer_all(numbered(4)))
    assert model_server.most_at_once == 1


def test_one_that_fails_does_not_end_the_others_and_each_is_heard_as_it_comes(
    make_model: Models, model_server: ModelServer
) -> None:
    model_server.brain = lambda asked: (
        error(400, "This prompt was flagged") if asked.last.startswith("number 1") else says_json(GOOD)
    )
    told: list[tuple[int, bool]] = []

    def heard(number: int, outcome: StructuredReply[Picks] | errors.ModelError) -> tuple[Event, ...]:
        told.append((number, isinstance(outcome, StructuredReply)))
        return ()

    outcomes = run(make_model().answer_all(numbered(3), heard))
    assert sorted(told) == [(0, True), (1, False), (2, True)]
    assert isinstance(outcomes[1], errors.RequestRefused)
    assert isinstance(outcomes[2], StructuredReply)


def test_a_model_that_is_gone_is_asked_once_in_a_run_however_many_wait_their_turn(
    make_model: Models, model_server: ModelServer
) -> None:
    model_server.script(error(401, "Incorrect API key provided.", code="invalid_api_key"))
    model = make_model()
    outcomes = run(model.answer_all(numbered(5)))
    assert [type(outcome) for outcome in outcomes] == [errors.KeyRefused] * 5
    assert len(model_server.asked) == 1
    # Whoever begins anew may have mended it.
    run(model.start_run().answer_all(numbered(1)))
    assert len(model_server.asked) == 2


def test_none_at_all_is_no_trouble(make_model: Models, model_server: ModelServer) -> None:
    assert run(make_model().answer_all([])) == ()
    assert model_server.asked == []


@pytest.mark.parametrize("status", [400, 404, 415, 422, 500, 501])
def test_what_may_mean_the_manner_of_a_request_is_asked_in_another(
    make_model: Models, model_server: ModelServer, status: int
) -> None:
    refusal = error(status, "response_format is not supported")
    model_server.brain = lambda asked: says_json(GOOD) if asked.rung == "text" else refusal
    assert run(make_model().answer(ASK)).value == PICKED


def test_an_answer_in_a_form_is_asked_for_whole(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(says_json(GOOD))
    run(make_model().answer(ASK))
    assert not model_server.asked[0].body.get("stream")
