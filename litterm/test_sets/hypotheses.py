"""Hypotheses that papers are cited for, after EvidenceBench (Wang et al. 2025).

Without a model the hypothesis is the citing sentence itself, without its mark. Which sentences of the cited paper bear
on it is left open: words alone do not tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from litterm.attribution.marks import loose_names
from litterm.model.test_sets import CitationGroup, CitedHypothesis, CitingPassage, PassageSentence
from litterm.test_sets.excerpts import SENTENCE, names_work, single_candidates
from litterm.test_sets.questions import (
    MIN_CONTENT_WORDS,
    OPENING,
    UNRESOLVED,
    count_content_words,
    strip_dangling_end,
)

NO_FINDING = "no outcome is said of the cited paper"
SEVERAL_CITED = "the sentence cites several works"
CITED_AGAIN = "the paragraph cites the paper again"
TOO_LONG, NOT_ALONE = "longer than a hypothesis", "not to be understood by itself"
NAMES_WORK = "the sentence names the cited work"
MAX_WORDS = 50
"""A hypothesis has fewer words, as in EvidenceBench."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_OUTCOME = re.compile(
    r"\b(?:show|find|found|demonstrate|report|observe|reveal|indicate|suggest|conclude|improve|increase|decrease|reduce"
    r"|lead|cause|prevent|inhibit|induce|enhance|affect|correlate|associate|outperform|achieve|higher|lower|better|worse"
    r"|more|less|greater|significant|effective|require|depend)\w{0,5}\b",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"\s*(?:(?:have|has|had|also|first|recently)\s)*(?:show|find|found|demonstrate|report|observe|reveal|indicate"
    r"|suggest|conclude|argue|note|prove|claim)(?:s|n|d|ed)?\sthat\s(?P<rest>.+)",
    re.IGNORECASE,
)


def hypotheses_of(passage: CitingPassage) -> Iterator[CitedHypothesis | str]:
    """A hypothesis for each citation of a passage, or the reason why there is none."""
    for sentence, group in single_candidates(passage):
        yield hypothesis_of(passage, sentence, group)


def hypothesis_of(passage: CitingPassage, sentence: PassageSentence, group: CitationGroup) -> CitedHypothesis | str:
    """The hypothesis that one citing sentence states of the paper it cites, or the reason why there is none."""
    if len(sentence.groups) > 1 or not group.is_single:
        return SEVERAL_CITED
    paper = passage.papers[group.cited[0]]
    # A second mention would make the summary incomplete.
    if sum(paper.id in other.cited for each in passage.sentences for other in each.groups) > 1:
        return CITED_AGAIN
    text = statement_of(sentence, group)
    if fault := find_fault(text):
        return fault
    if not (_OUTCOME.search(sentence.text) or _NUMBER.search(text)):
        return NO_FINDING
    if names_work(text, paper):
        return NAMES_WORK
    context = " ".join(other.text for other in passage.sentences)
    return CitedHypothesis(f"{passage.source.id}#{sentence.number}", text, paper, passage.source, context, SENTENCE)


def statement_of(sentence: PassageSentence, group: CitationGroup) -> str:
    """The sentence without its mark and the names of authors beside it; empty where it is none without its subject."""
    before, after = sentence.text[: group.span.start], sentence.text[group.span.end :]
    for span in sorted(loose_names(before), key=lambda span: -span.start):
        before = before[: span.start] + before[span.end :]
    argument = before.rstrip(" ([")
    is_argument = strip_dangling_end(argument) != argument
    before = OPENING.sub("", strip_dangling_end(before)).strip()
    if not count_content_words(before):
        # "Smith and Jones (2001) show that ...": what they show is the statement.
        shown = _SHOWN.match(after)
        before, after = "", shown["rest"] if shown else ""
    elif is_argument and count_content_words(after):
        # "The method of [1] improves ...": without the mark something is missing in the middle.
        before, after = "", ""
    text = re.sub(r" ([.,;:])", r"\1", " ".join(f"{before} {after}".split()))
    return text[:1].upper() + text[1:]


def find_fault(text: str) -> str:
    """Why `text` has not the form of a hypothesis; empty where it has."""
    if len(text.split()) >= MAX_WORDS:
        return TOO_LONG
    return NOT_ALONE if UNRESOLVED.search(text) or count_content_words(text) < MIN_CONTENT_WORDS else ""


def has_numbers_of(text: str, summary: str) -> bool:
    """Whether `text` gives away a number of the summary that it was made from."""
    return not set(_NUMBER.findall(text)).isdisjoint(_NUMBER.findall(summary))
