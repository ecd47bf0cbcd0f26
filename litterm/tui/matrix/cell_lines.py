"""The lower half of the matrix: the cell under the cursor in words, and its sentences."""

from __future__ import annotations

from collections.abc import Iterator

from litterm.model.annotations import MarkKind
from litterm.model.evidence import ABSTRACT_ONLY_CAVEAT
from litterm.model.matrix import CellQuote, MatrixRow
from litterm.render.closeness import cell_stance_words
from litterm.render.matrix.words import accepted_words, byline, cell_words, other_accepted
from litterm.text.escape import plain
from litterm.text.terminal_width import clip, pad, width_of, wrap_text
from litterm.tui.evidence.row_lines import FOLDED_LINES, row_lines
from litterm.tui.matrix.rows import legend, paper_title
from litterm.tui.state import EvidenceRow, MarkRole
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Drawn
from litterm.tui.widgets.styled_lines import Line, line

MIN_LEGEND_HEIGHT = 7
"""Lines of the lower half from which the last one says what the signs mean."""
_MAX_HYPOTHESIS_LINES = 2


def cell_lines(row: MatrixRow, column: int, hypothesis: str, size: tuple[int, int], glyphs: Glyphs) -> Drawn:
    """Exactly as many lines as `size` (width and height in cells) has: paper, hypothesis, words, sentences, legend."""
    width, height = size
    if height < 1:
        return ()
    head = (_rule(row, width, glyphs), *_words(row, column, hypothesis, width, glyphs))
    foot = (_legend_line(width, glyphs),) if height >= MIN_LEGEND_HEIGHT else ()
    room = max(0, height - len(head) - len(foot))
    body = _sentence_lines(row, column, width, room, glyphs)
    return (*(*head, *body, *(line() for _ in range(room - len(body))))[: height - len(foot)], *foot)


def _rule(row: MatrixRow, width: int, glyphs: Glyphs) -> Line:
    """A line between both halves with the paper in it."""
    paper = plain(byline(row.paper)) if row.paper else ""
    title = clip(paper_title(row), max(1, width - 6), glyphs.ellipsis)
    facts = f" {glyphs.dot} {paper}" if paper and width_of(title) + width_of(paper) + 9 <= width else ""
    fill = glyphs.rule * max(0, width - width_of(title) - width_of(facts) - 4)
    return line((f"{glyphs.rule} ", "gutter"), (title, "title"), (f"{facts} ", "muted"), (fill, "gutter"))


def _words(row: MatrixRow, column: int, hypothesis: str, width: int, glyphs: Glyphs) -> Iterator[Line]:
    """The hypothesis in full, then the cell in words."""
    cell = row.cells[column]
    asked = wrap_text(
        f"H{column + 1} {plain(hypothesis)}", max(4, width - 2), lines=_MAX_HYPOTHESIS_LINES, ellipsis=glyphs.ellipsis
    )
    yield from (line((f" {text}", "")) for text in asked)
    stance = cell_stance_words(cell) if cell else ""
    parts = (plain(cell_words(cell)), stance, row.decisions[column] or "", accepted_words(row, column))
    words = f" {glyphs.dot} ".join(part for part in parts if part)
    yield from (line((f" {text}", "muted")) for text in wrap_text(words, max(4, width - 2), lines=2))


def _sentence_lines(row: MatrixRow, column: int, width: int, room: int, glyphs: Glyphs) -> Drawn:
    """The sentences, accepted ones first, in at most `room` lines; whole where all have room."""
    sentences = [*_sentences(row, column)]
    if not sentences:
        cell = row.cells[column]
        # What the words above have said already is not said again.
        why = plain(cell.why.removeprefix(ABSTRACT_ONLY_CAVEAT).strip()) if cell else ""
        return tuple(line((f" {text}", "muted")) for text in wrap_text(why, max(4, width - 2)))[:room]
    drawn = _draw_all(sentences, width, glyphs, 0)
    for limit in range(max(map(len, drawn)), FOLDED_LINES - 1, -1):
        if sum(map(len, drawn)) <= room:
            break
        drawn = _draw_all(sentences, width, glyphs, limit)
    shown = _count_fitting(drawn, room)
    lines = [drawn_line for sentence in drawn[:shown] for drawn_line in sentence]
    if shown < len(drawn) and room:
        lines.append(line((clip(f" {len(drawn) - shown} more: i shows all", width, glyphs.ellipsis), "hint")))
    return tuple(lines)


def _draw_all(sentences: list[EvidenceRow], width: int, glyphs: Glyphs, limit: int) -> list[Drawn]:
    return [row_lines(sentence, width, glyphs, limit=limit, unfolded=False) for sentence in sentences]


def _count_fitting(drawn: list[Drawn], room: int) -> int:
    """How many sentences fit, with a line for how many do not."""
    height = 0
    for count, lines in enumerate(drawn):
        height += len(lines)
        if height + (count + 1 < len(drawn)) > room:
            return count
    return len(drawn)


def _sentences(row: MatrixRow, column: int) -> Iterator[EvidenceRow]:
    cell = row.cells[column]
    quotes = [
        (quote, row.mark_on(column, quote.text), rank) for rank, quote in enumerate(cell.quotes if cell else (), 1)
    ]
    yield from (_sentence(*quote) for quote in quotes if quote[1] in ("accepted", "hand"))
    yield from (EvidenceRow(None, text, "accepted", "accepted by you") for text in other_accepted(row, column))
    yield from (_sentence(*quote) for quote in quotes if quote[1] in ("rejected", None))


def _sentence(quote: CellQuote, mark: MarkKind | None, rank: int) -> EvidenceRow:
    guess: MarkRole = "strong" if quote.strength == "strong" else "proposed"
    return EvidenceRow(
        quote.index,
        quote.text,
        mark or guess,
        quote.locator,
        rank,
        quote.strength,
        stance=quote.stance,
        reason=quote.reason,
        likely=quote.likely_stance,
    )


def _legend_line(width: int, glyphs: Glyphs) -> Line:
    words = ""
    for sign, meaning in legend(glyphs):
        longer = f"{words}  {sign} {meaning}" if words else f" {sign} {meaning}"
        if width_of(longer) > width:
            break
        words = longer
    return line((pad(words, width), "muted"))
