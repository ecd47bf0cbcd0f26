"""The stretch of an excerpt that a mark stands for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from litterm.model.document import Span
from litterm.text.documents.sentences import split

_WINDOW = 1500
"""Characters on either side of the mark that are looked at."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_HARDLY, _FEW = 2, 3
"""Words: a sentence of fewer than the first says nothing by itself, nor does a clause of fewer than the second."""
_JOINT = re.compile(
    r";\s|\s(?:and|or)\s|,\s(?:and|but|while|whereas|which|although|though)\s|\s(?:while|whereas)\s", re.IGNORECASE
)


def claim_around(text: str, place: Span, others: Sequence[Span]) -> Span:
    """The sentence of the mark at `place`, cut at clause joints towards `others`, the marks that are not meant.

    A sentence of hardly a word, such as a mark behind the full stop, brings the one before it.
    """
    first = max(0, place.start - _WINDOW)
    window = text[first : place.end + _WINDOW]
    spans = [Span(first + span.start, first + span.end) for span in split(window)]
    inside = [index for index, span in enumerate(spans) if span.start < place.end and place.start < span.end]
    # Without a mark the end of the text is meant.
    inside = inside or [len(spans) - 1]
    # Several where the splitter cut within the mark itself.
    start, end = spans[inside[0]].start, spans[inside[-1]].end
    if inside[0] > 0 and len(_WORD.findall(text[start : place.start] + text[place.end : end])) < _HARDLY:
        start = spans[inside[0] - 1].start
    return _stripped(text, _cut(text, Span(start, end), place, others))


def _cut(text: str, sentence: Span, place: Span, others: Sequence[Span]) -> Span:
    before = max(
        (mark.end for mark in others if sentence.start <= mark.start and mark.end <= place.start), default=None
    )
    after = any(place.end <= mark.start < sentence.end for mark in others)
    start, end = sentence.start, sentence.end
    # The first joint behind the mark before this one, and the first behind this one: clauses stand before their mark.
    if before is not None and (joint := _JOINT.search(text, before, place.start)):
        start = joint.end()
    if after and (joint := _JOINT.search(text, place.end, sentence.end)):
        end = joint.start()
    if len(_WORD.findall(text[start : place.start] + text[place.end : end])) < _FEW:
        return sentence
    return Span(start, end)


def _stripped(text: str, span: Span) -> Span:
    start, end = span.start, span.end
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
