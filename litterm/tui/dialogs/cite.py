"""The excerpt dialog: a passage, its mark, and below it the papers it may cite."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from litterm.model.citation import Attribution, Excerpt
from litterm.text.cells import wrap
from litterm.text.escape import plain, plain_lines
from litterm.tui.dialogs.base import Dialog
from litterm.tui.dialogs.pick import Choice, Choices
from litterm.tui.field import Field
from litterm.tui.glyphs import Glyphs
from litterm.tui.highlight import Range, found_in, inked, word_pattern
from litterm.tui.lines import Line, LineView
from litterm.tui.rows import Rows
from litterm.tui.state import ResultRow

ABOUT = "Paste a passage; [CITATION] stands where the paper is missing."


class ExcerptView(LineView, can_focus=False):
    """The passage as understood: the mark that is meant, and the words that count."""

    def __init__(self) -> None:
        super().__init__(id="excerpt-view")
        self._excerpt: Excerpt | None = None
        self._lines: list[tuple[int, int]] = []
        self._ranges: list[Range] = []
        self._text = ""

    def show(self, excerpt: Excerpt | None) -> None:
        """Draw another excerpt."""
        self._excerpt = excerpt
        self.renew()
        self.refresh(layout=True)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return max(1, min(5, self.lay_out(max(1, width))))

    def lay_out(self, width: int) -> int:
        excerpt = self._excerpt
        if excerpt is None:
            self._lines = []
            return 1
        # Same length as the excerpt's text, so that its spans hold.
        self._text = "".join(char if char.isprintable() else " " for char in excerpt.text)
        marks: list[Range] = [
            (mark.start, mark.end, "hit-now" if at == excerpt.chosen else "hit")
            for at, mark in enumerate(excerpt.marks)
        ]
        self._ranges = [*found_in(self._text, word_pattern(word.word for word in excerpt.words[:40])), *marks]
        self._lines = list(wrap(self._text, 0, len(self._text), width - 1))
        if excerpt.marks and excerpt.chosen >= 0:
            place = excerpt.marks[excerpt.chosen].start
            row = next((at for at, (_, end) in enumerate(self._lines) if place < end), 0)
            self._lines = self._lines[max(0, row - 3) :]
        self._lines = self._lines[:5]
        return len(self._lines)

    def line_at(self, y: int, width: int) -> tuple[Line, str]:
        if y >= len(self._lines):
            return ((ABOUT, "muted"),) if y == 0 and self._excerpt is None else (), ""
        start, end = self._lines[y]
        return tuple(inked(self._text, start, end, self._ranges, "muted")), ""


class Cite(Dialog[int]):
    """Answers with the index of the candidate to open; -1 to look at them in the results."""

    def __init__(
        self,
        text: str,
        glyphs: Glyphs,
        *,
        read: Callable[[str, int], Excerpt | None],
        ask: Callable[[str, int], None],
    ) -> None:
        dot = glyphs.dot
        keys = f"enter attribute {dot} tab next mark {dot} down candidates {dot} ctrl+j new line {dot} esc leave"
        super().__init__("which paper is cited here?", keys, glyphs)
        self._text = text
        self._read = read
        self._ask = ask
        self._mark = 0
        self._excerpt: Excerpt | None = None
        self._asked = False
        self.view = ExcerptView()
        self._lint = Static(id="lint", classes="cause")
        self.choices = Choices((), glyphs, wrap=True)

    def body(self) -> ComposeResult:
        yield Field(self._text, placeholder=ABOUT, id="excerpt")
        yield self.view
        yield self._lint
        yield self.choices

    def on_mount(self) -> None:
        self.query_one(Field).focus()
        self.choices.display = False
        self._understand(self._text)

    def _understand(self, text: str) -> None:
        self._excerpt = self._read(text, self._mark) if text.strip() else None
        self.view.show(self._excerpt)
        self.tell(self._excerpt.lint if self._excerpt else "")

    def tell(self, text: str) -> None:
        """The line below the passage."""
        self._lint.update(Content(plain(text)))

    def on_field_edited(self, event: Field.Edited) -> None:
        event.stop()
        self._mark = 0
        self._understand(event.text)

    def did(self, event: Field.Did) -> None:
        match event.what:
            case "leave" | "cancel":
                self.dismiss(-1 if self._asked else None)
            case "submit" if event.field.text.strip():
                self.tell("Looking in the library…")
                self._ask(plain_lines(event.field.text), self._mark)
            case "complete" if self._excerpt and len(self._excerpt.marks) > 1:
                self._mark = (self._mark + 1) % len(self._excerpt.marks)
                self._understand(event.field.text)
            case "below" | "complete" if self.choices.display:
                self.choices.focus()
            case _:
                pass

    def action_close(self) -> None:
        self.dismiss(-1 if self._asked else None)

    def show(self, rows: Sequence[ResultRow], found: Attribution) -> None:
        """The candidates, the best first."""
        self._asked = True
        self.choices.display = bool(rows)
        self.choices.show([_choice(row, self.glyphs) for row in rows])
        said = found.notices[0] if found.notices else found.excerpt.lint
        self.tell(said if rows else "No candidate in the library for this passage.")
        if rows:
            self.choices.focus()

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        self.dismiss(event.index)

    def on_rows_sideways(self, event: Rows.Sideways) -> None:
        event.stop()
        if event.step < 0:
            self.query_one(Field).focus()
        else:
            self.dismiss(self.choices.cursor)


def _choice(row: ResultRow, glyphs: Glyphs) -> Choice:
    from litterm.render.names import short_authors, venue_and_year

    known = (row.paper.title, short_authors(row.paper.authors), venue_and_year(row.paper))
    words = " ".join(word for word, _ in row.matched[:5])
    return Choice(f" {glyphs.dot} ".join(part for part in known if part), words, key=str(row.rank))
