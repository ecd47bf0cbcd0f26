"""Replies of a model that is asked for evidence."""

from __future__ import annotations

import json

from litterm.model.llm import ModelRequest


def first_shown(request: ModelRequest) -> str:
    """Picks the first sentence of every part."""
    pick = {"number": 1, "stance": "refutes", "reason": "It says the contrary."}
    return json.dumps({"thoughts": "", "picks": [pick], "numbers": [1]})
