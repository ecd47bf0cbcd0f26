"""Detects headings and their levels by number, name, font and the space around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from litterm.importers.pdf.blocks import TERMINATOR, PdfBlock
from litterm.importers.pdf.dehyphenate import clean_text
from litterm.importers.pdf.lines import Line, join_words
from litterm.importers.pdf.running_heads import Style, is_references_heading
from litterm.text.documents.sections import classify, heading_parts

_MAX_HEADING_CHARS = 170
_MIN_SCORE = 2.3
"""Points that make a heading. The strongest single sign (size, weight, number, a usual name) has 1.5: it takes two."""
_SPACED_LETTERS = re.compile(r"(?:[A-Z] ){3,}[A-Z]")
_ENUMERATED = re.compile(r"\(?(?:[ivx]{1,4}|[a-z])\)\s+")
_UNFINISHED_END = re.compile(r"[,;]\Z|\b(?:the|of|and|a|in|to|for|with|by|is|are|was|were)\Z")
_SENTENCE_END = re.compile(r"[a-z)\]]\.\Z")
_NON_HEADING = re.compile(r"https?:|www\.|@|\bdoi\b|=|©|\bvol\b\.?|\|", re.IGNORECASE)
_RUN_IN_END = re.compile(r"[.:—–]\Z")
_USUAL_NAMES = frozenset(
    """abstract introduction background methods method results discussion conclusion conclusions references summary
    acknowledgements acknowledgments acknowledgement acknowledgment appendix keywords objectives limitations
    bibliography evaluation experiments resume zusammenfassung einleitung""".split()
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as printed and what it looks like."""

    number: str
    title: str
    look: tuple[float, bool, bool, bool]
    """Size, bold, capitals, upright: the larger the higher, for levels of unnumbered headings."""
    run_in: bool = False
    """Whether it is at the head of its paragraph."""


def find_heading(part: PdfBlock, previous: PdfBlock | None, following: PdfBlock | None, style: Style) -> Heading | None:
    """The heading that `part` is between its neighbours, or `None`."""
    text = heading_text(part.lines)
    if part.label or part.rows or len(part.lines) > 4 or not 2 < len(text) <= _MAX_HEADING_CHARS:
        return None
    number, title = heading_parts(text)
    if not any(character.isalpha() for character in title) or _NON_HEADING.search(text):
        return None
    score = _typography_score(part, style) + _wording_score(number, title, part.lines[0].size - style.size)
    score += _space_score(part, following, style) + _position_score(previous)
    return Heading(number, title.rstrip(":"), _look(part.lines[0], title)) if score >= _MIN_SCORE else None


def heading_text(lines: Sequence[Line]) -> str:
    """The lines of a heading as one, letters set apart drawn together."""
    text = " ".join(clean_text(line.text) for line in lines)
    return _SPACED_LETTERS.sub(lambda match: match.group().replace(" ", ""), text)


def _typography_score(part: PdfBlock, style: Style) -> float:
    line = part.lines[0]
    words = [word for line in part.lines for word in line.words]
    score = 0.0
    # Sizes differ by tenths within one face, as drawn: less is no sign.
    if line.size > style.size + 0.6:
        score += 1.5
    elif line.size < style.size - 0.8:
        score -= 1.5
    if all(line.bold for line in part.lines) and "bold" not in style.font:
        score += 1.5
    elif all(word.font != style.font for word in words):
        score += 1.0
    letters = [character for character in part.text if character.isalpha()]
    if len(letters) > 3 and all(character.isupper() for character in letters):
        score += 0.7
    return score


def _wording_score(number: str, title: str, larger: float) -> float:
    score = 0.0
    if number:
        score += 1.5 if any(character.isdigit() for character in number) else 1.0
    words = title.casefold().strip(" :.").split()
    if words and len(words) <= 5 and words[0].rstrip(":.,") in _USUAL_NAMES:
        score += 1.5 if len(words) <= 2 else 0.5
    elif len(words) <= 6 and classify(title) != "other":
        score += 0.7
    first = next((character for character in _ENUMERATED.sub("", title) if character.isalnum()), "a")
    if first.islower():
        score -= 2.0 if not number and larger < 1.5 else 0.8
    if _UNFINISHED_END.search(title) or title.count("(") != title.count(")"):
        score -= 1.5
    if _SENTENCE_END.search(title) and not (number and len(words) < 8):
        score -= 1.5
    digits = sum(character.isdigit() for character in title)
    letters = sum(character.isalpha() for character in title)
    return score - (2.0 if digits > letters / 2 or letters < 3 else 0.0) - (0.7 if len(words) > 14 else 0.0)


def _space_score(part: PdfBlock, following: PdfBlock | None, style: Style) -> float:
    score = 0.0
    widest = max(line.x1 - line.x0 for line in part.lines)
    if part.gap > 1.3:
        score += 0.7 if part.gap < 1.8 else 1.0
    elif part.gap < 0.8:
        score -= 1.0
    if len(part.lines) == 1 and widest > 0.97 * part.width:
        score -= 0.5
    if following is not None and not following.label and not following.rows:
        body = abs(following.lines[0].size - style.size) <= 0.6 and len(following.text) > 40
        score += 0.5 if body else 0.0
    return score


def _position_score(previous: PdfBlock | None) -> float:
    """A heading comes when the sentence before it has ended."""
    if previous is None or previous.label or previous.rows or len(previous.text) < 60:
        return 0.2
    return 0.5 if TERMINATOR.search(previous.text) else -0.5


def _look(line: Line, title: str) -> tuple[float, bool, bool, bool]:
    letters = [character for character in title if character.isalpha()]
    capitals = len(letters) > 2 and all(character.isupper() for character in letters)
    return round(line.size * 2) / 2, line.bold, capitals, not line.italic


def run_in_heading(part: PdfBlock, style: Style) -> tuple[Heading, tuple[Line, ...]] | None:
    """A heading at the head of its paragraph, set in a face of its own; with the lines that remain."""
    first = part.lines[0]
    if part.label or part.rows or abs(first.size - style.size) > 0.6 or len(part.lines) < 2:
        return None
    faces = [(word.font, word.bold, word.italic) for word in first.words]
    count = next((index for index, face in enumerate(faces) if face != faces[0]), len(faces))
    number_only = count == 1 and first.words[0].text.rstrip(".").replace(".", "").isdigit() and len(faces) > 2
    if number_only:
        count = 1 + next((index for index, face in enumerate(faces[1:]) if face != faces[1]), len(faces) - 1)
    if not 0 < count < len(faces) or (faces[0][0] == style.font and not number_only):
        return None
    head = clean_text(join_words(first.words[:count], first.y, first.size))
    number, title = heading_parts(head.rstrip(".:—– "))
    known = title.casefold() in _USUAL_NAMES
    closed = faces[0][1] or (_RUN_IN_END.search(head) is not None and bool(number))
    if not (known or closed) or not title[:1].isupper() or len(title.split()) > 14 or is_references_heading(title):
        return None
    rest = first.words[count:]
    remaining = join_words(rest, first.y, first.size).lstrip(".:—– ")
    if not remaining[:1].isupper() and remaining[:1] not in "“\"'([":
        return None
    line = Line(remaining, first.page, rest[0].x0, first.x1, first.y, first.size, rest[0].font, False, False, rest)
    return Heading(number, title, _look(first, title), run_in=True), (line, *part.lines[1:])


def heading_levels(headings: Sequence[Heading]) -> list[int]:
    """A level for each heading: by the depth of its number, else by how much it stands out."""
    depths: dict[tuple[float, bool, bool, bool], int] = {}
    for heading in headings:
        if heading.number and not heading.run_in:
            depths[heading.look] = min(depths.get(heading.look, 9), _depth(heading.number))
    loose = {heading.look for heading in headings if not heading.number and not heading.run_in}
    looks = sorted(loose, reverse=True)
    result: list[int] = []
    for heading in headings:
        if heading.number:
            level = _depth(heading.number)
        elif heading.run_in:
            level = 1 + next(
                (result[index] for index in range(len(result) - 1, -1, -1) if not headings[index].run_in), 0
            )
        else:
            level = _level_by_look(heading, depths, looks)
        result.append(min(5, level))
    return _without_gaps(result)


def _level_by_look(
    heading: Heading, depths: dict[tuple[float, bool, bool, bool], int], looks: Sequence[tuple[float, bool, bool, bool]]
) -> int:
    """The level of an unnumbered heading: beside numbered ones that of its equals, or below those that outdo it."""
    if classify(heading.title) == "back":
        return 1
    if not depths:
        return 1 + looks.index(heading.look)
    if heading.look in depths:
        return depths[heading.look]
    return 1 + max((depth for look, depth in depths.items() if look > heading.look), default=0)


def _depth(number: str) -> int:
    return min(5, 1 + number.strip(".").count("."))


def _without_gaps(depths: list[int]) -> list[int]:
    """No level without one above it."""
    # A paper may begin with `2.1`, where a page is missing.
    shift = min(depths, default=1) - 1
    result: list[int] = []
    for level in depths:
        result.append(min(level - shift, (result[-1] if result else 0) + 1))
    return result
