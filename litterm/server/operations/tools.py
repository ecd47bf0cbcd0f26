"""Operations as tools of an agent: what each is for, which list of its answer comes in pages, how certain it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from litterm.core.tasks import Task
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.server.operations.operation import Body

StatusName = Literal[
    "found", "unsure", "nothing found", "not in library", "outside coverage", "done", "wrong request", "failed"
]
STATUS_MEANINGS: Mapping[StatusName, str] = {
    "found": "the answer is what the library holds",
    "unsure": "there is an answer, and it may be wrong",
    "nothing found": "the library was searched, and nothing in it fits",
    "not in library": "the paper is not in the library, which does not mean that there is none",
    "outside coverage": "the library does not hold what the answer would have to be read from",
    "done": "a change was made, which `undo` takes back",
    "wrong request": "the request has to be changed",
    "failed": "there is no answer, through no fault of the request",
}
"""What each status says."""
_SURE_ANSWER = 0.5
"""Probability from which an answer to a question is more likely one than not."""
_UNKNOWN_COVERAGE = "The references of this paper are not known here, which does not mean that it cites nothing."


@dataclass(frozen=True, slots=True)
class AnswerStatus:
    """How far an answer can be trusted."""

    name: StatusName
    why: str
    """One sentence in the words of litterm, without any text of a paper."""


def _as_it_is(body: Body) -> Body:
    return body


@dataclass(frozen=True, slots=True)
class LibraryTool:
    """How an operation is offered to an agent."""

    purpose: str
    """What it is for."""
    items: str
    """The list in the answer of which as much is given at once as a page holds; empty where there is none."""
    status: Callable[[Engine, Any, Body], Task[AnswerStatus] | AnswerStatus]
    """Says of engine, request and answer how far that can be trusted."""
    left_out: frozenset[str] = frozenset()
    """Fields of its items that are left out: what explains an order to a person, and would be half of the answer."""
    arrange: Callable[[Body], Body] = _as_it_is
    """Brings what is to come in pages into one list."""
    resolve: Callable[[Engine, Any], Any] | None = None
    """Puts papers in the place of what a request says in terms of the user's own notes, which no server knows."""
    changes: bool = False
    """Whether it changes what the user has noted."""


def search_status(_engine: Engine, _request: Any, body: Body) -> AnswerStatus:
    """Found, unsure where words of the query are in no paper, or nothing; what fits is for the reader to say."""
    count = _length(body, "results")
    if not count:
        return AnswerStatus("nothing found", "No paper of the library matches; other papers may.")
    if missing := _length(body, "missing"):
        words = count_phrase(missing, "word")
        return AnswerStatus("unsure", f"No paper of the library has {words} of the query; these match the others.")
    if body["first"] == 1:
        return AnswerStatus("found", "The first paper is likely the one that the query names.")
    return AnswerStatus("found", f"{count_phrase(count, 'paper')}, the most relevant first; read whether they fit.")


def read_status(_engine: Engine, request: Any, body: Body) -> AnswerStatus:
    """Found, or outside coverage where only title and abstract are here."""
    if body["origin"] == "abstract":
        return AnswerStatus("outside coverage", "No full text of this paper is here: this is its title and abstract.")
    what = "The section that was asked for" if request.section else "The full text"
    return AnswerStatus("found", f"{what}, {count_phrase(_length(body, 'text'), 'row')}.")


def evidence_status(_engine: Engine, _request: Any, body: Body) -> AnswerStatus:
    """By the level of the closest sentence, and by how much of the paper is here."""
    is_abstract = body["origin"] == "abstract"
    seen = "in title and abstract, which is all that is here" if is_abstract else "in the full text"
    match body["level"]:
        case "strong":
            return AnswerStatus("found", f"Sentences on the hypothesis {seen}; each may be for it or against it.")
        case "nothing" if is_abstract:
            return AnswerStatus("outside coverage", "Title and abstract do not bear on it, and no full text is here.")
        case "nothing":
            return AnswerStatus("nothing found", "No sentence of the paper bears on the hypothesis.")
        case "unclear":
            return AnswerStatus("outside coverage", "Too few sentences of this paper are here to tell.")
        case _:
            return AnswerStatus("unsure", f"Sentences that touch on the hypothesis {seen}; they may not bear on it.")


def cite_status(_engine: Engine, _request: Any, body: Body) -> AnswerStatus:
    """By the verdict of the attribution."""
    match body["verdict"]:
        case "found":
            return AnswerStatus("found", "The first candidate is likely the paper that is cited.")
        case "absent":
            return AnswerStatus("not in library", "The cited paper is likely not in the library.")
        case _:
            return AnswerStatus("unsure", "One of the candidates may be the paper that is cited, or none of them.")


def references_status(engine: Engine, request: Any, body: Body) -> Task[AnswerStatus]:
    """Found, or that nothing is known about what the paper cites."""
    if count := _length(body, "references"):
        return AnswerStatus("found", f"{count_phrase(count, 'work')} that the paper cites, as far as is known here.")
    graph = yield from engine.citations.update()
    (is_known,) = graph.has_references([engine.paper(request.paper).id])
    if is_known:
        return AnswerStatus("nothing found", "The references of this paper are known, and there are none.")
    return AnswerStatus("outside coverage", _UNKNOWN_COVERAGE)


def cited_by_status(_engine: Engine, _request: Any, body: Body) -> AnswerStatus:
    """Found, or nothing: which papers elsewhere cite it is never known."""
    if count := _length(body, "citations"):
        return AnswerStatus("found", f"{count_phrase(count, 'paper')} known here to cite it; others may.")
    return AnswerStatus("nothing found", "No paper known here cites it; others may.")


def list_status(_engine: Engine, _request: Any, body: Body) -> AnswerStatus:
    """Found, or nothing."""
    if count := _length(body, "papers"):
        return AnswerStatus("found", f"{count_phrase(count, 'paper')} in the order in which to read them.")
    return AnswerStatus("nothing found", "The library holds too little on the topic for a reading list.")


def ask_status(_engine: Engine, _request: Any, body: Body) -> AnswerStatus:
    """By why the library is silent, and by how likely it answers."""
    match body["silence"]:
        case "outside the library":
            return AnswerStatus("outside coverage", "No paper that was read knows words of the question.")
        case "no papers":
            return AnswerStatus("nothing found", "No paper of the library is about that.")
        case "nothing bears on it":
            return AnswerStatus("nothing found", "Nothing in the papers that were read bears on the question.")
        case _:
            pass
    probability = body["probability"]
    assert isinstance(probability, float)
    if probability < _SURE_ANSWER:
        return AnswerStatus("unsure", "These sentences may answer the question, and more likely do not.")
    return AnswerStatus("found", "Sentences of papers that are likely to answer; they may contradict one another.")


def sentences_in_one_list(body: Body) -> Body:
    """The answer to a question with the sentences of all groups in one list, each with the title of its group."""
    groups = body["groups"]
    assert isinstance(groups, list)
    sentences = [{"group": group["title"], **sentence} for group in groups for sentence in group["sentences"]]
    # An aspect without sentences is an answer, too.
    silent = [group["title"] for group in groups if not group["sentences"]]
    rest = {name: value for name, value in body.items() if name != "groups"}
    return {**rest, "says_nothing_on": silent, "sentences": sentences}


def check_status(_engine: Engine, _request: Any, body: Body) -> AnswerStatus:
    """Found: each entry has a status of its own."""
    return AnswerStatus("found", f"{count_phrase(_length(body, 'entries'), 'entry', 'entries')}, each with its status.")


def mark_status(_engine: Engine, _request: Any, body: Body) -> AnswerStatus:
    """Done, or that no paper of that name is there."""
    changed, unknown = body["changed"], _length(body, "unknown")
    missing = f"; {count_phrase(unknown, 'name')} not in the library" if unknown else ""
    if not _length(body, "papers"):
        return AnswerStatus("not in library", "None of the papers is in the library; `search` finds their ids.")
    if not changed:
        return AnswerStatus("found", f"They were so already{missing}.")
    assert isinstance(changed, int)
    return AnswerStatus("done", f"{count_phrase(changed, 'paper')} changed{missing}; `undo` takes it back.")


def undo_status(_engine: Engine, _request: Any, body: Body) -> AnswerStatus:
    """Done, or that there is nothing to take back."""
    if body["undone"]:
        return AnswerStatus("done", "The change was taken back; `litterm undo --redo` repeats it.")
    return AnswerStatus("nothing found", "There is no such change, or it has been taken back already.")


def _length(body: Body, name: str) -> int:
    listed = body[name]
    return len(listed) if isinstance(listed, list | tuple) else 0
