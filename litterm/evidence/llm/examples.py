"""Worked examples for a model: sentences that the user accepted in other papers, or a few of litterm's own.

EvidenceBench shows eight pairs of a hypothesis and its sentences, and one where only results count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from litterm.evidence.llm.chunks import prompt_text
from litterm.evidence.study.split import reports_result
from litterm.model.annotations import Mark
from litterm.model.document import Document
from litterm.model.evidence import EvidenceScope
from litterm.model.paper import PaperId
from litterm.text.plural import count_phrase
from litterm.text.tokens import words

MAX_EXAMPLES: Final = 8
MAX_RESULT_EXAMPLES: Final = 1
"""Where only results count."""
_MAX_SENTENCES = 5
"""Of one example."""
_MAX_NAMED_PAPERS = 3


@dataclass(frozen=True, slots=True)
class AcceptedExample:
    """A hypothesis, and what the user accepted for it in one paper."""

    paper_id: PaperId
    hypothesis: str
    sentences: tuple[str, ...]
    """In the order of the paper, 1 to 5."""


def accepted_examples(marks: Iterable[Mark], document: Document, scope: EvidenceScope) -> tuple[AcceptedExample, ...]:
    """Up to eight examples out of `marks`, the oldest first, those of the latest decisions first; one for results.

    None is of the paper asked, nor of another record of it: a paper that shares a sentence with `document` is left
    out. For results only sentences count that report one.
    """
    own_sentences = {tuple(words(row.text)) for row in document.sentences}
    accepted = [mark for mark in marks if mark.kind == "accepted" and mark.hypothesis.strip()]
    same = {mark.paper_id for mark in accepted if tuple(words(mark.anchor.quote)) in own_sentences}
    by_question: dict[tuple[PaperId, str], list[Mark]] = {}
    for mark in reversed(accepted):
        if mark.paper_id in same or mark.paper_id == document.paper_id:
            continue
        if scope == "all" or reports_result(mark.anchor.quote):
            hypothesis = " ".join(mark.hypothesis.split())
            by_question.setdefault((mark.paper_id, hypothesis), []).append(mark)
    limit = MAX_RESULT_EXAMPLES if scope == "results" else MAX_EXAMPLES
    return tuple(
        AcceptedExample(paper_id, hypothesis, _in_paper_order(of_question[:_MAX_SENTENCES]))
        for (paper_id, hypothesis), of_question in list(by_question.items())[:limit]
    )


def example_lines(examples: Sequence[AcceptedExample]) -> str:
    """The examples as a model is shown them."""
    return "\n\n".join(
        "\n".join((f"Hypothesis: {prompt_text(each.hypothesis)}", *(f"- {prompt_text(row)}" for row in each.sentences)))
        for each in examples
    )


def describe_examples(examples: Sequence[AcceptedExample], scope: EvidenceScope) -> str:
    """How many examples the model was shown, and whose they are."""
    if not examples and scope == "results":
        return "The model was shown an example of litterm's own, as you accepted no result of another paper."
    if not examples:
        return "The model was shown examples of litterm's own, as you accepted no sentence of another paper."
    papers = list(dict.fromkeys(each.paper_id for each in examples))
    named = ", ".join(papers[:_MAX_NAMED_PAPERS])
    more = len(papers) - _MAX_NAMED_PAPERS
    rest = f" and {count_phrase(more, 'more paper')}" if more > 0 else ""
    return (
        f"The model was shown {count_phrase(len(examples), 'example')}: sentences that you accepted in {named}{rest}."
    )


def _in_paper_order(marks: Sequence[Mark]) -> tuple[str, ...]:
    return tuple(mark.anchor.quote for mark in sorted(marks, key=lambda mark: mark.anchor.index))
