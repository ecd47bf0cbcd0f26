"""Splits a query into its aspects without a model: by separators, by lines, or by sentences and clauses.

    labelled NLP data || label quality before labelling *2 || noise

A weight may be at the end of an aspect (`*2`, `*0.5`). Filters and excluded words belong to the whole query and
to no aspect. The numbers of aspects and sub-aspects are those of DORIS-MAE (3-9 and 0-6).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from litterm.core.errors import QueryError
from litterm.model.aspects import MAX_WEIGHT, MIN_WEIGHT, Aspect, AspectQuery
from litterm.text.documents import sentences
from litterm.text.queries.parser import ASPECT_SEPARATOR, ASPECT_WEIGHT, parse_query, remove_filter
from litterm.text.tokens import FUNCTION_WORDS, QUESTION_WORDS, tokens, words

MAX_ASPECTS, MAX_SUB_ASPECTS = 9, 6
LONG_QUERY_WORDS = 30
"""Words from which on a query is read as several aspects unasked."""
_MIN_CONTENT_WORDS, _MIN_CLAUSE_WORDS = 1, 3
_LONG_PART_WORDS = 15
"""Words from which on the clauses of an aspect become sub-aspects."""

# Excluded words are filters of the whole query and no aspect of it.
_EXCLUDED = re.compile(r'(?<!\S)-(?=[^\W_]|["“])(?:["“][^"”]*["”]?|\S+)')
_QUOTES = re.compile(r'["“”„]')
_BULLET = re.compile(r"^\s*(?:[-*•–]|\(?\d{1,2}[.)])\s+")
_CLAUSE = re.compile(
    r";\s+|,\s+(?:and|but|while|whereas|which|or|so)\s+"
    r"|(?:,|(?<![\s,]))\s+(?:so that|in order to|because|whereas|as well as)\s+"
)
_OPENING = re.compile(
    r"^(?:also|additionally|furthermore|moreover|therefore|thus|hence|however|currently|finally|lastly|next|then|"
    r"first(?:ly)?|second(?:ly)?|third(?:ly)?|specifically|in particular|in addition|overall|ideally|instead|"
    r"for example|for instance|for this|to do (?:this|so|that)|and|but|so|because of this|besides)\b[,\s]+",
    re.IGNORECASE,
)
_WISH_AT_START = re.compile(
    r"^(?:(?:my|our) (?:plan|goal|aim|idea|intention|hope) (?:is|would be|was) to|"
    r"(?:i|we)(?:['’](?:m|d|re|ll|ve))?(?:\s+(?:am|are|have|would|will|also|currently|really|do|then|further|now))*"
    r"\s+(?:want|like|need|plan|planning|hope|hoping|aim|aiming|intend|thinking|looking|trying|try|interested|wish|"
    r"think|believe|working|work|expect|wonder|wondering|searching|going|decided|considering|consider))"
    r"(?:\s+(?:to|for|in|about|of|on|at|that|whether|it))*(?:\s+(?:use|using|be able to|find|know|see))?\s+",
    re.IGNORECASE,
)
_FILLER_WORDS = frozenset(
    "get good help hello lot make need please something thank thanks thing things want way".split()
)
_NO_CONTENT = FUNCTION_WORDS | QUESTION_WORDS | _FILLER_WORDS


def split_query(text: str) -> AspectQuery:
    """The aspects of what was typed: none unless it is separated, has several lines, or is long."""
    if ASPECT_SEPARATOR in text:
        return _query_if_several(read_aspects(map(words_without_filters, text.split(ASPECT_SEPARATOR))), "separators")
    rows = [row for row in map(words_without_filters, text.splitlines()) if row]
    if len(rows) > 1:
        return _query_if_several(read_aspects(rows), "lines")
    bare = words_without_filters(text)
    return split_long(bare) if len(words(bare)) >= LONG_QUERY_WORDS else AspectQuery()


def split_long(text: str) -> AspectQuery:
    """The sentences of `text` as aspects and their clauses as sub-aspects; of a single sentence its clauses."""
    flat = " ".join(words_without_filters(text).split())
    candidates = [_remove_openings(flat[span.start : span.end]) for span in sentences.split(flat)]
    method = "sentences"
    # A single sentence, however long, has no other seams than its clauses.
    if len(candidates) == 1:
        candidates, method = _split_clauses(candidates[0]), "clauses"
    parts = _join_shortest([part for part in candidates if _count_content_words(part) >= _MIN_CONTENT_WORDS])
    return _query_if_several(_distinct_aspects(Aspect(part, sub_aspects(part)) for part in parts), method)


def read_aspects(parts: Iterable[str]) -> tuple[Aspect, ...]:
    """One aspect a part, with its optional weight; at most `MAX_ASPECTS`, without empty and repeated parts."""
    return _distinct_aspects(read_aspect(part) for part in parts)[:MAX_ASPECTS]


def read_aspect(text: str, sub: Sequence[str] | None = None) -> Aspect:
    """`text` as an aspect, empty if there is no word in it; its sub-aspects are `sub`, or its clauses."""
    flat = " ".join(_QUOTES.sub(" ", _BULLET.sub("", text)).split())
    weight = 1.0
    if weight_match := ASPECT_WEIGHT.search(flat):
        weight = min(MAX_WEIGHT, max(MIN_WEIGHT, float(weight_match[1])))
        flat = flat[: weight_match.start()].rstrip()
    flat = flat.rstrip(" .;,")
    subs = (
        sub_aspects(flat) if sub is None else tuple(" ".join(sub_text.split()) for sub_text in sub if sub_text.strip())
    )
    return Aspect(flat if words(flat) else "", subs[:MAX_SUB_ASPECTS], weight)


def format_aspect(aspect: Aspect) -> str:
    """`aspect` as `read_aspect` reads it, without its sub-aspects."""
    return aspect.text if aspect.weight == 1.0 else f"{aspect.text} *{aspect.weight:g}"


def sub_aspects(text: str) -> tuple[str, ...]:
    """The clauses of a long aspect; none of a short one, or of one that has no parts."""
    if len(words(text)) < _LONG_PART_WORDS:
        return ()
    clauses = _split_clauses(text)
    return tuple(clauses[:MAX_SUB_ASPECTS]) if len(clauses) > 1 else ()


def words_without_filters(text: str) -> str:
    """The typed `text` without its filters and excluded words."""
    try:
        # The blank says that the last filter is complete; what is unfinished otherwise is text.
        chips = parse_query(text.rstrip() + " ", finished=False).chips
    except QueryError:
        chips = ()
    # From the end, so that the places of those before stay true.
    for chip in sorted(chips, key=lambda chip: -chip.span.start):
        text = remove_filter(text, chip.span)
    return _EXCLUDED.sub(" ", text).strip()


def _split_clauses(sentence: str) -> list[str]:
    """Clauses with something in them; what has too little is joined to the one before."""
    clauses: list[str] = []
    for piece in _CLAUSE.split(sentence):
        part = _remove_openings(piece)
        if clauses and _count_content_words(part) < _MIN_CLAUSE_WORDS:
            clauses[-1] = f"{clauses[-1]} {part}"
        elif part:
            clauses.append(part)
    return clauses


def _remove_openings(sentence: str) -> str:
    """A sentence without what leads up to its matter: `Additionally, I also want to ...`."""
    bare = sentence.strip().rstrip(" .;,")
    # Openings may be stacked (`And therefore, I also want to`), but hardly more than three.
    for _ in range(3):
        shorter = _WISH_AT_START.sub("", _OPENING.sub("", bare))
        if shorter == bare or not shorter:
            break
        bare = shorter
    return _QUOTES.sub("", bare)


def _count_content_words(text: str) -> int:
    return sum(word not in _NO_CONTENT for word in words(text))


def _join_shortest(parts: list[str]) -> list[str]:
    """Neighbours joined, the shortest first, until at most `MAX_ASPECTS` are left."""
    while len(parts) > MAX_ASPECTS:
        index = min(range(len(parts) - 1), key=lambda index: (len(parts[index]) + len(parts[index + 1]), index))
        # Joined instead of left out: all that was written is searched for.
        parts[index : index + 2] = [f"{parts[index]}. {parts[index + 1]}"]
    return parts


def _distinct_aspects(aspects: Iterable[Aspect]) -> tuple[Aspect, ...]:
    """The first of those that have the same stems; none without any."""
    first: dict[frozenset[str], Aspect] = {}
    for aspect in aspects:
        stems = frozenset(tokens(aspect.text))
        if stems:
            first.setdefault(stems, aspect)
    return tuple(first.values())


def _query_if_several(aspects: tuple[Aspect, ...], by: str) -> AspectQuery:
    return AspectQuery(aspects, by) if len(aspects) > 1 else AspectQuery()
