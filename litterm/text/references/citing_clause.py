"""The claim that a citation mark stands for: its sentence, cut at the clauses of other marks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from litterm.model.document import Span
from litterm.text.documents.sentences import split

_CLAIM_WINDOW = 1500
"""Characters on either side of the mark that are looked at."""
_LONG_WORD = re.compile(r"[^\W\d_]{2,}")
_MIN_SENTENCE_WORDS, _MIN_CLAUSE_WORDS = 2, 3
"""Words: a sentence of fewer than the first says nothing by itself, nor does a clause of fewer than the second."""
_CLAUSE_BOUNDARY = re.compile(
    r";\s|\s(?:and|or)\s|,\s(?:and|but|while|whereas|which|although|though)\s|\s(?:while|whereas)\s", re.IGNORECASE
)


def find_claim(text: str, place: Span, other_spans: Sequence[Span]) -> Span:
    """The sentence of the mark at `place`, cut at clause joints towards `other_spans`, the marks that are not meant.

    A sentence of hardly a word, such as a mark behind the full stop, brings the one before it.
    """
    first = max(0, place.start - _CLAIM_WINDOW)
    window = text[first : place.end + _CLAIM_WINDOW]
    spans = [Span(first + span.start, first + span.end) for span in split(window)]
    sentence_indexes = [index for index, span in enumerate(spans) if span.start < place.end and place.start < span.end]
    # Without a mark the end of the text is meant.
    sentence_indexes = sentence_indexes or [len(spans) - 1]
    # Several where the splitter cut within the mark itself.
    start, end = spans[sentence_indexes[0]].start, spans[sentence_indexes[-1]].end
    if (
        sentence_indexes[0] > 0
        and len(_LONG_WORD.findall(text[start : place.start] + text[place.end : end])) < _MIN_SENTENCE_WORDS
    ):
        start = spans[sentence_indexes[0] - 1].start
    return _strip_span(text, _cut_at_clauses(text, Span(start, end), place, other_spans))


def _cut_at_clauses(text: str, sentence: Span, place: Span, other_spans: Sequence[Span]) -> Span:
    before = max(
        (mark.end for mark in other_spans if sentence.start <= mark.start and mark.end <= place.start), default=None
    )
    has_mark_after = any(place.end <= mark.start < sentence.end for mark in other_spans)
    start, end = sentence.start, sentence.end
    # The first joint behind the mark before this one, and the first behind this one: clauses are before their mark.
    if before is not None and (joint := _CLAUSE_BOUNDARY.search(text, before, place.start)):
        start = joint.end()
    if has_mark_after and (joint := _CLAUSE_BOUNDARY.search(text, place.end, sentence.end)):
        end = joint.start()
    if len(_LONG_WORD.findall(text[start : place.start] + text[place.end : end])) < _MIN_CLAUSE_WORDS:
        return sentence
    return Span(start, end)


def _strip_span(text: str, span: Span) -> Span:
    start, end = span.start, span.end
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
