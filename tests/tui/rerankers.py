"""Replies of a model that is asked to rank."""

from __future__ import annotations

from scripted_models import ScriptedModel
from scripted_rerankers import sorting


def shortest_first() -> ScriptedModel:
    """A model that prefers short titles."""
    reply = sorting(len)
    return ScriptedModel(lambda request: reply(request.messages[-1].text))
