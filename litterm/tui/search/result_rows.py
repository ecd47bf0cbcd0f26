"""Draws a paper as one line of a table, unfolded under the cursor, or wrapped as a card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from litterm.model.annotations import PaperNotes
from litterm.model.evidence import CLOSENESS, NO_EVIDENCE
from litterm.model.paper import LibraryName, Paper
from litterm.render.citations.citation_counts import count_words
from litterm.render.closeness import ON_TOPIC
from litterm.render.names import short_authors, status_warning, title_warning, venue_and_year
from litterm.text.escape import plain
from litterm.text.terminal_width import clip, pad, width_of, wrap, wrap_text
from litterm.tui.aspects.state import WIDE_ROW_WIDTH, CoverageMatrix
from litterm.tui.state import ResultRow, RowVerdict
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.highlight import WordFinder, styled_pieces
from litterm.tui.widgets.styled_lines import Line, Piece, line

LEAD_WIDTH = 6
"""Cells before the title: selection, rank, decision, open paper."""
SCORE_WIDTH = 6
MIN_WIDTH_WITH_ASPECTS = 60
"""Cells of a one-line row that has room for its aspects."""
VERDICT_WIDTH = 19
"""Cells of the column of verdicts."""
_NARROW_VERDICT_WIDTH = 12
"""The same where there are no authors: `no evidence`, `◇10 on topic`."""
_MIN_WIDTH_WITH_NAMES = 90
"""Cells of a one-line row that has room for its authors."""
_PARTLY_ON_TOPIC, _PARTLY = CLOSENESS["medium"], "partly"
_MIN_VENUE_WIDTH = 4
"""Cells of a venue that still say which it may be."""
_ET_AL = " et al."
_MIN_NAME_WIDTH = 8
"""Cells of an author's name that still say who it may be."""


@dataclass(frozen=True, slots=True)
class RowStyle:
    """Width and columns that all rows of a list share."""

    glyphs: Glyphs
    width: int
    matched: WordFinder
    best: Mapping[LibraryName, float] = field(default_factory=dict)
    """The best score of each library: they are two lists, one below the other."""
    mixed: bool = True
    """Whether papers of two libraries stand together: those that are not the user's then say so."""
    facts: int = 0
    """Cells of the column of venues and years, when rows are folded."""
    beside: bool = False
    """Whether they are beside a paper: rows then wrap instead of unfolding."""
    pinned: bool = False
    """Whether there is a hypothesis: rows then have a column for what their papers say about it."""
    cover: CoverageMatrix = field(default=CoverageMatrix())
    """How far papers meet the aspects of the query."""

    @property
    def aspects_width(self) -> int:
        """Cells of the column of aspects in folded rows."""
        cells = self.cover.width(self.width)
        return cells + 2 if cells and self.width >= MIN_WIDTH_WITH_ASPECTS else 0


@dataclass(frozen=True, slots=True)
class DrawnRow:
    """A result row with everything that changes its look."""

    row: ResultRow
    notes: PaperNotes
    chosen: bool = False
    under_cursor: bool = False
    open: bool = False
    """Whether it is the paper in the reader."""
    verdict: str = ""
    """What the paper says about the pinned hypothesis, in a word or two; empty while that is not known."""
    mine: bool = False
    """Whether an import of the user's own brought it, where others did not."""


def folded_lines(shown: DrawnRow, drawing: RowStyle) -> tuple[Line, ...]:
    """One line: rank, mark, title, authors, venue and year, score."""
    glyphs, row = drawing.glyphs, shown.row
    facts = fitting_facts(row, glyphs, drawing.facts, mixed=drawing.mixed)
    scored = drawing.width >= (WIDE_ROW_WIDTH if drawing.aspects_width else 60)
    score = _score_words(row, drawing).rjust(SCORE_WIDTH) + " " if scored else ""
    # Authors are what a narrow row can do without first: title, venue and year tell the paper.
    names = 0 if drawing.width < _MIN_WIDTH_WITH_NAMES else min(30, drawing.width // 5)
    judged = _verdict_column(shown.verdict, drawing)
    width_used = drawing.facts + 2 + drawing.aspects_width + width_of(judged) + len(score) + (names + 2 if names else 0)
    room = max(4, drawing.width - LEAD_WIDTH - width_used)
    note_words = clip(annotation_words(shown.notes), room // 3, glyphs.ellipsis)
    title = clip(_title(row.paper), room - width_of(note_words) - (2 if note_words else 0), glyphs.ellipsis)
    pieces = [*_lead_pieces(shown, glyphs), *_highlight(title, drawing, "")]
    pieces.append((f"  {note_words}" if note_words else "", "accent"))
    pieces.append((" " * (room - width_of(title) - (width_of(note_words) + 2 if note_words else 0) + 2), ""))
    if names:
        pieces.append((pad(plain(short_authors(row.paper, max_authors=3)), names, glyphs.ellipsis) + "  ", "muted"))
    gap = " " * (drawing.facts - width_of(facts))
    pieces.append((judged, _verdict_role(shown.verdict)))
    if drawing.aspects_width:
        pieces += [*drawing.cover.pieces(row.paper.id, drawing.width, glyphs), ("  ", "")]
    first = line(*pieces, *_fact_pieces(row, facts), gap, (score, "muted"))
    return (first, *_answer_lines(row, drawing))


def _answer_lines(row: ResultRow, drawing: RowStyle) -> list[Line]:
    """One line with the sentence that answers the question, or with the beginning of the abstract until it is there."""
    if not row.has_answer_line:
        return []
    room = max(4, drawing.width - LEAD_WIDTH - 1)
    before = row.paper.abstract or _no_abstract_words(row.paper, drawing.glyphs)
    text = clip(plain(row.answer or before), room, drawing.glyphs.ellipsis)
    return [line(" " * LEAD_WIDTH, *(_highlight(text, drawing, "") if row.answer else [(text, "muted")]))]


def _verdict_column(verdict: str, drawing: RowStyle) -> str:
    """The verdict in its column, with two blanks behind it; in a narrow row the title needs more of the room."""
    if not drawing.pinned or drawing.width < 60:
        return ""
    if drawing.width < _MIN_WIDTH_WITH_NAMES:
        return pad(verdict.replace(_PARTLY_ON_TOPIC, _PARTLY), _NARROW_VERDICT_WIDTH, drawing.glyphs.ellipsis) + "  "
    return pad(verdict, VERDICT_WIDTH, drawing.glyphs.ellipsis) + "  "


def aspect_header(drawing: RowStyle) -> Line:
    """The numbers of the aspects as header of their column."""
    score = SCORE_WIDTH + 1 if drawing.width >= WIDE_ROW_WIDTH else 0
    right = drawing.cover.heads(drawing.width) + " " * (2 + drawing.facts + score)
    return line((right.rjust(drawing.width), "muted")) if drawing.aspects_width else line()


def unfolded_lines(shown: DrawnRow, drawing: RowStyle) -> tuple[Line, ...]:
    """The whole title, authors and place, two lines of abstract, why it matched."""
    room = max(4, drawing.width - LEAD_WIDTH - 1)
    row, ellipsis = shown.row, drawing.glyphs.ellipsis
    lines = [*_title_lines(shown, drawing, room, line_limit=3), _byline(shown, drawing, room)]
    passage = plain(row.support or row.paper.abstract)
    texts = wrap_text(passage, room, lines=2, ellipsis=ellipsis)
    if row.answer and passage:
        # As many lines as the abstract has: a sentence that comes must not move the rows below.
        answer = wrap_text(plain(row.answer), room, lines=len(texts), ellipsis=ellipsis)
        texts = [*answer, *[""] * (len(texts) - len(answer))]
    for text in texts:
        lines.append(line(" " * LEAD_WIDTH, *_highlight(text, drawing, "")))
    if drawing.cover.columns:
        lines.append(_aspects_line(row, drawing))
    if not passage:
        lines.append(_indented_line(plain(row.answer) or _no_abstract_words(row.paper, drawing.glyphs), room, ellipsis))
    return (*lines, *_reason_lines(row, drawing, room))


def wrapped_lines(row: DrawnRow, drawing: RowStyle) -> tuple[Line, ...]:
    """Title on at most two lines, authors and place, matched words; for a narrow column."""
    room = max(4, drawing.width - LEAD_WIDTH - 1)
    titled = _title_lines(row, drawing, room, line_limit=2)
    covered = [_aspects_line(row.row, drawing)] if drawing.cover.columns else []
    answer = _answer_lines(row.row, drawing)
    return (*titled, _byline(row, drawing, room), *answer, *covered, *_reason_lines(row.row, drawing, room))


def wrapped_height(row: ResultRow, drawing: RowStyle) -> int:
    """How many lines `wrapped_lines` makes of a row, without making them."""
    room = max(4, drawing.width - LEAD_WIDTH - 1)
    title = _title(row.paper)
    # Reckoned: drawing hundreds of rows for their heights would cost a key its time.
    titled = 1 if width_of(title) <= room else 2
    # As many as `wrapped_lines` draws: one line more or less would shift every row below.
    because = bool(row.matched or _score_words(row, drawing)) + bool(row.moved)
    return titled + 1 + row.has_answer_line + bool(drawing.cover.columns) + because


def _aspects_line(row: ResultRow, drawing: RowStyle) -> Line:
    """One mark an aspect on a line of its own, apart from each other where there is room."""
    return line(" " * LEAD_WIDTH, *drawing.cover.pieces(row.paper.id, WIDE_ROW_WIDTH, drawing.glyphs, aligned=False))


def _title_lines(row: DrawnRow, drawing: RowStyle, room: int, *, line_limit: int) -> list[Line]:
    title, role = _title(row.row.paper), "title" if row.under_cursor else ""
    ranges = drawing.matched.ranges(title)
    spans = list(wrap(title, 0, len(title), room))
    lines: list[Line] = []
    for index, (start, end) in enumerate(spans[:line_limit]):
        lead = _lead_pieces(row, drawing.glyphs) if index == 0 else [(" " * LEAD_WIDTH, "")]
        if index == line_limit - 1 and len(spans) > line_limit:
            lines.append(line(*lead, *_highlight(clip(title[start:], room, drawing.glyphs.ellipsis), drawing, role)))
        else:
            lines.append(line(*lead, *styled_pieces(title, start, end, ranges, role)))
    return lines


def _title(paper: Paper) -> str:
    return plain(paper.title) or "(no title)"


def _lead_pieces(row: DrawnRow, glyphs: Glyphs) -> list[Piece]:
    number = f"{row.row.rank:>3}" if row.row.rank else "  +" if not row.row.held else f"  {glyphs.dot}"
    rank = (number, "accent" if row.chosen or not row.row.held else "muted")
    return [
        (glyphs.chosen if row.chosen else " ", "accent"),
        rank,
        _decision_mark(row, glyphs),
        (glyphs.open if row.open else " ", "accent"),
    ]


def _decision_mark(row: DrawnRow, glyphs: Glyphs) -> Piece:
    if row.notes.screening == "included":
        return glyphs.accepted, "accepted mark"
    if row.notes.screening == "excluded":
        return glyphs.rejected, "rejected mark"
    if row.notes.starred:
        return glyphs.star, "accent"
    # What the user decided says more, and needs the cell.
    return (glyphs.mine, "muted") if row.mine else (" ", "")


def _byline(shown: DrawnRow, drawing: RowStyle, room: int) -> Line:
    glyphs, row, verdict, note_words = drawing.glyphs, shown.row, shown.verdict, annotation_words(shown.notes)
    parts = (verdict, note_words, _short_facts(row, drawing))
    if sum(width_of(part) + 3 for part in parts if part) - 3 > room:
        verdict = verdict.replace(_PARTLY_ON_TOPIC, _PARTLY)
    judged = clip(verdict, room, glyphs.ellipsis)
    if judged:
        judged, room = f"{judged} {glyphs.dot} ", room - width_of(judged) - 3
    note_words = clip(note_words, room // 3, glyphs.ellipsis)
    if note_words:
        note_words, room = f"{note_words} {glyphs.dot} ", room - width_of(note_words) - 3
    names, facts = names_and_facts(row, glyphs, room, mixed=drawing.mixed)
    joint = f" {glyphs.dot} " if names and facts else ""
    authors = (names + joint if names else "", "muted")
    return line(
        " " * LEAD_WIDTH,
        (judged, _verdict_role(shown.verdict)),
        (note_words, "accent"),
        authors,
        *_fact_pieces(row, facts),
    )


def _short_facts(row: ResultRow, drawing: RowStyle) -> str:
    """The facts without what a narrow line leaves out first, but with the whole venue."""
    facts = facts_text(row, drawing.glyphs, mixed=drawing.mixed)
    return _without_counts(row, facts, drawing.glyphs).removesuffix("full")


def verdict_words(row_verdict: RowVerdict, paper: Paper, glyphs: Glyphs) -> str:
    """`◇3 on topic`: how many sentences are shown, and how close the closest comes; a title alone is no evidence."""
    if not row_verdict.count or row_verdict.verdict == "nothing":
        return (row_verdict.words or NO_EVIDENCE) if paper.full_text or paper.abstract else "title only"
    return f"{glyphs.proposed}{row_verdict.count} {row_verdict.words}".rstrip()


def annotation_words(notes: PaperNotes) -> str:
    """Tags, note and read status of a paper: `#mine note reading`."""
    tags = [f"#{plain(tag)}" for tag in notes.tags]
    return " ".join((*tags, *(["note"] if notes.note else []), *([notes.status] if notes.status else [])))


def _verdict_role(verdict: str) -> str:
    # By the words, as a row holds nothing else of the verdict.
    return "accent" if verdict.endswith(f" {ON_TOPIC}") and "partly" not in verdict else "muted"


def _fact_pieces(row: ResultRow, facts: str) -> list[Piece]:
    # A correction is told with the other facts: it must not be the loudest word of the list.
    alarm = "" if row.paper.retraction.startswith("corrected") else plain(status_warning(row.paper))
    before, match, after = facts.partition(alarm) if alarm else (facts, "", "")
    return [(before, "muted"), (match, "warning"), (after, "muted")]


def _no_abstract_words(paper: Paper, glyphs: Glyphs) -> str:
    source = "the Anthology" if paper.id.startswith("acl:") else "its source"
    way = "enter reads the full text" if paper.full_text else "f fetches the full text"
    return f"no abstract in {source} {glyphs.dot} {way}"


def _reason_lines(row: ResultRow, drawing: RowStyle, room: int) -> tuple[Line, ...]:
    """Matched words with their counts, the score relative to the best of the list, and what moved it."""
    score = _score_words(row, drawing)
    words_room, words = max(1, room - width_of(score) - 3 if score else room), ""
    for word, count in row.matched[:8]:
        longer = f"{words} {drawing.glyphs.with_count(plain(word), count)}".lstrip()
        # Whole words: of a word that is cut nobody sees which one it is.
        if words and width_of(longer) > words_room:
            break
        words = longer
    words = clip(words, words_room, drawing.glyphs.ellipsis)
    why = f" {drawing.glyphs.dot} ".join(part for part in (words, score) if part)
    reasons = (why, plain(row.moved))
    return tuple(_indented_line(text, room, drawing.glyphs.ellipsis) for text in reasons if text)


def _indented_line(text: str, room: int, ellipsis: str) -> Line:
    return line(" " * LEAD_WIDTH, (clip(text, room, ellipsis), "muted"))


def _score_words(row: ResultRow, drawing: RowStyle) -> str:
    if row.previous_place is not None and row.previous_place != row.rank:
        # Where it came from says more of a row that was moved than a score it has or has not.
        return f"{row.previous_place - row.rank:+}"
    if drawing.cover.columns:
        # One percentage a row: with aspects that of their line.
        return ""
    score = score_percent(row, drawing.best.get(row.library_name, 0.0))
    return "" if score is None else f"{score}%"


def score_percent(row: ResultRow, best: float) -> int | None:
    """The score as a percentage of the best in the list; `None` without a score."""
    return None if row.score is None or best <= 0 else max(0, round(100 * row.score / best))


def _highlight(text: str, drawing: RowStyle, role: str) -> list[Piece]:
    return styled_pieces(text, 0, len(text), drawing.matched.ranges(text), role)


def facts_text(row: ResultRow, glyphs: Glyphs, *, mixed: bool = True) -> str:
    """Venue and year, what one must know, whether it is only online, whether there is a full text.

    Where papers of two libraries are `mixed`, which one it is of, unless it is the user's.
    """
    full = f"{glyphs.full}full" if row.paper.full_text else ""
    library_name = row.library_name if mixed and row.library_name != "own" else ""
    online = "" if row.held else "online"
    venue, sound = plain(venue_and_year(row.paper)), plain(status_warning(row.paper))
    facts = (online, venue, sound, title_warning(row.paper), library_name, full, count_words(row.cited))
    return f" {glyphs.dot} ".join(part for part in facts if part)


def fitting_facts(row: ResultRow, glyphs: Glyphs, room: int, *, mixed: bool = True) -> str:
    """The facts in `room` cells: the word at the mark of a full text goes first, then the venue's end, not the year."""
    facts = facts_text(row, glyphs, mixed=mixed)
    if width_of(facts) > room:
        facts = _without_counts(row, facts, glyphs)
    if width_of(facts) > room:
        facts = facts.removesuffix("full")
    excess, venue = width_of(facts) - room, plain(row.paper.venue or row.paper.imprint.journal)
    if excess > 0 and venue:
        facts = facts.replace(venue, clip(venue, max(_MIN_VENUE_WIDTH, width_of(venue) - excess), glyphs.ellipsis), 1)
    if width_of(facts) > room and row.library_name != "own":
        facts = facts.replace(f" {glyphs.dot} {row.library_name}", "", 1)
    return clip(facts, max(0, room), glyphs.ellipsis)


def _without_counts(row: ResultRow, facts: str, glyphs: Glyphs) -> str:
    """`facts` without the citation counts, which `i` shows, too."""
    cited = count_words(row.cited)
    return facts.removesuffix(cited).removesuffix(f" {glyphs.dot} ") if cited else facts


def names_and_facts(row: ResultRow, glyphs: Glyphs, room: int, *, mixed: bool = True) -> tuple[str, str]:
    """Authors and facts for one line of `room` cells, a dot between them.

    Where both do not fit the first author is enough, and goes before the facts; a long venue leaves room for both.
    """
    names, facts, joint = plain(short_authors(row.paper)), facts_text(row, glyphs, mixed=mixed), 3
    if not names or width_of(names) + joint + width_of(facts) <= room:
        return names, fitting_facts(row, glyphs, room, mixed=mixed)
    facts = _without_counts(row, facts, glyphs).removesuffix("full")
    least = room // 3 if width_of(facts) > room else room - joint - width_of(facts)
    names = plain(short_authors(row.paper, max_authors=1))
    if width_of(names) > least:
        # A name cut within its "et al." says less than the name alone.
        names = names.removesuffix(_ET_AL)
    if width_of(names) > least:
        names = clip(names, least, glyphs.ellipsis) if least >= _MIN_NAME_WIDTH else ""
    facts = fitting_facts(row, glyphs, room - (width_of(names) + joint if names else 0), mixed=mixed)
    if names and facts.endswith(glyphs.ellipsis):
        # The year matters more than a name beside a stump.
        return "", fitting_facts(row, glyphs, room, mixed=mixed)
    return names, facts
