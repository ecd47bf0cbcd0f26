"""The hypothesis of a citing sentence with a language model, in the two steps of EvidenceBench.

First the question that the cited paper serves, from the sentence and the paragraphs around it; then the hypothesis,
from that question, without details and without what is reported as evidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from litterm.core.errors import ReplyUnreadable
from litterm.core.tasks import Task
from litterm.evidence.citing_sentences import neighbouring_paragraphs
from litterm.model.citing_sentence import MAX_HYPOTHESIS_WORDS, CitationPlace, CitingSentence, ProposedHypothesis
from litterm.model.document import Document
from litterm.model.events import Progress
from litterm.model.llm import CostEstimate, ModelRequest, Question, ReplyForm
from litterm.text.llm.prompts import Data, Prompt, prompt
from litterm.text.llm.reply_json import LineShape, Record

if TYPE_CHECKING:
    from litterm.llm.model import ChatModel

_CITED: Final = "[CITED]"
_MAX_SENTENCE_CHARS, _MAX_CONTEXT_CHARS, _MAX_QUESTION_CHARS, _MAX_HYPOTHESIS_CHARS = 2_000, 8_000, 800, 500
_MAX_REPLY_TOKENS = 1_000


def propose_with_model(
    model: ChatModel, document: Document, citing: CitingSentence, cited: CitationPlace
) -> Task[ProposedHypothesis]:
    """The hypothesis that `cited` is said to support, in two requests.

    Raises:
        ModelError: there is no answer, or none of at most 50 words.
    """
    yield Progress(f"asking {model.name}", 0, 2)
    purpose = yield from model.answer(_purpose_question(document, citing, cited))
    yield Progress(f"asking {model.name}", 1, 2)
    answer = yield from model.answer(_hypothesis_question(citing, cited, purpose.value))
    text = " ".join(answer.value.split())
    count = len(text.split())
    if not 0 < count <= MAX_HYPOTHESIS_WORDS:
        raise ReplyUnreadable(
            f"{model.name} wrote a hypothesis of {count} words, and it may have at most {MAX_HYPOTHESIS_WORDS}."
        )
    notice = f"The hypothesis was worded by {model.name} from the citing sentence and the paragraphs around it."
    return ProposedHypothesis(text, model.name, (notice,))


def proposal_cost(model: ChatModel, document: Document, citing: CitingSentence, cited: CitationPlace) -> CostEstimate:
    """What `propose_with_model` would cost at most; sends nothing."""
    likely_purpose = "x" * (_MAX_QUESTION_CHARS // 2)
    return model.estimate(
        [
            _purpose_question(document, citing, cited).request,
            _hypothesis_question(citing, cited, likely_purpose).request,
        ]
    )


def _purpose_question(document: Document, citing: CitingSentence, cited: CitationPlace) -> Question[str]:
    """Step 1: which question the cited paper serves."""
    paragraphs = "\n\n".join(neighbouring_paragraphs(document, citing.sentence))
    asked = prompt(
        "citing-purpose",
        sentence=_sentence_data(citing, cited),
        paragraphs=Data("paragraphs", paragraphs[:_MAX_CONTEXT_CHARS]),
    )
    return _question(asked, _line_form("question", _MAX_QUESTION_CHARS))


def _hypothesis_question(citing: CitingSentence, cited: CitationPlace, purpose: str) -> Question[str]:
    """Step 2: the hypothesis, from the question of step 1."""
    asked = prompt(
        "citing-hypothesis",
        question=Data("question", purpose),
        sentence=_sentence_data(citing, cited),
        limit=MAX_HYPOTHESIS_WORDS,
    )
    return _question(asked, _line_form("hypothesis", _MAX_HYPOTHESIS_CHARS))


def _sentence_data(citing: CitingSentence, cited: CitationPlace) -> Data:
    return Data("sentence", _with_mark(citing, cited)[:_MAX_SENTENCE_CHARS])


def _with_mark(citing: CitingSentence, cited: CitationPlace) -> str:
    """The citing sentence, the marks of `cited` as `[CITED]`."""
    text = citing.sentence.text
    for mark in sorted(cited.marks, key=lambda span: -span.start):
        text = f"{text[: mark.start]}{_CITED}{text[mark.end :]}"
    return text


def _line_form(name: str, longest: int) -> ReplyForm[str]:
    return ReplyForm(name, Record(_only_field, **{name: LineShape("one sentence", longest)}))


def _only_field(question: str = "", hypothesis: str = "") -> str:
    return question or hypothesis


def _question(filled: Prompt, form: ReplyForm[str]) -> Question[str]:
    return Question(ModelRequest(filled.purpose, filled.messages, max_tokens=_MAX_REPLY_TOKENS), form)
