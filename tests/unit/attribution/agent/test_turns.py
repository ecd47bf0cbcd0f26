"""The turns of an agent's model: replies read as actions, and the excerpt as the model sees it."""

from __future__ import annotations

import json

import pytest

from litterm.attribution.agent.agent import ACTION_NAMES, AgentConversation, is_none, masked_excerpt, read_turn
from litterm.attribution.excerpt import read_excerpt
from litterm.model.attribution.agent import Action, AgentOptions, AgentStep
from litterm.model.attribution.citation import CandidateBounds
from litterm.model.llm import ModelReply, ReplyMismatch, ToolCall


def called(name: str, *, text: str = "", **fields: str) -> ModelReply:
    return ModelReply(text, "m", "stop", calls=(ToolCall("1", name, json.dumps(fields)),))


@pytest.mark.parametrize(
    ("name", "fields", "action"),
    [
        ("search", {"query": "zebras"}, Action("search", "zebras")),
        ("search_citations", {"query": "zebras", "paper": "acl:A"}, Action("search_citations", "zebras")),
        ("read", {"paper": "acl:A"}, Action("read", "", "acl:A")),
        ("references", {"paper": "acl:A", "query": "3"}, Action("references", "3", "acl:A")),
        ("verify", {"paper": "acl:A", "query": "stripes"}, Action("verify", "stripes", "acl:A")),
        ("select", {"paper": "acl:A", "query": "stripes"}, Action("select", "", "acl:A")),
    ],
)
def test_a_call_and_the_same_as_json_are_one_action(name: str, fields: dict[str, str], action: Action) -> None:
    turn = read_turn(called(name, thought="hm", **fields), ACTION_NAMES)
    assert (turn.thought, turn.action) == ("hm", action)
    body = json.dumps({"thought": "hm", "action": name, **fields})
    assert read_turn(ModelReply(body, "m", "stop"), ACTION_NAMES) == turn


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("search", {}),
        ("search", {"query": ""}),
        ("search_citations", {"query": ""}),
        ("read", {"query": "stripes"}),
        ("references", {"query": "3"}),
        ("verify", {"query": "stripes"}),
        ("select", {"paper": ""}),
        ("dance", {"query": "zebras"}),
    ],
)
def test_an_action_without_what_it_needs_does_not_fit(name: str, fields: dict[str, str]) -> None:
    with pytest.raises(ReplyMismatch):
        read_turn(called(name, **fields), ACTION_NAMES)
    with pytest.raises(ReplyMismatch):
        read_turn(ModelReply(json.dumps({"thought": "", "action": name, **fields}), "m", "stop"), ACTION_NAMES)


def test_json_may_leave_out_the_details_to_verify() -> None:
    body = json.dumps({"thought": "", "action": "verify", "paper": "acl:A"})
    assert read_turn(ModelReply(body, "m", "stop"), ACTION_NAMES).action == Action("verify", "", "acl:A")


def test_an_action_that_is_not_offered_does_not_fit() -> None:
    with pytest.raises(ReplyMismatch, match="There is no action 'search'"):
        read_turn(called("search", query="zebras"), ("select",))


def test_only_the_first_of_several_calls_counts_and_prose_is_its_thought() -> None:
    first, second = ToolCall("1", "search", '{"query": "zebras"}'), ToolCall("2", "select", '{"paper": "acl:A"}')
    turn = read_turn(ModelReply("I look for zebras.", "m", "stop", calls=(first, second)), ACTION_NAMES)
    assert (turn.thought, turn.action) == ("I look for zebras.", Action("search", "zebras"))
    with pytest.raises(ReplyMismatch):
        read_turn(ModelReply("", "m", "stop", calls=(ToolCall("1", "search", ""), second)), ACTION_NAMES)


@pytest.mark.parametrize(("said", "none"), [("none", True), (" [None]. ", True), ("acl:none", False), ("", False)])
def test_none_is_said_in_any_case_and_brackets(said: str, none: bool) -> None:
    assert is_none(said) is none


@pytest.mark.parametrize(
    ("text", "mark", "shown"),
    [
        ("Zebras run [CITATION].", 0, "Zebras run [CITATION]."),
        ("Zebras [CITATION] run [CITATION].", 1, "Zebras [OTHER] run [CITATION]."),
        ("Zebras [CITATION] run [CITATION].", 0, "Zebras [CITATION] run [OTHER]."),
        ("Zebras [12] run [?].", 0, "Zebras [12] run [CITATION]."),
        ("Zebras [12] run [?].", 1, "Zebras [CITATION] run [?]."),
        ("Zebras run.", 0, "Zebras run. [CITATION]"),
    ],
)
def test_the_excerpt_has_one_masked_citation(text: str, mark: int, shown: str) -> None:
    assert masked_excerpt(read_excerpt(text, mark)) == shown


def test_of_a_long_excerpt_two_thousand_characters_on_either_side_are_shown() -> None:
    text = f"Old [1] {'a' * 3000} {'b' * 1999}[CITATION]{'c' * 1990} {'d' * 3000} New [2]"
    assert masked_excerpt(read_excerpt(text)) == f" {'b' * 1999}[CITATION]{'c' * 1990}"
    ends = "e" * 2500
    assert masked_excerpt(read_excerpt(ends)) == f"{ends[:2000]} [CITATION]"


def words_left(counted: int, **options: int) -> str:
    steps = [AgentStep(number + 1, "", Action("search", f"q{number}"), "seen", "done") for number in range(counted)]
    conversation = AgentConversation(read_excerpt("Zebras [CITATION]."), CandidateBounds(), AgentOptions(**options))
    return conversation.build_tool_request(steps).messages[-1].text


def test_the_model_is_warned_when_three_actions_are_left_and_made_to_select_with_one() -> None:
    assert "4 actions are left" in words_left(11) and "Only" not in words_left(11)
    assert "Only 3 actions are left" in words_left(12)
    assert "The maximum of 15 actions is reached" in words_left(14)
    assert "The maximum of 1 action is reached" in words_left(0, max_actions=1)
    assert "is reached" not in words_left(0, max_actions=2)


def test_a_failed_search_uses_up_no_action() -> None:
    conversation = AgentConversation(read_excerpt("Zebras [CITATION]."), CandidateBounds(), AgentOptions(max_actions=3))
    failed = AgentStep(1, "", Action("search", "q"), "down", "failed", counted=False)
    seen = AgentStep(2, "", Action("search", "q"), "seen", "done")
    assert conversation.count_actions_left([failed, seen, failed]) == 2
    tools = [tool.name for tool in conversation.build_tool_request([failed, seen]).tools]
    assert tools == list(ACTION_NAMES)
    assert [tool.name for tool in conversation.build_tool_request([seen, seen]).tools] == ["select"]


def test_steps_are_calls_or_json_whose_results_follow_them() -> None:
    conversation = AgentConversation(read_excerpt("Zebras [CITATION]."), CandidateBounds(), AgentOptions())
    steps = [AgentStep(3, "hm", Action("read", "", "acl:A"), "the text", "done")]
    call, result = conversation.build_tool_request(steps).messages[-2:]
    assert [(made.id, made.name, json.loads(made.arguments)) for made in call.calls] == [
        ("step00003", "read", {"thought": "hm", "paper": "acl:A"})
    ]
    assert (result.role, result.call_id) == ("tool", "step00003")
    turn, result = conversation.build_form_question(steps).request.messages[-2:]
    assert json.loads(turn.text) == {"thought": "hm", "action": "read", "query": "", "paper": "acl:A"}
    assert (result.role, result.call_id) == ("user", "")
    assert "the text" in result.text


def test_the_example_is_shown_unless_it_is_not_wanted() -> None:
    first = [
        AgentConversation(read_excerpt("Zebras [CITATION]."), CandidateBounds(), AgentOptions(example=example))
        .build_tool_request(())
        .messages
        for example in (True, False)
    ]
    with_example, without = ("\n".join(message.text for message in messages) for messages in first)
    assert len(with_example) > len(without) + 100
