"""Asks a language model for other queries: by terms, by names, and in other words; one call of some 300 tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litterm.core.errors import ReplyUnreadable
from litterm.model.events import Progress
from litterm.model.llm import CostEstimate, ModelRequest, Question, ReplyForm, ReplyMismatch
from litterm.model.search import Rewrite
from litterm.search.rewrites.queries import MAX_QUERY_CHARS, check_queries
from litterm.text.llm.prompts import Data, prompt
from litterm.text.llm.reply_json import LineShape, OptionalField, Record
from litterm.text.queries.parser import free_text

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.llm.model import ChatModel
    from litterm.model.search import Query

_MAX_REQUEST_CHARS = 2_000
_MAX_REPLY_TOKENS = 400


def _join_fields(terms: str, names: str, wording: str) -> tuple[str, ...]:
    queries = tuple(filter(None, (terms, names, wording)))
    if not queries:
        raise ValueError("there is no query in the reply.")
    return queries


def _read_lines(text: str) -> tuple[str, ...]:
    """The queries of a reply that is no JSON: one a line.

    Raises:
        ReplyMismatch: it has another number of lines than three.
    """
    lines = tuple(line for line in text.splitlines() if line.strip())
    if len(lines) != len(_FIELDS):
        raise ReplyMismatch("There are not three queries in the reply.")
    return lines


_FIELDS = ("terms", "names", "wording")
_LINE = OptionalField(LineShape("a query", 2 * MAX_QUERY_CHARS), "")
_FORM: ReplyForm[tuple[str, ...]] = ReplyForm(
    "queries", Record(_join_fields, **dict.fromkeys(_FIELDS, _LINE)), _read_lines
)


class ModelRewriter:
    """Asks a model for other queries, in one run with its own cap."""

    def __init__(self, model: ChatModel) -> None:
        """`model` has an open run."""
        self._model = model

    def rewrite(self, query: Query) -> Task[Rewrite]:
        """Other queries for the words of `query`; its filters are neither sent nor changed.

        Raises:
            ModelError: there is no answer, or none with a query that is new.
        """
        yield Progress(f"asking {self._model.name} for other queries", 0, 1)
        answer = yield from self._model.answer(_question(query))
        queries = check_queries(answer.value, free_text(query))
        if not queries:
            raise ReplyUnreadable(f"{self._model.name} wrote no other query than yours.")
        return Rewrite(queries, self._model.name)

    def estimate(self, query: Query) -> CostEstimate:
        """What `rewrite` would cost at most; sends nothing."""
        return self._model.estimate([_question(query)])


def _question(query: Query) -> Question[tuple[str, ...]]:
    request = prompt("query-rewrite", request=Data("request", free_text(query)[:_MAX_REQUEST_CHARS]))
    return Question(ModelRequest(request.purpose, request.messages, max_tokens=_MAX_REPLY_TOKENS), _FORM)
