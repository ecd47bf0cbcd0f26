"""Gives the sentences of a full text the pages on which a PDF of the same paper has them; no page is guessed."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from litterm.model.document import Document, Sentence

_WORD = re.compile(r"[^\W_]+")
_GRAM = 3
"""Words in a row that count as found."""
_SHARE = 0.5
"""Share of a sentence's grams that must stand together in the PDF."""
_DRIFT = 6
"""Words by which a match may be off within one sentence: citations and formulas come and go."""
_FLOATS = frozenset({"caption", "table", "title", "abstract"})
"""Kinds that may stand anywhere: a monotone order is asked of running text only."""


@dataclass(frozen=True, slots=True)
class _Pdf:
    """The words of a PDF in order."""

    words: tuple[str, ...]
    pages: tuple[int | None, ...]
    """The page of each; `None` where the sentence it stands in may have gone over to the next page."""
    grams: dict[tuple[str, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class _Match:
    """Where a sentence was found."""

    start: int
    """Place of its first found word."""
    page: int


def align_pages(document: Document, pdf: Document) -> Document:
    """`document` with the pages on which `pdf`, the same paper parsed from its PDF, has its sentences.

    A page already known stays. Running text is matched in order; a sentence is given a page only where most of
    its words stand there.
    """
    source = _words_of(pdf)
    if not source.words:
        return document
    matches = {s.index: match for s in document.sentences if (match := _find(s, source)) is not None}
    # A sentence that a common phrase put on the wrong page breaks the order of its neighbours, and loses its page.
    accepted = _in_order(document.sentences, matches)
    accepted.update(_short(document.sentences, accepted, source))
    return replace(document, sentences=tuple(_with_page(sentence, accepted) for sentence in document.sentences))


def _with_page(sentence: Sentence, accepted: dict[int, _Match]) -> Sentence:
    match = accepted.get(sentence.index)
    return replace(sentence, page=match.page) if match is not None and sentence.page is None else sentence


def _tokens(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _words_of(pdf: Document) -> _Pdf:
    words: list[str] = []
    pages: list[int | None] = []
    for sentence, crossing in _crossing(pdf.sentences):
        own = _tokens(sentence.text)
        words += own
        # Only the beginning of a sentence that goes over to the next page is known to stand on its own page.
        pages += [sentence.page if index == 0 or not crossing else None for index in range(len(own))]
    grams: dict[tuple[str, ...], list[int]] = {}
    for index in range(len(words) - _GRAM + 1):
        grams.setdefault(tuple(words[index : index + _GRAM]), []).append(index)
    return _Pdf(tuple(words), tuple(pages), {gram: tuple(places) for gram, places in grams.items()})


def _crossing(sentences: Sequence[Sentence]) -> Iterator[tuple[Sentence, bool]]:
    """Each sentence that has a page, and whether the next of its paragraph's flow stands on another page."""
    placed = [sentence for sentence in sentences if sentence.page is not None]
    for index, sentence in enumerate(placed):
        following = next((s for s in placed[index + 1 :] if s.kind not in ("caption", "table")), None)
        yield sentence, following is not None and following.page != sentence.page


def _find(sentence: Sentence, pdf: _Pdf) -> _Match | None:
    words = _tokens(sentence.text)
    count = len(words) - _GRAM + 1
    if count < 1:
        return None
    hits: list[tuple[int, int]] = []
    votes: Counter[int] = Counter()
    for index in range(count):
        # A common phrase stands in many places; the first forty are enough for a vote, and bound the time of hostile
        # texts.
        for place in pdf.grams.get(tuple(words[index : index + _GRAM]), ())[:40]:
            hits.append((index, place))
            # In two bands that overlap by half: places on both sides of a border would otherwise count apart.
            votes[(place - index) // _DRIFT] += 1
            votes[(place - index) // _DRIFT + 1] += 1
    if not votes:
        return None
    best = max(votes, key=lambda key: (votes[key], -key))
    mine = [(index, place) for index, place in hits if (place - index) // _DRIFT in (best, best - 1)]
    if len({index for index, _ in mine}) < _SHARE * count or _tied(votes, best, count):
        return None
    return _placed(mine, pdf)


def _tied(votes: Counter[int], best: int, count: int) -> bool:
    """A sentence that stands in the paper twice is on neither page for certain."""
    rivals = (votes[key] for key in votes if abs(key - best) > 1)
    return max(rivals, default=0) > 0.8 * votes[best] and count < 40


def _placed(hits: Iterable[tuple[int, int]], pdf: _Pdf) -> _Match | None:
    """The page of the first found word, if that word is near the sentence's beginning and its page is certain."""
    index, place = min(hits)
    start = place - index if index <= _DRIFT and place - index >= 0 else place
    # Whether the first word found stands behind a page break may be unknown; that of the beginning is then looked up.
    for candidate in (place, start):
        page = pdf.pages[candidate]
        if page is not None and index <= 2 * _DRIFT:
            return _Match(place, page)
    return None


def _in_order(sentences: Sequence[Sentence], matches: dict[int, _Match]) -> dict[int, _Match]:
    """The longest run of running text whose places rise, and all that floats."""
    running = [(s.index, matches[s.index]) for s in sentences if s.index in matches and s.kind not in _FLOATS]
    accepted = {s.index: matches[s.index] for s in sentences if s.index in matches and s.kind in _FLOATS}
    accepted.update((running[index][0], running[index][1]) for index in _rising([match.start for _, match in running]))
    return accepted


def _rising(places: Sequence[int]) -> list[int]:
    """Indices of a longest strictly rising subsequence."""
    tails: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for index, place in enumerate(places):
        length = bisect_left(tops, place)
        before.append(tails[length - 1] if length else -1)
        tails[length:] = [index, *tails[length + 1 :]]
        tops[length:] = [place, *tops[length + 1 :]]
    chain: list[int] = []
    index = tails[-1] if tails else -1
    while index >= 0:
        chain.append(index)
        index = before[index]
    return chain[::-1]


def _short(sentences: Sequence[Sentence], accepted: dict[int, _Match], pdf: _Pdf) -> dict[int, _Match]:
    """Headings and other short rows: their words, once only, between the places of their neighbours."""
    matches: dict[int, _Match] = {}
    last = 0
    ahead = sorted((index, match.start) for index, match in accepted.items() if sentences[index].kind not in _FLOATS)
    for sentence in sentences:
        if sentence.index in accepted:
            last = accepted[sentence.index].start if sentence.kind not in _FLOATS else last
            continue
        words = tuple(_tokens(sentence.text))
        if not 0 < len(words) <= 2 * _GRAM or sentence.kind in _FLOATS:
            continue
        place = bisect_left(ahead, (sentence.index, -1))
        end = ahead[place][1] if place < len(ahead) else len(pdf.words)
        places = [index for index in range(last, end) if pdf.words[index : index + len(words)] == words]
        page = pdf.pages[places[0]] if len(places) == 1 else None
        if page is not None:
            matches[sentence.index] = _Match(places[0], page)
    return matches
