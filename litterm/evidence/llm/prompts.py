"""Builds the requests about a paper from the prompt files, ready to be sent to a model.

Sentences stand numbered within fences that no paper can close, and a reply can only name numbers: whatever a paper
makes a model say, it cannot put words of its own on the screen as evidence.
"""

from __future__ import annotations

from collections.abc import Sequence

from litterm.evidence.llm.chunks import PaperChunk, prompt_text
from litterm.evidence.llm.pick_lists import NumberList, PickList, names_sentences
from litterm.evidence.llm.replies import PickedSentence, read_picks
from litterm.model.document import Sentence
from litterm.model.evidence import EvidenceScope
from litterm.model.llm import Message, ModelRequest, Question, ReplyForm, ReplyMismatch
from litterm.text.llm.json_shapes import LineShape, Record
from litterm.text.llm.prompts import Data, Prompt, number_lines, phrase, prompt
from litterm.text.llm.reply_json import json_values

Picks = tuple[PickedSentence, ...]


def _read_negation(negation: str) -> str:
    """The only field of the reply."""
    return negation


_MIN_REPLY_TOKENS = 2048
_TOKENS_PER_PICK = 64
_MAX_CLAIM_CHARACTERS = 1000
_NEGATION_FORM: ReplyForm[str] = ReplyForm(
    "negation", Record(_read_negation, negation=LineShape("the negated claim", _MAX_CLAIM_CHARACTERS))
)


def ask_about_chunk(part: PaperChunk, hypothesis: str, *, k: int, scope: EvidenceScope) -> Question[Picks]:
    """Stage 1: which sentences of one part."""
    text = _numbered_lines(part.sentences)
    headed = f"Part: {prompt_text(part.title)}\n{text}" if part.title else text
    filled = prompt(
        "evidence-section",
        aim=_aim_phrase(scope),
        limit=k,
        hypothesis=_claim_data(hypothesis),
        paper=_paper_data(headed),
    )
    return _build_question(filled, _pick_form(len(part.sentences)), k)


def ask_about_paper(
    part: PaperChunk, hypothesis: str, *, k: int, scope: EvidenceScope, examples: bool
) -> Question[Picks]:
    """Which sentences of a whole paper, after worked examples if wanted."""
    claim, paper = _claim_data(hypothesis), _paper_data(_numbered_lines(part.sentences))
    if examples:
        worked = phrase("evidence-example-choices")
        filled = prompt(
            "evidence-examples", aim=_aim_phrase(scope), limit=k, examples=worked, hypothesis=claim, paper=paper
        )
    else:
        filled = prompt("evidence-whole", aim=_aim_phrase(scope), limit=k, hypothesis=claim, paper=paper)
    return _build_question(filled, _pick_form(len(part.sentences)), k)


def ask_to_choose(union: Sequence[Sentence], hypothesis: str, *, k: int, scope: EvidenceScope) -> Question[Picks]:
    """Stage 2: which of the sentences that were picked in the parts, in paper order."""
    paper = _paper_data(_numbered_lines(union))
    filled = prompt("evidence-choose", aim=_aim_phrase(scope), limit=k, hypothesis=_claim_data(hypothesis), paper=paper)
    return _build_question(filled, _choice_form(len(union)), k)


def ask_for_fewer(question: Question[Picks], answer: str, *, count: int, k: int) -> Question[Picks]:
    """The same conversation with the model's own answer `answer`, which named `count`, and the wish for at most `k`."""
    request = question.request
    turns = (Message("assistant", answer), Message("user", phrase("evidence-again", count=count, limit=k)))
    second_request = ModelRequest(
        f"{request.purpose}+again", (*request.messages, *turns), max_tokens=request.max_tokens
    )
    return Question(second_request, question.form)


def ask_for_negation(hypothesis: str) -> Question[str]:
    """How the hypothesis reads negated."""
    filled = prompt("evidence-negate", hypothesis=_claim_data(hypothesis))
    return Question(ModelRequest(filled.purpose, filled.messages, max_tokens=512), _NEGATION_FORM)


def negate_plainly(hypothesis: str) -> str:
    """The negated hypothesis without a model: clumsy, and always true to it."""
    return f"It is not the case that: {' '.join(hypothesis.split())}"


def _pick_form(prompt_text: int) -> ReplyForm[Picks]:
    """Numbers of so many sentences, with stances and reasons."""
    return ReplyForm("evidence", PickList(prompt_text), lambda text: _read_plain_picks(text, prompt_text))


def _choice_form(prompt_text: int) -> ReplyForm[Picks]:
    """Numbers of so many sentences alone."""
    return ReplyForm("choice", NumberList(prompt_text), lambda text: _read_plain_picks(text, prompt_text))


def _read_plain_picks(text: str, prompt_text: int) -> Picks:
    """The picks of a reply that is no JSON.

    Raises:
        ReplyMismatch: it holds none, or it is JSON after all, whose numbers the shape did not take.
    """
    if any(names_sentences(value) for value in json_values(text)):
        raise ReplyMismatch(f"No number is one of the sentences shown: they must be from 1 to {prompt_text}.")
    return read_picks(text, prompt_text)


def _build_question(filled: Prompt, form: ReplyForm[Picks], k: int) -> Question[Picks]:
    # Always sent: without a limit local servers write until their context is full.
    max_tokens = max(_MIN_REPLY_TOKENS, _MIN_REPLY_TOKENS // 4 + _TOKENS_PER_PICK * k)
    return Question(ModelRequest(filled.purpose, filled.messages, max_tokens=max_tokens), form)


def _aim_phrase(scope: EvidenceScope) -> str:
    return phrase(f"evidence-{scope}")


def _claim_data(hypothesis: str) -> Data:
    return Data("hypothesis", " ".join(hypothesis.split())[:_MAX_CLAIM_CHARACTERS])


def _paper_data(text: str) -> Data:
    return Data("paper", text)


def _numbered_lines(sentences: Sequence[Sentence]) -> str:
    return number_lines([prompt_text(sentence.text) for sentence in sentences])
