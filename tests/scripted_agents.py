"""Models that look for a cited paper by a script, over a server on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from fakes_model_server import Received, Script, calls, error, says

Move = tuple[str, dict[str, str]]
"""An action and its arguments."""


def search(query: str, **more: str) -> Move:
    return "search", {"thought": f"try {query}", "query": query, **more}


def most_cited(query: str) -> Move:
    return "search_citations", {"thought": "the classic one", "query": query}


def read(paper: str, query: str = "") -> Move:
    return "read", {"thought": "look inside", "paper": paper, "query": query}


def references(paper: str, query: str) -> Move:
    return "references", {"thought": "what does it cite", "paper": paper, "query": query}


def verify(paper: str, query: str) -> Move:
    return "verify", {"thought": "is it so", "paper": paper, "query": query}


def select(paper: str) -> Move:
    return "select", {"thought": "it is this one", "paper": paper}


def turns(asked: Received) -> int:
    """Turns the model has had in this conversation."""
    return sum(message["role"] == "assistant" for message in asked.messages)


def told(asked: Received) -> list[str]:
    """What the model was told after each of its turns."""
    at = next((at for at, each in enumerate(asked.messages) if each["role"] == "assistant"), len(asked.messages))
    return [str(each["content"]) for each in asked.messages[at:] if each["role"] in ("tool", "user")]


def calling(moves: Sequence[Move]) -> Callable[[Received], Script]:
    """Calls tools in this order; the last one again and again."""
    return lambda asked: calls(moves[min(turns(asked), len(moves) - 1)])


def writing(moves: Sequence[Move]) -> Callable[[Received], Script]:
    """Refuses tools, and writes its actions as JSON."""

    def brain(asked: Received) -> Script:
        if "tools" in asked.body:
            return error(400, "tiny-1 does not support tools")
        name, fields = moves[min(turns(asked), len(moves) - 1)]
        return says(json.dumps({"query": "", "paper": "", **fields, "action": name}))

    return brain
