"""An answer as lines for a terminal or a pipe, and as data for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypedDict

from litterm.model.answer import Answer, AnswerGroup, AnswerSentence, AnswerSide
from litterm.render.closeness import stance_label, strength_words
from litterm.render.evidence import LikelyStanceData, likely_stance_data
from litterm.render.names import method_words, short_authors, status_warning, venue_and_year
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.render.lines import LineOptions


class AnswerSourceData(TypedDict):
    """A sentence of a paper, and where it stands."""

    rank: int
    text: str
    paper: str
    title: str
    year: int | None
    key: str
    locator: str
    section: str
    page: int | None
    kind: str
    index: int
    document: str
    origin: str
    probability: float
    strength: str
    closeness: str
    side: str
    likely_stance: LikelyStanceData | None
    warning: str


class AnswerSentenceData(AnswerSourceData):
    """A sentence that answers, with those of other papers that say the same."""

    restatements: list[AnswerSourceData]


class AnswerGroupData(TypedDict):
    """Sentences of one side, or on one aspect of the question."""

    title: str
    side: str | None
    sentences: list[AnswerSentenceData]


class AnswerData(TypedDict):
    """The answer of `ask` without `--model`; `silence`: why the library does not say."""

    question: str
    hypotheses: list[str]
    by: str
    papers_read: int
    full_texts: int
    probability: float
    silence: str | None
    unknown_words: list[str]
    groups: list[AnswerGroupData]
    notices: list[str]


_SIDE_HEADINGS: dict[AnswerSide, str] = {
    "for": "for",
    "against": "against",
    "unclear": "for or against: not told by the wording",
}
NOTHING_ON_ASPECT = "The library does not say."
"""Below an aspect of a question for which no sentence was found."""


def answer_lines(answer: Answer, options: LineOptions) -> list[str]:
    """The question, what was looked for and where, then group by group the sentences with paper, place and key."""
    lines = options.block(answer.question, indent=0, style="bold")
    lines += options.block(options.join(["looked for: " + "; ".join(answer.hypotheses), read_words(answer)]), indent=0)
    for group in answer.groups:
        lines.append("")
        if heading := group_heading(group):
            lines += options.block(heading, indent=0, style="bold")
        if not group.sentences:
            lines.append(f"     {NOTHING_ON_ASPECT}")
        for item in group.sentences:
            lines += _sentence_lines(item, options)
    return lines


def group_heading(group: AnswerGroup) -> str:
    """What a group's sentences have in common; empty where there is nothing to tell apart."""
    return _SIDE_HEADINGS[group.side] if group.side is not None else group.title


def read_words(answer: Answer) -> str:
    """How much was read, and by which method: `20 papers read, 3 of them as full text`."""
    papers = f"{count_phrase(answer.papers_read, 'paper')} read"
    texts = f", {answer.full_texts} of them as full text" if answer.full_texts else ", abstracts only"
    return f"{papers}{texts if answer.papers_read else ''}, {method_words(answer.by)}"


def silence_words(answer: Answer) -> str:
    """One sentence that says that the library does not answer, and why."""
    read = count_phrase(answer.papers_read, "paper")
    words = ", ".join(answer.unknown_words)
    match answer.silence:
        case "no papers":
            return "The library does not say: no paper in it is about that."
        case "outside the library":
            return f"The library does not say: none of the {read} read knows {words}; it may be of another field."
        case _:
            missing = f"; none of them holds {words}" if words else ""
            return f"The library does not say: nothing in the first {read} of the search bears on it{missing}."


def source_parts(item: AnswerSentence) -> tuple[str, ...]:
    """The paper and the place: authors, venue and year, locator, key, id, and a warning about the paper."""
    paper = item.paper
    parts = (short_authors(paper), venue_and_year(paper), item.locator, item.key, paper.id, status_warning(paper))
    return tuple(part for part in parts if part)


def _sentence_lines(item: AnswerSentence, options: LineOptions) -> Iterator[str]:
    yield from options.block(item.text, indent=5, first=f"{item.rank:>3}  ")
    source = options.join([stance_label(None, item.stance), *source_parts(item)])
    yield from options.block(source, indent=5, style="dim")
    for other in item.restatements:
        yield from options.block(f"also {options.join(source_parts(other))}: {other.text}", indent=7, style="dim")


def answer_data(answer: Answer) -> AnswerData:
    """The answer for `--json`; its fields are in docs/reference/json.md."""
    return {
        "question": answer.question,
        "hypotheses": list(answer.hypotheses),
        "by": answer.by,
        "papers_read": answer.papers_read,
        "full_texts": answer.full_texts,
        "probability": round(answer.probability, 3),
        "silence": answer.silence or None,
        "unknown_words": list(answer.unknown_words),
        "groups": [
            {
                "title": group.title,
                "side": group.side,
                "sentences": [
                    {**sentence_data(item), "restatements": [sentence_data(other) for other in item.restatements]}
                    for item in group.sentences
                ],
            }
            for group in answer.groups
        ],
        "notices": list(answer.notices),
    }


def sentence_data(item: AnswerSentence) -> AnswerSourceData:
    """A sentence of a paper for JSON."""
    return {
        "rank": item.rank,
        "text": item.text,
        "paper": item.paper.id,
        "title": item.paper.title,
        "year": item.paper.year,
        "key": item.key,
        "locator": item.locator,
        "section": item.section,
        "page": item.page,
        "kind": item.kind,
        "index": item.index,
        "document": item.document_id,
        "origin": item.origin,
        "probability": round(item.probability, 3),
        "strength": item.strength,
        "closeness": strength_words(item.strength),
        "side": item.side,
        "likely_stance": likely_stance_data(item.stance),
        "warning": status_warning(item.paper),
    }
