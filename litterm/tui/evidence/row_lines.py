"""A row of evidence as lines: where its sentence stands, how close it comes, and the sentence."""

from __future__ import annotations

from litterm.render.closeness import stance_label, strength_words
from litterm.text.escape import plain
from litterm.text.terminal_width import clip, pad, width_of, wrap_text
from litterm.tui.state import EvidenceRow
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.highlight import styled_pieces, word_finder
from litterm.tui.widgets.rows import Drawn
from litterm.tui.widgets.styled_lines import Line, Piece, line

FOLDED_LINES = 2
"""Lines of a sentence away from the cursor, at least; under the cursor it is whole."""
WIDE_PANE_WIDTH = 70
"""Cells from which a sentence is beside its locator instead of below it."""
_LEAD_WIDTH = 6
"""Cells of bar, mark and rank."""
_SENTENCE_SHARE = 2 / 3
"""Least share of the width for the sentence: it is what one reads."""
_MIN_SECTION_WIDTH = 6
"""Cells in which a section's name still says which it may be."""
_MIN_WIDTH_FOR_BOTH = 56
"""Cells of a narrow pane from which closeness and likely stance both find room."""


def row_lines(row: EvidenceRow, width: int, glyphs: Glyphs, *, limit: int, unfolded: bool) -> Drawn:
    """The lines of a row in a pane `width` cells wide, at most `limit` of them its sentence (0: the whole sentence).

    `unfolded`: it is under the cursor, where the sentence is whole, with the reason of a model.
    """
    mark: Piece = (glyphs.dot, "muted")
    if row.part:
        mark = "!", "warning"
    elif row.role:
        mark = glyphs.mark(row.role), f"{row.role} mark"
    bar = (glyphs.bar if unfolded else " ", "bar")
    lead: list[Piece] = [bar, mark, (f" {row.rank:<3}" if row.rank else "    ", "muted")]
    limit = 0 if unfolded else limit
    if width >= WIDE_PANE_WIDTH:
        side = int(width * (1 - _SENTENCE_SHARE)) - _LEAD_WIDTH
        lines, indent = _sentence_beside(row, lead, (side, width), glyphs, limit), _LEAD_WIDTH + side
    else:
        lines, indent = _sentence_below(row, lead, width, glyphs, limit), _LEAD_WIDTH
    return (*lines, *_reason_lines(row, indent, width)) if unfolded else tuple(lines)


def _sentence_beside(
    row: EvidenceRow, lead: list[Piece], widths: tuple[int, int], glyphs: Glyphs, limit: int
) -> list[Line]:
    """The sentence beside its locator and how close it comes; `widths` are those of that column and of the pane."""
    side, width = widths
    texts = wrap_text(plain(row.text), width - _LEAD_WIDTH - side, lines=limit, ellipsis=glyphs.ellipsis)
    beside = _side_lines(row, side - 2, glyphs, limit)
    lines: list[Line] = []
    for y in range(max(1, len(texts), len(beside))):
        before = lead if y == 0 else [(" " * _LEAD_WIDTH, "")]
        words = pad(beside[y] if y < len(beside) else "", side, glyphs.ellipsis)
        lines.append(line(*before, (words, "muted"), *_styled_text(row, texts[y] if y < len(texts) else "")))
    return lines


def _side_lines(row: EvidenceRow, room: int, glyphs: Glyphs, limit: int) -> list[str]:
    """Where a sentence is and how close it comes, on one line where both fit; with a `limit` on two at most."""
    parts = _judgements(row)
    judgement, place = ", ".join(parts), glyphs.place(plain(row.locator))
    if width_of(place) + width_of(judgement) + 2 <= room:
        return [place + judgement.rjust(room - width_of(place))]
    if limit and width_of(judgement) > room:
        # The stance says more.
        judgement = parts[-1]
    return [
        clip_locator(row.locator, room, glyphs),
        *wrap_text(judgement, room, lines=1 if limit else 0, ellipsis=glyphs.ellipsis),
    ]


def _sentence_below(row: EvidenceRow, lead: list[Piece], width: int, glyphs: Glyphs, limit: int) -> list[Line]:
    parts = _judgements(row)
    # In a narrow pane a likely stance is instead of the closeness.
    strength = ", ".join(parts if width >= _MIN_WIDTH_FOR_BOTH else parts[-1:])
    place = clip_locator(row.locator, max(4, width - 9 - width_of(strength)), glyphs)
    gap = " " * max(1, width - 8 - width_of(place) - width_of(strength))
    texts = wrap_text(plain(row.text), max(4, width - 7), lines=limit)
    first_line = line(*lead, (place, "muted"), gap, (strength, "muted"))
    return [first_line, *(line(" " * _LEAD_WIDTH, *_styled_text(row, text)) for text in texts)]


def clip_locator(locator: str, room: int, glyphs: Glyphs) -> str:
    """The locator in `room` cells: the section's name is cut, not the paragraph and the page."""
    place = glyphs.place(plain(locator))
    name, sign, paragraph = place.rpartition(glyphs.place(" ¶"))
    if not sign or width_of(sign + paragraph) + _MIN_SECTION_WIDTH > room:
        return clip(place, room, glyphs.ellipsis)
    return clip(name, room - width_of(sign + paragraph), glyphs.ellipsis) + sign + paragraph


def _reason_lines(row: EvidenceRow, indent: int, width: int) -> Drawn:
    """The model's reason for the sentence, set apart from the paper's own text."""
    if not row.reason:
        return ()
    texts = wrap_text(f"model: {plain(row.reason)}", max(4, width - indent - 1))
    return tuple(line(" " * indent, (text, "hint")) for text in texts)


def _styled_text(row: EvidenceRow, text: str) -> list[Piece]:
    role = "struck" if row.role == "rejected" else "warning" if row.part else ""
    return styled_pieces(text, 0, len(text), word_finder(row.terms).ranges(text), role)


def _judgements(row: EvidenceRow) -> tuple[str, ...]:
    """The stance where a model judged one, else how close the sentence comes, and the stance its wording suggests."""
    if row.part or row.stance:
        return ("failed" if row.part else row.stance or "",)
    return tuple(filter(None, (strength_words(row.strength), stance_label(None, row.likely))))
