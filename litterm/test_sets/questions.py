"""Search questions from citing sentences, without a model: the clause around the citation, put as a question.

The rules are those of LitSearch (Ajith et al. 2024): a question makes sense to someone who has not read the paper, a
citation whose purpose is unclear is left out, and what repeats the titles of the papers that answer it is too easy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from litterm.attribution.attributability import is_coined_name
from litterm.attribution.marks import loose_names
from litterm.model.document import Span
from litterm.model.paper import Paper
from litterm.model.test_sets import CitationGroup, CitingPassage, PassageSentence, SearchQuestion
from litterm.test_sets.passages import is_usable
from litterm.text.tokens import FUNCTION_WORDS, fold, words

CLAUSE = "clause"
"""What a question or hypothesis is made by where no model wrote it."""
UNCLEAR, TOO_EASY = "the clause does not say enough", "the question repeats titles"
MIN_CONTENT_WORDS = 4
"""A clause with fewer could be about anything."""
_MAX_CLAUSE_WORDS = 40
_CLAUSE_BOUNDARY = re.compile(
    r"[;:]\s|,\s+(?=(?:which|who|where|while|whereas|although|though|but|so|because|since|unlike)\b)|\s[–—]\s"
)
OPENING = re.compile(
    r"^(?:[\s,.;:)\]]|(?:however|moreover|furthermore|therefore|thus|hence|also|finally|recently|and|or|but|as"
    r"|for example|for instance|in addition|in particular|in contrast|more recently|e\.g\.|i\.e\.|see|cf\.|while"
    r"|whereas|although|because|since|where|which|who|that|so|unlike|similarly|specifically|indeed|first|second|third)\b)+",
    re.IGNORECASE,
)
_DANGLING_START = re.compile(
    r"^(?:this|these|those|it|its|they|their|them|he|she|his|her|such|both|all of (?:these|them)|the (?:same|latter"
    r"|former|authors?|above|following))\b",
    re.IGNORECASE,
)
UNRESOLVED = re.compile(
    r"\b(?:we|our|us|i|my|this|these|those|such(?! as\b)|above|below|as follows|following|figure|table"
    r"|section|equation|future work|can be found|reader is referred|for (?:more )?details|discussion of)\b",
    re.IGNORECASE,
)
"""The citing paper's own work, or something that only its reader sees: what the citation is for, stays unclear."""
_NUMBERING = re.compile(r"\(\s?(?:\d{1,2}|[a-z]|i{1,3}|iv)\s?\)\s")
_DANGLING_WORDS = frozenset(
    "of by in on from with as to and or the a an is are was were for at see following e.g.".split()
)
_DANGLING_CHARACTERS = frozenset(",;:([")
_RESOURCE = re.compile(r"\b(?:data\s?sets?|corpus|corpora|treebanks?|benchmarks?|lexicons?)\b", re.IGNORECASE)
_YEAR = re.compile(r"[(\[]?\b(?:1[89]|20)\d\d[a-z]?\b[)\]]?")
_SUBJECT = "[it]"
"""Stands in a clause for the cited work where that is the subject."""


def question_of(
    passage: CitingPassage, sentence: PassageSentence, group: CitationGroup, max_overlap: float
) -> SearchQuestion | str:
    """The question that one citation answers, or the reason why there is none."""
    targets = tuple(passage.papers[paper] for paper in group.cited if paper in passage.papers)
    clause = read_clause(sentence, group, targets)
    if not clause:
        return UNCLEAR
    query = ask(clause)
    # Of the clause alone: the words that make it a question would hide how much of it is titles.
    overlap = title_overlap(clause.removeprefix(_SUBJECT), targets)
    if overlap > max_overlap:
        return TOO_EASY
    key = f"{passage.source.id}#{sentence.number}.{group.span.start}"
    return SearchQuestion(key, query, targets, overlap, passage.source, sentence.text, CLAUSE)


def candidate_groups(passage: CitingPassage) -> Iterable[tuple[PassageSentence, CitationGroup]]:
    """The citations of a passage whose works are all held by the library."""
    for sentence in passage.sentences:
        for group in sentence.groups if is_usable(sentence) else ():
            # A work that the library lacks would be a right answer that no search can give.
            if group.cited and not group.others and passage.source.id not in group.cited:
                yield sentence, group


def read_clause(sentence: PassageSentence, group: CitationGroup, targets: Sequence[Paper]) -> str:
    """What the sentence says of the works that `group` cites, without names and years; empty where that is unclear."""
    start, end = _clause_span(sentence, group)
    before = _without_names(sentence.text[start : group.span.start], targets)
    after = _without_names(sentence.text[group.span.end : end], targets)
    before = OPENING.sub("", strip_dangling_end(before)).strip()
    # After a comma something else begins.
    after = "" if before and after.startswith(",") else after
    after = OPENING.sub("", strip_dangling_end(after)).strip() if count_content_words(after) else ""
    if not count_content_words(before) and count_content_words(after) >= MIN_CONTENT_WORDS:
        # The mark is the subject of the clause.
        return _tidy(f"{_SUBJECT} {after}")
    # What follows a mark in the middle is as often about the citing paper as about the cited one.
    return _tidy(before if count_content_words(before) >= MIN_CONTENT_WORDS or not after else f"{before} {after}")


def strip_dangling_end(text: str) -> str:
    """`text` without the words and characters at its end that something would have to follow."""
    end = len(text)
    while end:
        start = end
        while start and (text[start - 1].isalnum() or text[start - 1] == "."):
            start -= 1
        if start < end:
            if text[start:end].lower() not in _DANGLING_WORDS:
                break
            end = start
        elif text[end - 1].isspace() or text[end - 1] in _DANGLING_CHARACTERS:
            end -= 1
        else:
            break
    return text[:end]


def _tidy(clause: str) -> str:
    """`clause` on one line; empty where it is no clear statement."""
    clause = re.sub(r"\s+", " ", _NUMBERING.sub("", clause)).strip(" ,.;:")
    for opening, closing in ("()", "[]", "“”"):
        if clause.count(opening) != clause.count(closing):
            clause = clause.replace(opening, "").replace(closing, "")
    is_vague = _DANGLING_START.match(clause) or UNRESOLVED.search(clause)
    is_clear = count_content_words(clause.removeprefix(_SUBJECT)) >= MIN_CONTENT_WORDS and not is_vague
    return clause if is_clear and len(clause.split()) <= _MAX_CLAUSE_WORDS else ""


def ask(clause: str) -> str:
    """A question that the work answers of which `clause` was said."""
    if clause.startswith(f"{_SUBJECT} "):
        said = clause.removeprefix(_SUBJECT).strip()
        # "Smith and Jones (2001) use" and "Smith (2001) uses": the number of the verb is that of the authors.
        verb = said.split()[0]
        is_singular = verb.endswith(("s", "ed")) and not verb.endswith("ss")
        return f"Which {'work' if is_singular else 'papers'} {said}?"
    clause = clause if is_coined_name(clause.split()[0]) or clause[:2].isupper() else clause[0].lower() + clause[1:]
    if _RESOURCE.search(clause):
        return f"Is there a data set, or a paper on one, for this: {clause}?"
    return f"Which work is behind this statement: {clause}?"


def title_overlap(query: str, targets: Iterable[Paper]) -> float:
    """Share of the words of `query` that are in titles of `targets`, in [0, 1].

    Every word of the question counts, also function words and repeats; words are folded and not stemmed. LitSearch,
    whose filter this is, does not say how it counts.
    """
    asked = words(query)
    titles = {word for target in targets for word in words(target.title)}
    return sum(word in titles for word in asked) / len(asked) if asked else 1.0


def _clause_span(sentence: PassageSentence, group: CitationGroup) -> tuple[int, int]:
    """Start and end of the clause around a mark: no further than the next marks and the ends of clauses."""
    boundaries = [Span(*match.span()) for match in _CLAUSE_BOUNDARY.finditer(sentence.text)]
    boundaries += [other.span for other in sentence.groups if other is not group]
    start = max((span.end for span in boundaries if span.end <= group.span.start), default=0)
    end = min((span.start for span in boundaries if span.start >= group.span.end), default=len(sentence.text))
    return start, end


def _without_names(text: str, targets: Sequence[Paper]) -> str:
    """`text` without names of authors and years, and without names that the titles of the cited papers bear."""
    for span in sorted(loose_names(text), key=lambda span: -span.start):
        text = text[: span.start] + text[span.end :]
    families = {fold(author.surname) for target in targets for author in target.authors if len(author.surname) > 1}
    titles = {word for target in targets for word in words(target.title)}
    kept = [
        word
        for word in _YEAR.sub("", text).split()
        if (bare := word.strip("()[]“”\"',.;:")) == ""
        or not ((fold(bare) in families and bare[0].isupper()) or (is_coined_name(bare) and fold(bare) in titles))
    ]
    return " ".join(kept)


def count_content_words(text: str) -> int:
    """How many different words of `text` tell something."""
    return len(set(words(text)) - FUNCTION_WORDS)
