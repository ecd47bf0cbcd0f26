"""A list narrowed by typing: commands, help."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import ComposeResult

from litterm.tui.dialogs.base import Dialog
from litterm.tui.dialogs.pick import Choice, Choices
from litterm.tui.field import Field
from litterm.tui.glyphs import Glyphs
from litterm.tui.rows import Rows

Narrow = Callable[[str], Sequence[int]]
"""From what is typed to the rows that stay, in order."""


_AROUND = 5
"""Lines of the dialog that are no rows: frame, field, a blank one, keys."""


class Lookup(Dialog[tuple[str, int]]):
    """Answers with what was typed and the index of the row under the cursor, -1 without one."""

    def __init__(
        self, title: str, choices: Sequence[Choice], glyphs: Glyphs, *, narrow: Narrow, text: str = "", keys: str = ""
    ) -> None:
        super().__init__(title, keys or f"enter do it {glyphs.dot} tab complete {glyphs.dot} esc leave", glyphs)
        self._all = tuple(choices)
        self._narrow = narrow
        self._text = text
        self._left: Sequence[int] = range(len(self._all))
        self.about = ""
        """What the empty field says."""
        self.complete: Callable[[str], str] = lambda typed: typed
        """What `tab` makes of what is typed."""
        self.choices = Choices(self._all, glyphs)

    def body(self) -> ComposeResult:
        yield Field(self._text, placeholder=self.about, id="lookup", single=True)
        yield self.choices

    def on_mount(self) -> None:
        # It keeps its size while the list gets shorter: the field one types in stays where it is.
        self.styles.height = len(self._all) + _AROUND
        field = self.query_one(Field)
        field.focus()
        field.move_cursor(field.document.end)
        self._show(self._text)

    def _show(self, typed: str) -> None:
        self._left = self._narrow(typed)
        self.choices.show([self._all[at] for at in self._left])

    def on_field_edited(self, event: Field.Edited) -> None:
        event.stop()
        self._show(event.text)

    def did(self, event: Field.Did) -> None:
        match event.what:
            case "leave" | "cancel":
                self.dismiss(None)
            case "submit":
                self._answer()
            case "below":
                self.choices.action_move(1)
            case "above":
                self.choices.action_move(-1)
            case "online":
                pass
            case _:
                event.field.put(self.complete(event.field.text))
                self._show(event.field.text)

    def _answer(self) -> None:
        at = self._left[self.choices.cursor] if self._left else -1
        self.dismiss((self.query_one(Field).text, at))

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        self._answer()

    def on_rows_sideways(self, event: Rows.Sideways) -> None:
        event.stop()
        self.query_one(Field).focus()


def by_words(texts: Sequence[str]) -> Narrow:
    """Rows that hold every typed word, those that start with the first one before the others."""
    folded = [text.casefold() for text in texts]

    def narrow(typed: str) -> Sequence[int]:
        words = typed.casefold().split()
        kept = [at for at, text in enumerate(folded) if all(word in text for word in words)]
        return sorted(kept, key=lambda at: (not folded[at].startswith(words[0]) if words else False, at))

    return narrow
