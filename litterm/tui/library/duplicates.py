"""`:duplicates`: records that may be one paper, decided pair by pair: shown as one or kept apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.model.paper import Paper, PaperId
from litterm.render.names import short_authors, venue_and_year
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ListChoice, ListDialog
from litterm.tui.input.command_line import Command
from litterm.tui.input.keymap import BY_ID, textual_key
from litterm.tui.reader.controller import ReaderController
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Rows

if TYPE_CHECKING:
    from litterm.annotations.duplicates import Doubt

_NO_DUPLICATES = "No possible duplicates."


class DuplicatesDialog(ListDialog[PaperId]):
    """Closes with the paper to open on enter; decisions take effect at once and the list stays."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(textual_key(BY_ID["all.accept"].keys[0]), "merge", "merge", id="duplicates.merge"),
        Binding(textual_key(BY_ID["all.reject"].keys[0]), "apart", "keep apart", id="duplicates.apart"),
        Binding(textual_key(BY_ID["all.undo"].keys[0]), "undo", "undo", id="duplicates.undo"),
    ]

    def __init__(
        self,
        glyphs: Glyphs,
        *,
        merge: Callable[[Doubt], None],
        keep_apart: Callable[[Doubt], None],
        undo: Callable[[], None],
    ) -> None:
        dot = f" {glyphs.dot} "
        keys = dot.join(("a merge", "x keep apart", "u undo", "enter open the first", "esc leave"))
        super().__init__("duplicates", keys, glyphs, heading=f"looking{glyphs.ellipsis}")
        self._merge = merge
        self._apart = keep_apart
        self._undo = undo
        self.doubts: Sequence[Doubt] = ()

    def show(self, doubts: Sequence[Doubt]) -> None:
        """Show the undecided pairs."""
        self.doubts = tuple(doubts)
        heading = f"{len(doubts):,} possible duplicates: pairs of records with one title." if doubts else _NO_DUPLICATES
        self.message.update(Content(heading))
        self.choices.replace_choices([self._row(doubt) for doubt in self.doubts])
        self.choices.refresh(layout=True)

    def fail(self, reason: str) -> None:
        """Show why there are no pairs."""
        self.message.update(Content(reason))

    def _row(self, doubt: Doubt) -> ListChoice:
        return ListChoice(doubt.one.title, below=(self._line(doubt.one), self._line(doubt.other)))

    def _line(self, paper: Paper) -> str:
        coverage = "full text" if paper.full_text else "abstract" if paper.abstract else "title only"
        parts = (paper.id, short_authors(paper), venue_and_year(paper), coverage)
        return f" {self.glyphs.dot} ".join(part for part in parts if part)

    @property
    def current(self) -> Doubt | None:
        """The pair under the cursor."""
        return self.doubts[self.choices.cursor] if self.choices.cursor < len(self.doubts) else None

    def action_merge(self) -> None:
        if self.current is not None:
            self._merge(self.current)

    def action_apart(self) -> None:
        if self.current is not None:
            self._apart(self.current)

    def action_undo(self) -> None:
        self._undo()

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        if self.current is not None:
            self.dismiss(self.current.one.id)


GROUP = "doubts"


class DuplicatesController:
    """Merges pairs of records or keeps them apart; each decision is saved at once and can be undone."""

    def __init__(self, context: WorkbenchContext, reader: ReaderController, changed: Callable[[], None]) -> None:
        """`changed` says that the library is shown differently."""
        self._context = context
        self._reader = reader
        self._on_change = changed
        self._dialog: DuplicatesDialog | None = None

    def open(self) -> None:
        """Open the list of undecided pairs."""
        self._dialog = DuplicatesDialog(
            self._context.glyphs, merge=self._merge, keep_apart=self._keep_apart, undo=self._undo
        )
        self._context.open(self._dialog, self._reader.open_id)
        self._load()

    def _load(self) -> None:
        record_curation = self._context.engine.record_curation

        def doubts() -> Task[tuple[Doubt, ...]]:
            yield Progress("looking for duplicates")
            return record_curation.doubts()

        self._context.work.start(GROUP, "looking for duplicates", doubts, self._on_doubts, failed=self._on_failure)

    def _on_doubts(self, doubts: tuple[Doubt, ...]) -> None:
        if self._dialog is not None and self._dialog.is_attached:
            self._dialog.show(doubts)

    def _on_failure(self, error: LittermError) -> None:
        if self._dialog is not None and self._dialog.is_attached:
            self._dialog.fail(str(error))

    def _merge(self, doubt: Doubt) -> None:
        merged_id = self._context.attempt(lambda: self._context.engine.record_curation.merge(doubt.one, doubt.other))
        if merged_id is not None:
            self._context.tell(f"Shown as one paper, {merged_id}; u separates them again.")
            self._on_decided()

    def _keep_apart(self, doubt: Doubt) -> None:
        if self._context.attempt(lambda: self._context.engine.record_curation.apart(doubt.one.id, doubt.other.id)):
            self._context.tell("Kept as two papers; u undoes this.")
            self._on_decided()

    def _undo(self) -> None:
        undone = self._context.attempt(self._context.engine.record_curation.undo_pair)
        self._context.tell(undone or "Nothing to undo.")
        if undone:
            self._on_decided()

    def _on_decided(self) -> None:
        # All again: of three records with one title, a decision on two changes what is left to decide.
        self._load()
        self._on_change()

    def commands(self) -> tuple[Command, ...]:
        """The commands for the command line."""
        return (Command("duplicates", "possible duplicates: merge, keep apart", lambda _: self.open()),)
