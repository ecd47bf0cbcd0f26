"""Excerpts with one citation masked, as by CiteME (Press et al. 2024): attributable, unambiguous, not trivial."""

from __future__ import annotations

import re
from collections.abc import Iterable

from litterm.attribution.attributability import is_coined_name
from litterm.attribution.excerpt import read_excerpt
from litterm.attribution.marks import loose_names
from litterm.model.attribution.citation import ExcerptKind
from litterm.model.paper import Paper
from litterm.model.test_sets import CitationGroup, CitingPassage, MaskedExcerpt, PassageSentence
from litterm.test_sets.passages import is_usable
from litterm.text.references.identity import title_key
from litterm.text.tokens import fold, words

MARK = "[CITATION]"
SENTENCE = "sentence"
"""What an excerpt is made by: a stretch of the text as it is."""
SEVERAL, NAMED = "several works are cited there", "the excerpt names the cited work"
_REASONS: dict[ExcerptKind, str] = {
    "wordless": "no word to search for",
    "trivial": NAMED,
    "ambiguous": "many papers would fit",
    "unattributable": "says what was adopted, not what the paper is about",
}
_MIN_NAME_CHARS = 3
"""A shorter family name is as often a word."""


def excerpt_of(passage: CitingPassage, sentence: PassageSentence, group: CitationGroup) -> MaskedExcerpt | str:
    """The excerpt around one citation, or the reason why it would be a bad one."""
    if not group.is_single:
        return SEVERAL
    target = passage.papers[group.cited[0]]
    own = _mask(sentence, group)
    context = _sentence_before(passage, sentence)
    text = " ".join(f"{context} {own}".split())
    kind = read_excerpt(own).kind
    if kind in _REASONS:
        return _REASONS[kind]
    if names_work(text, target):
        return NAMED
    key = f"{passage.source.id}#{sentence.number}.{group.span.start}"
    return MaskedExcerpt(key, text, target, passage.source, SENTENCE)


def single_candidates(passage: CitingPassage) -> Iterable[tuple[PassageSentence, CitationGroup]]:
    """The citations of a passage that the library can tell, of one work or of several."""
    for sentence in passage.sentences:
        for group in sentence.groups if is_usable(sentence) else ():
            if group.cited and passage.source.id not in group.cited:
                yield sentence, group


def names_work(text: str, target: Paper) -> bool:
    """Whether `text` has the title of a work, the name of one of its authors, or a coined name of its title."""
    if len(title_key(target.title)) > len("introduction") and title_key(target.title) in title_key(text):
        return True
    written = {fold(word) for word in re.findall(r"[^\W\d_][\w'’-]*", text) if word[0].isupper()}
    if any(len(author.surname) >= _MIN_NAME_CHARS and fold(author.surname) in written for author in target.authors):
        return True
    coined = {fold(word) for word in re.findall(r"[\w-]+", target.title) if is_coined_name(word)}
    return not coined.isdisjoint(words(text))


def _mask(sentence: PassageSentence, group: CitationGroup) -> str:
    """The sentence with the mark in place of the citation, and of the names of authors right before it."""
    before, after = sentence.text[: group.span.start], sentence.text[group.span.end :]
    names = [span for span in loose_names(before) if not before[span.end :].strip()]
    if names:
        before = before[: names[-1].start]
    blank = "" if not before or before.endswith((" ", "(", "[")) else " "
    return f"{before}{blank}{MARK}{after}"


def _sentence_before(passage: CitingPassage, sentence: PassageSentence) -> str:
    """The sentence before in the same paragraph: what "this task" is, stands there."""
    place = passage.sentences.index(sentence)
    return passage.sentences[place - 1].text if place and is_usable(passage.sentences[place - 1]) else ""
