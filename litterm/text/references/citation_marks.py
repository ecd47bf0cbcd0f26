"""Finds the citation marks of a full text whose source marked none: numbers in brackets or raised, names with years."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from litterm.model.document import CitingContext, Document, Reference, Sentence, Span
from litterm.text.references.resolution import Mention, find_mentions, match_reference

_LIST = r"\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,30}"
_STYLES = (
    re.compile(rf"\[{_LIST}\]"),
    re.compile(r"(?:(?<=[^\W\d_][^\W\d_])|(?<=[.,;:)\]”]))[¹²³⁴-⁹⁰][⁰¹²³⁴-⁹]{0,2}(?:[,⁻–-][⁰¹²³⁴-⁹]{1,3}){0,30}"),
    re.compile(rf"(?<!\w)\({_LIST}\)"),
)
"""Numbers in brackets, raised, in parentheses: a paper uses one of them."""
_PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_RANGE = re.compile(r"(\d{1,3})\s?[–-]\s?(\d{1,3})")
_NUMBER = re.compile(r"\d{1,3}")
_MAX_RANGE = 30
_CITING_KINDS = frozenset({"body", "abstract", "caption"})


def add_contexts(document: Document) -> Document:
    """`document` with the places that cite its references, where the source did not mark them.

    A text that cites by names and years but comes without its list gets one entry for each work it names,
    so that what cannot be resolved is kept as well; whether it had a list stays unknown.
    """
    if document.contexts:
        return document
    if not document.references:
        return _add_mentions(document)
    return replace(document, contexts=tuple(_find_contexts(document)))


def _find_contexts(document: Document) -> list[CitingContext]:
    citing = [sentence for sentence in document.sentences if sentence.kind in _CITING_KINDS]
    numbered = {int(entry.label): entry.index for entry in document.references if entry.label.isdigit()}
    # A list with few numbers is cited by names, whatever numbers in brackets the text has.
    if 2 * len(numbered) < len(document.references):
        return [context for sentence in citing for context in _contexts_by_name(sentence, document.references)]
    contexts_by_style = [
        [context for sentence in citing for context in _contexts_by_number(sentence, style, numbered)]
        for style in _STYLES
    ]
    # The style that reaches most of the list: numbers of equations and years in parentheses reach only some.
    return max(contexts_by_style, key=lambda contexts: len({context.reference for context in contexts}))


def _contexts_by_name(sentence: Sentence, references: Sequence[Reference]) -> Iterator[CitingContext]:
    for mention in find_mentions(sentence.text):
        index = match_reference(mention, references)
        if index is not None:
            yield CitingContext(index, sentence.index, _shift_span(mention.span, sentence))


def _contexts_by_number(
    sentence: Sentence, style: re.Pattern[str], numbered: dict[int, int]
) -> Iterator[CitingContext]:
    for match in style.finditer(sentence.text):
        span = _shift_span(Span(match.start(), match.end()), sentence)
        for number in _expand_numbers(match.group().translate(_PLAIN)):
            if number in numbered:
                yield CitingContext(numbered[number], sentence.index, span)


def _expand_numbers(text: str) -> Iterator[int]:
    """The numbers of a mark, ranges written out."""
    spread: set[int] = set()
    for match in _RANGE.finditer(text):
        first, last = int(match[1]), int(match[2])
        if first < last <= first + _MAX_RANGE:
            spread.update(range(first, last + 1))
    spread.update(int(number) for number in _NUMBER.findall(text))
    yield from sorted(spread)


def _shift_span(span: Span, sentence: Sentence) -> Span:
    return Span(sentence.span.start + span.start, sentence.span.start + span.end)


def _add_mentions(document: Document) -> Document:
    references: dict[tuple[object, ...], Reference] = {}
    contexts: list[CitingContext] = []
    for sentence in document.sentences:
        for mention in find_mentions(sentence.text) if sentence.kind in _CITING_KINDS else ():
            key = (mention.families, mention.others, mention.year, mention.letter)
            reference = references.setdefault(key, _reference_of_mention(mention, len(references)))
            contexts.append(CitingContext(reference.index, sentence.index, _shift_span(mention.span, sentence)))
    return replace(document, references=tuple(references.values()), contexts=tuple(contexts))


def _reference_of_mention(mention: Mention, index: int) -> Reference:
    names = " and ".join(mention.families) if len(mention.families) < 3 else ", ".join(mention.families)
    label = f"{names}{' et al.' if mention.others else ''}, {mention.year}{mention.letter}"
    return Reference(index=index, text=label, label=label, families=mention.families, year=mention.year)
