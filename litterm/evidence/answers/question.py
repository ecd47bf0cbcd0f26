"""A question read into what evidence extraction understands: a statement, or one for each of its aspects."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from litterm.core.errors import UsageError
from litterm.evidence.candidate_pool import content_stems
from litterm.text.queries.parser import ASPECT_SEPARATOR
from litterm.text.request_limits import check_hypothesis
from litterm.text.tokens import QUESTION_WORDS, words

MAX_QUESTION_ASPECTS: Final = 6
"""More parts than a question is asked in; the rest is left out."""
_INTERROGATIVES: Final = "what|when|where|which|whom|whose|who|why|how"
_AUXILIARIES: Final = (
    "am|are|aren't|can|can't|cannot|could|did|didn't|do|does|doesn't|don't|had|has|hasn't|have|is|isn't|may|might|must"
    "|should|was|wasn't|were|will|won't|would"
)
_POLAR: Final = re.compile(rf"(?:(?:and|but|so|then) )?(?:{_AUXILIARIES})\b ?", re.IGNORECASE)
_ASKING: Final = re.compile(rf"(?:(?:and|but|so|then) )?(?:{_INTERROGATIVES})\b", re.IGNORECASE)
_TALK: Final = re.compile(
    r"(?:there (?:any |some |good |strong |much )?(?:evidence|proof|stud(?:y|ies)|research|papers?|work)"
    r" (?:that|for|of|on|showing|whether|which shows?)"
    r"|(?:any |some |the )?(?:papers?|stud(?:y|ies)|evidence|research|literature|work|we|you|people|anybody|anyone)"
    r" (?:shows?|finds?|found|says?|suggests?|supports?|knows?|tell(?: me)?|reports?|agrees?|thinks?|believes?)"
    r" (?:that|whether|if)"
    r"|it (?:true|the case|known|clear|possible|likely|correct) (?:that|whether|if)) ",
    re.IGNORECASE,
)
"""What only asks whether there is something: *is there evidence that*, *do studies show that*."""
_QUALITY: Final = re.compile(r"\ban? (?:good|better|suitable|reliable|useful) (?=\w)", re.IGNORECASE)
"""What is asked of a thing: a paper that answers seldom has the word (*BLEU correlates poorly with judgments*)."""
_LEADING: Final = QUESTION_WORDS | frozenset(
    "a am an and any been being best but common commonly current different had has have he how i it main many may might"
    " most much must of on one possible so state than that the their then there they this those to us we well you your"
    " kind kinds type types sort sorts known say said tell done used use".split()
)
"""Words at the beginning of a question that hold nothing to look for."""
_NEXT_QUESTION: Final = re.compile(
    rf"\? (?=\S)|; |,? (?:and|or|but) (?=(?:{_INTERROGATIVES})\b|(?:is|are|does|do|did|was|were|can|has|have)"
    r" (?:it|they|this|that|these|those|there|he|she)\b)",
    re.IGNORECASE,
)
_LISTED: Final = re.compile(
    r"(?P<ask>what|which) (?P<list>[^,?;]{2,50}(?:, [^,?;]{2,50}){0,3},? and [^,?;]{2,50}?)"
    r" (?P<rest>(?:are|is|were|was|do|does|did|have|has|can|should)\b.{3,})",
    re.IGNORECASE,
)
"""*What data sets and metrics are used for X*: each listed thing is asked for by itself."""
_MAX_LISTED_WORDS: Final = 4
_LIST_SEPARATOR: Final = re.compile(r", (?:and )?| and ")
_REFERRING: Final = frozenset("it its they them their this that these those there he she".split())
_MIN_ASPECT_WORDS: Final = 2
_CHOICE: Final = re.compile(r"\bor\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QuestionAspect:
    """One thing that is asked."""

    text: str
    """As typed."""
    statement: str
    """What is looked for; has at least one content word."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question and what it asks for."""

    text: str
    """As typed, blanks squeezed."""
    aspects: tuple[QuestionAspect, ...]
    """At least one."""
    is_polar: bool
    """Whether it is answered by yes or no, or is a claim: then sentences may be for or against."""


def read_question(typed: str) -> AskedQuestion:
    """`typed` as a question.

    Raises:
        UsageError: there is no content word to look for.
        AsksTooMuch: it has more words than a hypothesis may have.
    """
    check_hypothesis(typed)
    text = " ".join(typed.split())
    if not content_stems(text):
        fault = "is empty" if not text else "has no word to look for"
        raise UsageError(f"The question {fault}; ask about something, for example: does dropout reduce overfitting?")
    parts = _split(text)
    aspects = [aspect for aspect in _aspects(parts) if content_stems(aspect.statement)]
    aspects = aspects[:MAX_QUESTION_ASPECTS] or [QuestionAspect(text, text)]
    asks = bool(_ASKING.match(text))
    # "Is A or B better" is answered by neither yes nor no.
    is_choice = bool(_POLAR.match(text)) and bool(_CHOICE.search(text))
    return AskedQuestion(text, tuple(aspects), is_polar=len(aspects) == 1 and not asks and not is_choice)


def statement_of(question: str) -> str:
    """A question without the words that ask: *Does tulsi lower glucose?* looks for *tulsi lower glucose*."""
    bare = " ".join(question.split()).strip("¿?.! ")
    polar = _POLAR.match(bare)
    if polar and not _ASKING.match(bare):
        rest = bare[polar.end() :]
        talk = _TALK.match(rest)
        return _QUALITY.sub("a ", rest[talk.end() :] if talk else rest) or bare
    return _without_leading_words(bare) if _ASKING.match(bare) else bare


def _without_leading_words(text: str) -> str:
    kept = text.split()
    while kept and all(word in _LEADING for word in words(kept[0])):
        kept.pop(0)
    return " ".join(kept) or text


def _split(text: str) -> Sequence[str]:
    if ASPECT_SEPARATOR in text:
        return [part.strip() for part in text.split(ASPECT_SEPARATOR) if part.strip()]
    parts = [part.strip() for part in _NEXT_QUESTION.split(text) if part.strip()]
    if len(parts) > 1:
        return parts
    listed = _LISTED.match(text)
    if listed is None:
        return [text]
    things = [thing.strip() for thing in _LIST_SEPARATOR.split(listed["list"]) if thing.strip()]
    if len(things) < 2 or any(len(thing.split()) > _MAX_LISTED_WORDS or not content_stems(thing) for thing in things):
        return [text]
    return [f"{listed['ask']} {thing} {listed['rest']}" for thing in things]


def _aspects(parts: Sequence[str]) -> list[QuestionAspect]:
    first = statement_of(parts[0])
    aspects = [QuestionAspect(parts[0], first)]
    for part in parts[1:]:
        statement = statement_of(part)
        # "... and how is it treated" asks about what the first part named.
        refers = not _REFERRING.isdisjoint(words(part)) or len(set(content_stems(statement))) < _MIN_ASPECT_WORDS
        aspects.append(QuestionAspect(part, f"{statement} {first}" if refers else statement))
    return aspects
