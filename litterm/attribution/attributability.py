"""Attributability of an excerpt, in one line shown beside the answer; it changes no ranking."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from litterm.attribution.marks import CitationMark
from litterm.model.attribution.citation import ExcerptKind
from litterm.model.document import Span

_MIN_WORDS = 4
_MAX_COINED_SHOWN, _MAX_MARK_CHARACTERS = 4, 40
# "Hyperparameters follow [CITATION]": the sentence tells what was adopted, not what the paper is about.
_REUSED_NOUNS = (
    r"(?:hyper-?parameters?|(?:experimental |training |parameter |same )?settings?|set-?up|configurations?|"
    r"implementation|pre-?processing|protocol|procedure|training details|notation|splits?|evaluation script)"
)
_REUSE_VERBS = (
    r"(?:follow(?:s|ed|ing)?|adopt(?:s|ed)?|identical to|the same|as in|similar to|taken from|use[ds]?|according to)"
)
_REUSE_BEFORE_MARK = re.compile(
    rf"\b{_REUSE_VERBS}\b[^.;]{{0,40}}\b{_REUSED_NOUNS}\b[^.;]{{0,30}}\b(?:of|from|as|in|by|to)\b[\s(\[]{{0,3}}$"
    rf"|\b{_REUSED_NOUNS}\b[^.;]{{0,40}}\b(?:follow(?:s|ed|ing)?|as in|taken from|identical to|similar to|same as)\b"
    r"[\s(\[]{0,3}$",
    re.IGNORECASE,
)
_ONE_OF_MANY = re.compile(
    r"\b(?:e\.\s?g\.|among others|inter alia|many|various|several|numerous|a number of|"
    r"much (?:work|research)|a variety of|recent (?:work|works|studies|years)|previous (?:work|works|studies)|"
    r"widely)\b",
    re.IGNORECASE,
)
# Up to one word may stand between a name and its mark: "the ELMo model [CITATION]".
_ROLE = "is|was|are|by|of|from|with|using|use|uses|used|called|named|and|or|the"
_KIND_OF_THING = (
    "system|model|parser|tagger|corpus|dataset|data|toolkit|tool|library|framework|architecture|network|embeddings|"
    "vectors|representations|algorithm|method|metric|score|scores|benchmark|treebank"
)
_NAMED_BY_MARK = re.compile(
    rf"(?:^|[\s(\[“\"])(?P<name>[^\s()\[\]]{{2,30}})[”\"]?\s?(?:{_ROLE}|{_KIND_OF_THING})?\s?[(\[]?$"
)
# Between the article and the name: "a GAN" may be the name of one thing, "a conditional GAN" is one of many.
_KIND_BEFORE_NAME = re.compile(
    r"\b(?:an?|any|some|another|each|every)\s(?:[a-z][\w-]{2,30}\s){1,2}[“\"]?$", re.IGNORECASE
)


_KIND_NOTES: dict[ExcerptKind, str] = {
    "wordless": "no word to search for",
    "trivial": "the text names the cited work",
    "ambiguous": "ambiguous: several papers may fit",
    "unattributable": "hard to attribute: says what was adopted, not what the paper is about",
}


@dataclass(frozen=True, slots=True)
class ExcerptFeatures:
    """What the class of an excerpt depends on: its text, marks, claim, content words and coined names."""

    text: str
    marks: Sequence[CitationMark]
    chosen: int
    claim: Span
    content: frozenset[str]
    """Folded words that tell something."""
    coined: tuple[str, ...]


def is_coined_name(word: str) -> bool:
    """Whether a word is no ordinary one: `ELMo`, `GPT-2`, `MUC6`."""
    inner = any(character.isupper() for character in word[1:])
    return len(word) > 2 and word[0].isalpha() and (inner or any(character.isdigit() for character in word))


def classify_excerpt(looks: ExcerptFeatures) -> ExcerptKind:
    """The class of CiteME's taxonomy that the excerpt falls into by its wording."""
    # In this order: "many use ELMo [CITATION]" names what is cited, although it is about many.
    claim = looks.text[looks.claim.start : looks.claim.end]
    if not looks.content:
        return "wordless"
    if _has_named_mark(looks):
        return "trivial"
    if looks.chosen >= 0 and _REUSE_BEFORE_MARK.search(
        looks.text, looks.claim.start, looks.marks[looks.chosen].span.start
    ):
        return "unattributable"
    if _ONE_OF_MANY.search(claim):
        return "ambiguous"
    return "attributable"


def describe_excerpt(looks: ExcerptFeatures, kind: ExcerptKind) -> str:
    """One line for the user: which mark is meant, coined names near it, the kind, and whether there are few words."""
    parts = [_describe_mark(looks)]
    if looks.coined:
        parts.append("names beside the mark: " + ", ".join(looks.coined[:_MAX_COINED_SHOWN]))
    if kind in _KIND_NOTES:
        parts.append(_KIND_NOTES[kind])
    if kind != "wordless" and len(looks.content) < _MIN_WORDS:
        parts.append("very few words to go by")
    return " · ".join(parts)


def _has_named_mark(looks: ExcerptFeatures) -> bool:
    """Whether a coined name comes right before the mark: `ELMo [CITATION]`."""
    if looks.chosen < 0:
        return False
    before = looks.text[max(0, looks.marks[looks.chosen].span.start - 60) : looks.marks[looks.chosen].span.start]
    match = _NAMED_BY_MARK.search(before.rstrip())
    if match is None or _KIND_BEFORE_NAME.search(before, 0, match.start("name")):
        # "a conditional GAN": one of a kind, and not the work that brought the name.
        return False
    return match["name"].strip(",.;:'’") in looks.coined


def _describe_mark(looks: ExcerptFeatures) -> str:
    marks, text = looks.marks, looks.text
    if not marks:
        return "no [CITATION] mark, so for the end of the text"
    if len(marks) == 1:
        return "one mark"
    span = marks[looks.chosen].span
    equal_marks = [other for other in marks if text[other.span.start : other.span.end] == text[span.start : span.end]]
    number_words = f" number {equal_marks.index(marks[looks.chosen]) + 1}" if len(equal_marks) > 1 else ""
    mark = " ".join(text[span.start : span.end].split())[:_MAX_MARK_CHARACTERS]
    return f"{len(marks)} marks; this is about {mark}{number_words}"
