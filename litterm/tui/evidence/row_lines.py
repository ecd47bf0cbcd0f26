"""A row of evidence as lines: where its sentence stands, how close it comes, and the sentence."""

from __future__ import annotations

from litterm.model.evidence import CLOSENESS
from litterm.render.closeness import stance_label, strength_words
from litterm.text.escape import plain
from litterm.text.terminal_width import clip, pad, width_of, wrap_text
from litterm.tui.state import EvidenceRow
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.highlight import styled_pieces, word_finder
from litterm.tui.widgets.rows import Drawn
from litterm.tui.widgets.styled_lines import Line, Piece, line

FOLDED_LINES = 2
"""Lines of a sentence below its locator and away from the cursor, at least."""
UNFOLDED_LINES = 3
"""Lines of the sentence under the cursor beside its locator, at least."""
_MIN_SECTION_WIDTH = 6
"""Cells in which a section's name still says which it may be."""
_MIN_WIDTH_FOR_BOTH = 56
"""Cells from which closeness and likely stance both find room."""
LABEL_WIDTH = max(map(len, CLOSENESS.values())) + 3
"""Cells of the column that says how close a sentence comes; a longer judgement takes more."""
WIDE_PANE_WIDTH = 70
"""Cells from which a sentence is beside its locator instead of below it."""


def row_lines(row: EvidenceRow, width: int, glyphs: Glyphs, *, limit: int, unfolded: bool) -> Drawn:
    """The lines of a row in a pane `width` cells wide, at most `limit` of them its sentence (0: the whole sentence).

    `unfolded`: it is under the cursor, where there are more lines, and the reason of a model.
    """
    mark: Piece = (glyphs.dot, "muted")
    if row.part:
        mark = "!", "warning"
    elif row.role:
        mark = glyphs.mark(row.role), f"{row.role} mark"
    bar = (glyphs.bar if unfolded else " ", "bar")
    lead: list[Piece] = [bar, mark, (f" {row.rank:<3}" if row.rank else "    ", "muted")]
    if width >= WIDE_PANE_WIDTH:
        indent = 32
        if unfolded and limit:
            limit = max(UNFOLDED_LINES, limit)
        lines = _sentence_beside(row, lead, width, glyphs, limit)
    else:
        indent = 6
        lines = _sentence_below(row, lead, width, glyphs, 0 if unfolded else limit)
    return (*lines, *_reason_lines(row, indent, width)) if unfolded else tuple(lines)


def _sentence_beside(row: EvidenceRow, lead: list[Piece], width: int, glyphs: Glyphs, limit: int) -> list[Line]:
    place = pad(clip_locator(row.locator, 24, glyphs), 24, glyphs.ellipsis)
    strength = f"  {_judgement(row, width)} ".rjust(LABEL_WIDTH)
    room = max(8, width - 6 - 26 - width_of(strength))
    texts = wrap_text(plain(row.text), room, lines=limit, ellipsis=glyphs.ellipsis) or [""]
    fill = " " * max(0, room - width_of(texts[0]))
    first_line = line(*lead, (place + "  ", "muted"), *_styled_text(row, texts[0]), fill, (strength, "muted"))
    return [first_line, *(line(" " * 32, *_styled_text(row, text)) for text in texts[1:])]


def _sentence_below(row: EvidenceRow, lead: list[Piece], width: int, glyphs: Glyphs, limit: int) -> list[Line]:
    strength = _judgement(row, width)
    place = clip_locator(row.locator, max(4, width - 9 - width_of(strength)), glyphs)
    gap = " " * max(1, width - 8 - width_of(place) - width_of(strength))
    texts = wrap_text(plain(row.text), max(4, width - 7), lines=limit)
    first_line = line(*lead, (place, "muted"), gap, (strength, "muted"))
    return [first_line, *(line(" " * 6, *_styled_text(row, text)) for text in texts)]


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


def _judgement(row: EvidenceRow, width: int) -> str:
    """The stance where a model judged one, else how close the sentence comes to the hypothesis.

    A stance that only the wording suggests is beside that, in a narrow pane instead of it.
    """
    if row.part or row.stance:
        return "failed" if row.part else row.stance or ""
    parts = (strength_words(row.strength), stance_label(None, row.likely))
    return ", ".join(filter(None, parts if width >= _MIN_WIDTH_FOR_BOTH else parts[1:] if parts[1] else parts))
