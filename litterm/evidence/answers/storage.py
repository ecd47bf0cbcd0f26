"""Answers that a model wrote, kept by project and question, with what was decided about their sentences."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, cast, get_args

from litterm.core.errors import ReadOnly, UnknownPaper
from litterm.core.json_fields import items, mapping
from litterm.library.state.sessions import written_answer
from litterm.model.answer import Answer, AnswerSentence
from litterm.model.paper import Paper, PaperId
from litterm.model.written_answer import FaultKind, PartKind, SentenceFault, WrittenAnswer, WrittenPart, WrittenSentence

if TYPE_CHECKING:
    from litterm.interfaces import Records
    from litterm.library.state.connection import StateDatabase
    from litterm.library.state.sessions import SessionRow

SentenceDecision = Literal["kept", "dropped"]
_DECISIONS: Final = frozenset(get_args(SentenceDecision))
_KINDS: Final = frozenset(get_args(PartKind))
_QUOTE_TEXTS: Final = ("document_id", "origin", "text", "kind", "section", "locator", "key", "strength")


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer of a model with the decisions of the user."""

    answer: WrittenAnswer
    decisions: Mapping[str, SentenceDecision]
    """By the text of a sentence; sentences without one are undecided."""

    def decided(self, text: str, decision: SentenceDecision) -> KeptAnswer:
        """With a decision on the sentence `text`, or without one where that decision is there already."""
        others = {sentence: other for sentence, other in self.decisions.items() if sentence != text}
        if self.decisions.get(text) == decision:
            return replace(self, decisions=others)
        return replace(self, decisions={**others, text: decision})

    def shown(self) -> WrittenAnswer:
        """The answer as it is to be written to a file: without the sentences that were dropped."""
        parts = (
            replace(
                part, sentences=tuple(each for each in part.sentences if self.decisions.get(each.text) != "dropped")
            )
            for part in self.answer.parts
        )
        gaps = tuple(gap for gap in self.answer.gaps if self.decisions.get(gap.text) != "dropped")
        return replace(self.answer, parts=tuple(part for part in parts if part.sentences), gaps=gaps)


@dataclass(frozen=True, slots=True)
class WrittenAnswerStore:
    """Answers on disk, those of the current project."""

    state: Callable[[], StateDatabase]
    project: Callable[[], str]
    """The key of the current project."""
    records: Callable[[], Records]

    def load(self, question: str) -> KeptAnswer | None:
        """What was kept for this question; `None` if there is nothing, or nothing that can be read."""
        body = self._row(question).load()
        if not body:
            return None
        try:
            return self._read(body)
        except (KeyError, TypeError, ValueError):
            # Of another version, or damaged: the model is asked again.
            return None

    def save(self, kept: KeptAnswer) -> bool:
        """Keeps an answer; false in a library that cannot be written to.

        Raises:
            StateBusy: another process is writing.
            DiskFull: there is no room.
        """
        answer = kept.answer
        body = {
            "question": answer.question,
            "by": answer.by,
            "papers_read": answer.papers_read,
            "full_texts": answer.full_texts,
            "hypotheses": list(answer.offline.hypotheses),
            "notices": list(answer.notices),
            "quotes": [_quote_row(quote) for quote in answer.quotes],
            "parts": [
                {"kind": part.kind, "sentences": [_sentence_row(each) for each in part.sentences]}
                for part in answer.parts
            ],
            "gaps": [_sentence_row(gap) for gap in answer.gaps],
            "decisions": dict(kept.decisions),
        }
        try:
            self._row(answer.question).save(body)
        except ReadOnly:
            return False
        return True

    def _read(self, body: Mapping[str, object]) -> KeptAnswer:
        question, notices = str(body["question"]), tuple(map(str, items(body["notices"])))
        papers_read, full_texts = int(str(body["papers_read"])), int(str(body["full_texts"]))
        hypotheses = tuple(map(str, items(body["hypotheses"])))
        offline = Answer(question, hypotheses, (), "linear", papers_read, full_texts, 0.0)
        answer = WrittenAnswer(
            question=question,
            by=str(body["by"]),
            quotes=tuple(self._quote(rank, row) for rank, row in enumerate(items(body["quotes"]), 1)),
            parts=tuple(map(_part, items(body["parts"]))),
            gaps=tuple(map(_sentence, items(body["gaps"]))),
            offline=offline,
            papers_read=papers_read,
            full_texts=full_texts,
            notices=notices,
        )
        stored = mapping(body["decisions"])
        decisions = {
            text: cast("SentenceDecision", decision) for text, decision in stored.items() if decision in _DECISIONS
        }
        return KeptAnswer(answer, decisions)

    def _quote(self, rank: int, row: object) -> AnswerSentence:
        fields = mapping(row)
        texts = {name: str(fields[name]) for name in _QUOTE_TEXTS}
        page = fields["page"]
        return AnswerSentence(
            rank=rank,
            paper=self._paper(PaperId(str(fields["paper"])), str(fields["title"])),
            index=int(str(fields["index"])),
            page=page if isinstance(page, int) else None,
            probability=float(str(fields["probability"])),
            **texts,  # type: ignore[arg-type]
        )

    def _paper(self, paper_id: PaperId, title: str) -> Paper:
        try:
            return self.records().by_id([paper_id])[0]
        except UnknownPaper:
            # It was removed since; what was quoted from it is still shown.
            return Paper(paper_id, title, "")

    def _row(self, question: str) -> SessionRow:
        named = f"{self.project()}\0{' '.join(question.split())}".encode("utf-8", "surrogatepass")
        return written_answer(self.state(), hashlib.blake2b(named, digest_size=16).hexdigest())


def _quote_row(quote: AnswerSentence) -> dict[str, object]:
    return {
        "paper": quote.paper.id,
        "title": quote.paper.title,
        "index": quote.index,
        "page": quote.page,
        "probability": quote.probability,
        **{name: str(getattr(quote, name)) for name in _QUOTE_TEXTS},
    }


def _sentence_row(sentence: WrittenSentence) -> dict[str, object]:
    return {
        "text": sentence.text,
        "quotes": list(sentence.quotes),
        "checked": sentence.is_checked,
        "faults": [[fault.kind, fault.words, fault.by] for fault in sentence.faults],
    }


def _sentence(row: object) -> WrittenSentence:
    fields = mapping(row)
    faults = (
        SentenceFault(cast("FaultKind", str(kind)), str(words), str(by))
        for kind, words, by in map(items, items(fields["faults"]))
    )
    quotes = tuple(int(str(rank)) for rank in items(fields["quotes"]))
    return WrittenSentence(str(fields["text"]), quotes, tuple(faults), fields["checked"] is True)


def _part(row: object) -> WrittenPart:
    fields = mapping(row)
    kind = str(fields["kind"])
    if kind not in _KINDS:
        raise ValueError(kind)
    return WrittenPart(cast("PartKind", kind), tuple(map(_sentence, items(fields["sentences"]))))
