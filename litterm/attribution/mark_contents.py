"""Authors and year that a citation mark itself states: in the mark, in its BibTeX key, or in names right before it."""

from __future__ import annotations

import re

from litterm.attribution.marks import CitationMark, loose_names
from litterm.model.citation import StatedCitation
from litterm.model.document import Span
from litterm.text.references.resolution import find_mentions
from litterm.text.tokens import fold

# `devlin2019bert`, `vaswani-etal-2017-attention`: the keys of Google Scholar and of the ACL Anthology.
_KEY = re.compile(
    r"\{\s*(?P<family>[^\W\d_]{2,30})[^\W\d_]{0,30}?(?:[-_:.]?et[-_:.]?al)?[-_:.]?(?P<year>(?:19|20)\d\d)"
)
_FAMILY = re.compile(r"[A-ZÀ-ÖØ-ÞĀ-Ɏ][^\W\d_]{1,30}(?:[-'’][^\W\d_]{1,30}){0,3}")
_BESIDE = 3
"""Characters between a name and the mark at most: a blank and a bracket."""


def stated(text: str, mark: CitationMark | None) -> StatedCitation:
    """Authors and year that the mark at hand states; nothing where it is masked and stands alone."""
    if mark is None:
        return StatedCitation()
    printed = text[mark.span.start : mark.span.end]
    if mark.form == "author-year":
        mention = next(iter(find_mentions(printed)), None)
        return StatedCitation(mention.families, mention.year) if mention else StatedCitation()
    if mark.form == "key" and (key := _KEY.search(printed)):
        return StatedCitation((key["family"],), int(key["year"]))
    return StatedCitation(_names_before(text, mark.span))


def _names_before(text: str, place: Span) -> tuple[str, ...]:
    # A few names need no more; in a whole page each mark would look through all the text before it.
    first = max(0, place.start - 200)
    for span in loose_names(text[first : place.start + 1]):
        end = first + span.end
        between = text[end : place.start]
        # `McKeown (H. [CITATION])`: initials stand between the name and the mark.
        if len(re.sub(r"[^\W\d_]\.\s?", "", between)) <= _BESIDE and not re.search(r"[^\W\d_]{2}", between):
            named = _FAMILY.findall(text[first + span.start : end])
            return tuple(name for name in named if fold(name) not in {"author", "and", "et", "al"})
    return ()
