"""A dialog with a list that typing narrows, for commands and help, and the filters that narrow it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events
from textual.app import ComposeResult

from litterm.tui.dialogs.base import Dialog
from litterm.tui.dialogs.choose import ChoiceRows, ListChoice
from litterm.tui.widgets.field import Field
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Rows

RowFilter = Callable[[str], Sequence[int]]
"""Maps typed text to the indexes of the rows that match, in order."""

_FRAME_LINES = 5
"""Lines of the dialog beside its rows: frame, field, blank line, keys."""

_NO_MATCH = 9


class FilterListDialog(Dialog[tuple[str, int]]):
    """Answers with what was typed and the index of the row under the cursor, -1 without one."""

    def __init__(
        self,
        title: str,
        choices: Sequence[ListChoice],
        glyphs: Glyphs,
        *,
        narrow: RowFilter,
        text: str = "",
        keys: str = "",
        start: int = 0,
    ) -> None:
        super().__init__(title, keys or f"enter run {glyphs.dot} tab complete {glyphs.dot} esc leave", glyphs)
        self._all = tuple(choices)
        self._narrow = narrow
        self._text = text
        self._start = start
        """The row under the cursor until something is typed."""
        self._matching: Sequence[int] = range(len(self._all))
        self.about = ""
        """Placeholder of the field."""
        self.history: tuple[str, ...] = ()
        """Earlier entries, oldest first; up in the first row recalls them."""
        self._recalled = 0
        self._count = len(self._all)
        self.choices = ChoiceRows(self._all, glyphs)

    def complete(self, typed: str) -> str:
        """`typed` as `tab` completes it."""
        return typed

    def values(self, typed: str) -> Sequence[ListChoice]:
        """Possible values of the last word, listed instead of the rows where there are several."""
        return ()

    def unmatched(self, typed: str) -> str:
        """The text shown when no row matches."""
        return "Nothing matches."

    def body(self) -> ComposeResult:
        yield Field(self._text, placeholder=self.about, id="lookup", single=True)
        yield self.choices

    def on_mount(self) -> None:
        # A fixed height: if the dialog shrank with the list, the field would move while one types.
        self.styles.height = len(self._all) + _FRAME_LINES
        field = self.query_one(Field)
        field.focus()
        field.move_cursor(field.document.end)
        self._show(self._text)
        if self._start:
            self.call_after_refresh(self.choices.go, self._start)

    def _show(self, typed: str) -> None:
        self._matching = self._narrow(typed)
        values = self.values(typed)
        listed_values = values if len(values) > 1 else [self._all[index] for index in self._matching]
        self._matching = self._matching if len(values) < 2 else ()
        self._count = len(listed_values)
        self.choices.show(listed_values or [ListChoice(self.unmatched(typed), role="muted")])
        self.border_subtitle = f"{min(1, self._count)}/{self._count}"

    def on_field_edited(self, event: Field.Edited) -> None:
        event.stop()
        self._show(event.text)

    def on_rows_moved(self, event: Rows.Moved) -> None:
        event.stop()
        self.border_subtitle = f"{min(event.index + 1, self._count)}/{self._count}"

    def on_key(self, event: events.Key) -> None:
        """Keys that scroll any list scroll this one, too, though the field has the focus."""
        moves: dict[str, Callable[[], None]] = {
            "pagedown": lambda: self.choices.action_page(1),
            "pageup": lambda: self.choices.action_page(-1),
            "ctrl+d": lambda: self.choices.action_page(0.5),
            "ctrl+home": lambda: self.choices.action_edge(-1),
            "ctrl+end": lambda: self.choices.action_edge(1),
        }
        # Where something is typed, these keys edit it.
        if not self.query_one(Field).text:
            moves |= {
                "ctrl+u": lambda: self.choices.action_page(-0.5),
                "home": lambda: self.choices.action_edge(-1),
                "end": lambda: self.choices.action_edge(1),
            }
        if event.key in moves:
            event.prevent_default()
            event.stop()
            moves[event.key]()

    def handle_field_action(self, event: Field.ActionRequested) -> None:
        match event.what:
            case "leave" | "cancel":
                self.dismiss(None)
            case "submit":
                self._answer()
            case "below" if self._recalled and self.choices.cursor == 0:
                self._recall(event.field, -1)
            case "below":
                self.choices.action_move(1)
            case "above" if self.choices.cursor == 0 and self._recalled < len(self.history):
                self._recall(event.field, 1)
            case "above":
                self.choices.action_move(-1)
            case "complete":
                event.field.set_text(self.complete(event.field.text))
                self._show(event.field.text)
            case _:
                pass

    def _recall(self, field: Field, step: int) -> None:
        """Recall the entry before (1) or after (-1); after the newest, the empty field."""
        self._recalled += step
        field.set_text(self.history[-self._recalled] if self._recalled else "")
        self._show(field.text)

    def _answer(self) -> None:
        index = self._matching[self.choices.cursor] if self._matching else -1
        self.dismiss((self.query_one(Field).text, index))

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        self._answer()

    def on_rows_sideways(self, event: Rows.Sideways) -> None:
        event.stop()
        self.query_one(Field).focus()


def filter_by_words(texts: Sequence[str]) -> RowFilter:
    """Rows that hold every typed word, those that start with the first one before the others."""
    folded_texts = [text.casefold() for text in texts]

    def narrow(typed: str) -> Sequence[int]:
        words = typed.casefold().split()
        matching = [index for index, text in enumerate(folded_texts) if all(word in text for word in words)]
        return sorted(
            matching, key=lambda index: (not folded_texts[index].startswith(words[0]) if words else False, index)
        )

    return narrow


def filter_by_letters(texts: Sequence[str]) -> Callable[[str], Sequence[int]]:
    """A filter for `texts` by words first, then by abbreviations, the best match first."""
    folded_texts = [text.casefold() for text in texts]

    def narrow(typed: str) -> Sequence[int]:
        words = typed.casefold().split()
        # As they come: a list without a filter keeps its own order.
        if not words:
            return range(len(folded_texts))
        scored = [(_match_rank(words, text), index) for index, text in enumerate(folded_texts)]
        return [index for score, index in sorted(scored) if score < _NO_MATCH]

    return narrow


def _match_rank(words: Sequence[str], text: str) -> int:
    """Rank of a match: 0 if `text` begins with the words, `_NO_MATCH` if it is not even abbreviated by them."""
    if text.startswith(words[0]) and all(word in text for word in words):
        return 0
    starts = text.split()
    if all(any(start.startswith(word) for start in starts) for word in words):
        return 1
    if all(word in text for word in words):
        return 2
    return 3 if _abbreviates("".join(words), starts) else _NO_MATCH


def _abbreviates(letters: str, words: Sequence[str]) -> bool:
    """Whether `letters` are beginnings of `words` in order, each with letters of its word: `dplct`, `fttp`."""
    reached = {0}
    for word in words:
        for start in tuple(reached):
            if start < len(letters) and word.startswith(letters[start]):
                rest, end = iter(word), start
                # Each letter is looked for behind the one before it; a word may also end with fewer of them.
                while end < len(letters) and letters[end] in rest:
                    end += 1
                    reached.add(end)
    return len(letters) in reached
