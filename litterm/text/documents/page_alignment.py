"""Finds the page of each sentence of a full text in a PDF of the same paper; never guesses a page."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from litterm.model.document import Document, Sentence

_WORD = re.compile(r"[^\W_]+")
_NGRAM_WORDS = 3
"""Words of an n-gram, the unit of matching."""
_MIN_NGRAM_SHARE = 0.5
"""Share of the n-grams of a sentence that must be found together in the PDF."""
_MAX_OFFSET_WORDS = 6
"""Words by which matches may be shifted within a sentence: citations and formulas differ."""
_FLOATING_KINDS = frozenset({"caption", "table", "title", "abstract"})
"""Kinds of sentences that may be anywhere: only running text must be in order."""


@dataclass(frozen=True, slots=True)
class _PdfWords:
    """The words of a PDF in order."""

    words: tuple[str, ...]
    pages: tuple[int | None, ...]
    """The page of each word; `None` where its sentence may continue on the next page."""
    grams: dict[tuple[str, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class _Match:
    """Where a sentence was found."""

    start: int
    """Index of its first matching word."""
    page: int


def align_pages(document: Document, pdf: Document) -> Document:
    """`document` with the pages on which `pdf`, the same paper parsed from its PDF, has its sentences.

    A page already known stays. Running text is matched in order; a sentence is given a page only where most of
    its words are there.
    """
    source = _words_of(pdf)
    if not source.words:
        return document
    matches = {s.index: match for s in document.sentences if (match := _find_sentence(s, source)) is not None}
    # A sentence that a common phrase put on the wrong page breaks the order of its neighbours, and loses its page.
    accepted = _accept_in_order(document.sentences, matches)
    accepted.update(_match_short_rows(document.sentences, accepted, source))
    return replace(document, sentences=tuple(_with_page(sentence, accepted) for sentence in document.sentences))


def _with_page(sentence: Sentence, accepted: dict[int, _Match]) -> Sentence:
    match = accepted.get(sentence.index)
    return replace(sentence, page=match.page) if match is not None and sentence.page is None else sentence


def _tokens(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _words_of(pdf: Document) -> _PdfWords:
    words: list[str] = []
    pages: list[int | None] = []
    for sentence, crossing in _with_page_breaks(pdf.sentences):
        sentence_words = _tokens(sentence.text)
        words += sentence_words
        # Only the beginning of a sentence that goes over to the next page is known to be on its own page.
        pages += [sentence.page if index == 0 or not crossing else None for index in range(len(sentence_words))]
    grams: dict[tuple[str, ...], list[int]] = {}
    for index in range(len(words) - _NGRAM_WORDS + 1):
        grams.setdefault(tuple(words[index : index + _NGRAM_WORDS]), []).append(index)
    return _PdfWords(tuple(words), tuple(pages), {gram: tuple(places) for gram, places in grams.items()})


def _with_page_breaks(sentences: Sequence[Sentence]) -> Iterator[tuple[Sentence, bool]]:
    """Each sentence that has a page, and whether the next of its paragraph's flow is on another page."""
    placed = [sentence for sentence in sentences if sentence.page is not None]
    for index, sentence in enumerate(placed):
        following = next((s for s in placed[index + 1 :] if s.kind not in ("caption", "table")), None)
        yield sentence, following is not None and following.page != sentence.page


def _find_sentence(sentence: Sentence, pdf: _PdfWords) -> _Match | None:
    words = _tokens(sentence.text)
    count = len(words) - _NGRAM_WORDS + 1
    if count < 1:
        return None
    hits: list[tuple[int, int]] = []
    votes: Counter[int] = Counter()
    for index in range(count):
        # A common phrase is in many places; the first forty are enough for a vote, and bound the time of hostile
        # texts.
        for position in pdf.grams.get(tuple(words[index : index + _NGRAM_WORDS]), ())[:40]:
            hits.append((index, position))
            # In two bands that overlap by half: places on both sides of a border would otherwise count apart.
            votes[(position - index) // _MAX_OFFSET_WORDS] += 1
            votes[(position - index) // _MAX_OFFSET_WORDS + 1] += 1
    if not votes:
        return None
    best = max(votes, key=lambda key: (votes[key], -key))
    own_hits = [
        (index, position) for index, position in hits if (position - index) // _MAX_OFFSET_WORDS in (best, best - 1)
    ]
    if len({index for index, _ in own_hits}) < _MIN_NGRAM_SHARE * count or _is_tied(votes, best, count):
        return None
    return _match_at_page(own_hits, pdf)


def _is_tied(votes: Counter[int], best: int, count: int) -> bool:
    """Whether the sentence is in the paper twice, so that its page is uncertain."""
    other_votes = (votes[key] for key in votes if abs(key - best) > 1)
    return max(other_votes, default=0) > 0.8 * votes[best] and count < 40


def _match_at_page(hits: Iterable[tuple[int, int]], pdf: _PdfWords) -> _Match | None:
    """The page of the first matching word, if it is near the beginning of the sentence and its page is certain."""
    index, position = min(hits)
    start = position - index if index <= _MAX_OFFSET_WORDS and position - index >= 0 else position
    # Whether the first word found follows a page break may be unknown; the page of the beginning is then looked up.
    for candidate in (position, start):
        page = pdf.pages[candidate]
        if page is not None and index <= 2 * _MAX_OFFSET_WORDS:
            return _Match(position, page)
    return None


def _accept_in_order(sentences: Sequence[Sentence], matches: dict[int, _Match]) -> dict[int, _Match]:
    """The longest series of running sentences in ascending order, and all floating sentences."""
    running = [(s.index, matches[s.index]) for s in sentences if s.index in matches and s.kind not in _FLOATING_KINDS]
    accepted = {s.index: matches[s.index] for s in sentences if s.index in matches and s.kind in _FLOATING_KINDS}
    accepted.update(
        (running[index][0], running[index][1]) for index in _longest_rising([match.start for _, match in running])
    )
    return accepted


def _longest_rising(places: Sequence[int]) -> list[int]:
    """Indices of a longest strictly ascending subsequence."""
    tails: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for index, position in enumerate(places):
        length = bisect_left(tops, position)
        before.append(tails[length - 1] if length else -1)
        tails[length:] = [index, *tails[length + 1 :]]
        tops[length:] = [position, *tops[length + 1 :]]
    chain: list[int] = []
    index = tails[-1] if tails else -1
    while index >= 0:
        chain.append(index)
        index = before[index]
    return chain[::-1]


def _match_short_rows(sentences: Sequence[Sentence], accepted: dict[int, _Match], pdf: _PdfWords) -> dict[int, _Match]:
    """Matches headings and other short rows: their words must occur once between their neighbours."""
    matches: dict[int, _Match] = {}
    last = 0
    next_start = sorted(
        (index, match.start) for index, match in accepted.items() if sentences[index].kind not in _FLOATING_KINDS
    )
    for sentence in sentences:
        if sentence.index in accepted:
            last = accepted[sentence.index].start if sentence.kind not in _FLOATING_KINDS else last
            continue
        words = tuple(_tokens(sentence.text))
        if not 0 < len(words) <= 2 * _NGRAM_WORDS or sentence.kind in _FLOATING_KINDS:
            continue
        position = bisect_left(next_start, (sentence.index, -1))
        end = next_start[position][1] if position < len(next_start) else len(pdf.words)
        places = [index for index in range(last, end) if pdf.words[index : index + len(words)] == words]
        page = pdf.pages[places[0]] if len(places) == 1 else None
        if page is not None:
            matches[sentence.index] = _Match(places[0], page)
    return matches
