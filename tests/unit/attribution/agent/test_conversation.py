"""What an agent's model is sent: what is left of its actions, and how much of each result."""

from __future__ import annotations

from litterm.attribution.agent.agent import AgentConversation
from litterm.attribution.excerpt import read_excerpt
from litterm.model.attribution.agent import Action, AgentOptions, AgentStep
from litterm.model.attribution.citation import CandidateBounds

EXCERPT = read_excerpt("Phrases are learned from word alignments [CITATION].")
STEPS = tuple(
    AgentStep(at, "", Action("search", f"query {at}"), letter * 1000, "done") for at, letter in enumerate("zq", 1)
)


def results(room: int) -> list[str]:
    conversation = AgentConversation(EXCERPT, CandidateBounds(), AgentOptions(), room)
    return [turn.text for turn in conversation.build_tool_request(STEPS).messages if turn.role == "tool"]


def test_the_last_result_is_shown_at_four_times_the_length_of_those_before() -> None:
    before, last = results(100)
    assert "z" * 100 + "\n… (shortened)" in before and "z" * 101 not in before
    assert "q" * 400 + "\n… (shortened)" in last and "q" * 401 not in last


def test_without_a_limit_all_results_are_whole() -> None:
    before, last = results(0)
    assert "z" * 1000 in before and "q" * 1000 in last
    assert "(shortened)" not in before + last
