"""What is written before a query and before a paper, as each encoder was trained with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Instructions:
    """Texts, empty for none; a space follows each."""

    query: str = ""
    passage: str = ""


_SEARCH_PASSAGES = "Represent this sentence for searching relevant passages:"
_BY_NAME: Final[tuple[tuple[str, Instructions], ...]] = (
    ("multilingual-e5", Instructions("query:", "passage:")),
    ("e5-", Instructions("query:", "passage:")),
    ("bge-small-en", Instructions(_SEARCH_PASSAGES)),
    ("bge-base-en", Instructions(_SEARCH_PASSAGES)),
    ("bge-large-en", Instructions(_SEARCH_PASSAGES)),
    ("mxbai-embed", Instructions(_SEARCH_PASSAGES)),
    ("snowflake-arctic-embed", Instructions(_SEARCH_PASSAGES)),
)
"""By a part of the model's name. Sources: the model cards of intfloat/e5-small-v2 and intfloat/multilingual-e5-small,
BAAI/bge-small-en-v1.5, mixedbread-ai/mxbai-embed-large-v1 and Snowflake/snowflake-arctic-embed-s on huggingface.co.
Models that are not listed, such as all-MiniLM-L6-v2 and gte-small, take none."""


def instructions_for(names: tuple[str, ...], prompts: Mapping[str, object]) -> Instructions:
    """Those of a model of one of these `names`; its own `prompts` (`config_sentence_transformers.json`) come first."""
    query = prompts.get("query")
    passage = next((prompts[key] for key in ("passage", "document") if prompts.get(key)), "")
    if isinstance(query, str) and query and isinstance(passage, str):
        return Instructions(query.strip(), passage.strip())
    lowered = [name.lower() for name in names]
    return next((known for part, known in _BY_NAME if any(part in name for name in lowered)), Instructions())
