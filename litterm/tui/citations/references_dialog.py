"""The dialog of references or citations of a paper; `+` adds one to the library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from litterm.model.paper import PaperId
from litterm.text.escape import plain
from litterm.tui.dialogs.choose import ListChoice, ListDialog
from litterm.tui.input.keymap import BY_ID, textual_key
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Rows


@dataclass(frozen=True, slots=True)
class CitationLink:
    """One paper that is cited or cites."""

    text: str
    """As the list of references has it, or authors, year and title."""
    label: str = ""
    """Its number in the list."""
    paper_id: PaperId | None = None
    """In the library; `None` if it is not there."""
    ids: tuple[PaperId, ...] = ()
    """By which it may be asked for."""
    by: str = ""
    """The service that told; empty where the library knows it."""
    contexts: tuple[str, ...] = ()
    """Sentences that cite."""
    state: str = ""
    """What is being done about it."""


class ReferencesDialog(ListDialog[CitationLink]):
    """Answers with the paper to open; `+` hands one to `keep` and the list stays."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(textual_key(BY_ID["results.add"].keys[0]), "keep", "add it to the library", id="links.keep")
    ]

    def __init__(self, title: str, glyphs: Glyphs, *, keep: Callable[[CitationLink], None]) -> None:
        dot = glyphs.dot
        super().__init__(title, f"enter open, then b goes back {dot} + add to the library {dot} esc leave", glyphs)
        self._keep = keep
        self._title = title
        self.links: Sequence[CitationLink] = ()

    def show(self, links: Sequence[CitationLink], heading: str) -> None:
        """Replace the rows, keeping the cursor on its row; `heading` says what is known and what is pending."""
        cursor = self.choices.cursor
        self.links = tuple(links)
        # No count for an empty list: that nothing is known does not mean that there are none.
        count_text = f" {self.glyphs.dot} {len(links)}" if links else ""
        self.border_title = Content(plain(f"{self._title}{count_text}"))
        self.message.update(Content(plain(heading)))
        self.choices.show([self._row(link) for link in links])
        self.choices.go(min(cursor, max(0, len(links) - 1)))

    def _row(self, link: CitationLink) -> ListChoice:
        is_held = link.paper_id is not None
        location = link.state or ("in library" if is_held else f"online, {link.by}" if link.by else "")
        return ListChoice(link.text, location, key=link.label, below=link.contexts[:2], role="" if is_held else "muted")

    @property
    def current(self) -> CitationLink | None:
        """The row under the cursor."""
        return self.links[self.choices.cursor] if self.links else None

    def action_keep(self) -> None:
        if self.current is not None:
            self._keep(self.current)

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        self._open()

    def on_rows_sideways(self, event: Rows.Sideways) -> None:
        event.stop()
        if event.step < 0:
            self.dismiss(None)
        else:
            self._open()

    def _open(self) -> None:
        link = self.current
        if link is not None and link.paper_id is not None:
            self.dismiss(link)
        elif link is not None:
            self.message.update(Content("Not in the library: + adds it, then enter opens it."))
