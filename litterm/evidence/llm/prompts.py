"""Builds the requests about a paper from the prompt files, ready to be sent to a model.

Sentences stand numbered within fences that no paper can close, and a reply can only name numbers: whatever a paper
makes a model say, it cannot put words of its own on the screen as evidence.
"""

from __future__ import annotations

from collections.abc import Sequence

from litterm.evidence.llm.chunks import PaperChunk, shown
from litterm.evidence.llm.pick_lists import NumberList, PickList, names_sentences
from litterm.evidence.llm.replies import PickedSentence, picks_in
from litterm.model.document import Sentence
from litterm.model.evidence import EvidenceScope
from litterm.model.llm import Message, ModelRequest, Question, ReplyForm, ReplyMismatch
from litterm.text.llm.json_shapes import LineShape, Record
from litterm.text.llm.prompts import Data, Prompt, listed, phrase, prompt
from litterm.text.llm.reply_json import json_values

Picks = tuple[PickedSentence, ...]


def _negated(negation: str) -> str:
    """The one field of its form."""
    return negation


_REPLY_TOKENS = 2048
_TOKENS_A_PICK = 64
_LONGEST_CLAIM = 1000
_NEGATING: ReplyForm[str] = ReplyForm(
    "negation", Record(_negated, negation=LineShape("the negated claim", _LONGEST_CLAIM))
)


def about_part(part: PaperChunk, hypothesis: str, *, k: int, scope: EvidenceScope) -> Question[Picks]:
    """Stage 1: which sentences of one part."""
    text = _numbered(part.sentences)
    headed = f"Part: {shown(part.title)}\n{text}" if part.title else text
    filled = prompt("evidence-section", aim=_aim(scope), limit=k, hypothesis=_claim(hypothesis), paper=_paper(headed))
    return _question(filled, _picking(len(part.sentences)), k)


def about_whole(part: PaperChunk, hypothesis: str, *, k: int, scope: EvidenceScope, examples: bool) -> Question[Picks]:
    """Which sentences of a whole paper, after worked examples if wanted."""
    claim, paper = _claim(hypothesis), _paper(_numbered(part.sentences))
    if examples:
        worked = phrase("evidence-example-choices")
        filled = prompt("evidence-examples", aim=_aim(scope), limit=k, examples=worked, hypothesis=claim, paper=paper)
    else:
        filled = prompt("evidence-whole", aim=_aim(scope), limit=k, hypothesis=claim, paper=paper)
    return _question(filled, _picking(len(part.sentences)), k)


def about_union(union: Sequence[Sentence], hypothesis: str, *, k: int, scope: EvidenceScope) -> Question[Picks]:
    """Stage 2: which of the sentences that were picked in the parts, in paper order."""
    paper = _paper(_numbered(union))
    filled = prompt("evidence-choose", aim=_aim(scope), limit=k, hypothesis=_claim(hypothesis), paper=paper)
    return _question(filled, _choosing(len(union)), k)


def once_more(question: Question[Picks], answer: str, *, count: int, k: int) -> Question[Picks]:
    """The same conversation with the model's own answer `answer`, which named `count`, and the wish for at most `k`."""
    request = question.request
    turns = (Message("assistant", answer), Message("user", phrase("evidence-again", count=count, limit=k)))
    again = ModelRequest(f"{request.purpose}+again", (*request.messages, *turns), max_tokens=request.max_tokens)
    return Question(again, question.form)


def negation(hypothesis: str) -> Question[str]:
    """How the hypothesis reads negated."""
    filled = prompt("evidence-negate", hypothesis=_claim(hypothesis))
    return Question(ModelRequest(filled.purpose, filled.messages, max_tokens=512), _NEGATING)


def plain_negation(hypothesis: str) -> str:
    """The negated hypothesis without a model: clumsy, and always true to it."""
    return f"It is not the case that: {' '.join(hypothesis.split())}"


def _picking(shown: int) -> ReplyForm[Picks]:
    """Numbers of so many sentences, with stances and reasons."""
    return ReplyForm("evidence", PickList(shown), lambda text: _in_words(text, shown))


def _choosing(shown: int) -> ReplyForm[Picks]:
    """Numbers of so many sentences alone."""
    return ReplyForm("choice", NumberList(shown), lambda text: _in_words(text, shown))


def _in_words(text: str, shown: int) -> Picks:
    """The picks of a reply that is no JSON.

    Raises:
        ReplyMismatch: it holds none, or it is JSON after all, whose numbers the shape did not take.
    """
    if any(names_sentences(value) for value in json_values(text)):
        raise ReplyMismatch(f"No number is one of the sentences shown: they must be from 1 to {shown}.")
    return picks_in(text, shown)


def _question(filled: Prompt, form: ReplyForm[Picks], k: int) -> Question[Picks]:
    # Always sent: without a limit local servers write until their context is full.
    most = max(_REPLY_TOKENS, _REPLY_TOKENS // 4 + _TOKENS_A_PICK * k)
    return Question(ModelRequest(filled.purpose, filled.messages, max_tokens=most), form)


def _aim(scope: EvidenceScope) -> str:
    return phrase(f"evidence-{scope}")


def _claim(hypothesis: str) -> Data:
    return Data("hypothesis", " ".join(hypothesis.split())[:_LONGEST_CLAIM])


def _paper(text: str) -> Data:
    return Data("paper", text)


def _numbered(sentences: Sequence[Sentence]) -> str:
    return listed([shown(sentence.text) for sentence in sentences])
