"""The keys of a dialog with what each does, as many on a line as fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from litterm.text.terminal_width import width_of


class KeyHints(Static):
    """Hints like `enter open`; a line ends between two of them, never between a key and what it does."""

    def __init__(self, hints: Sequence[str], separator: str, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="keys")
        self._hints = tuple(hints)
        self._separator = f" {separator} "

    @property
    def hints(self) -> Sequence[str]:
        """The hints shown."""
        return self._hints

    def show(self, hints: Sequence[str]) -> None:
        """Replace the hints."""
        self._hints = tuple(hints)
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(list(self._lines(width)))

    def render(self) -> Content:
        return Content("\n".join(self._lines(self.content_size.width)))

    def _lines(self, width: int) -> Iterator[str]:
        line = ""
        for hint in self._hints:
            longer = f"{line}{self._separator}{hint}" if line else hint
            if line and width_of(longer) > width:
                yield line
                longer = hint
            line = longer
        yield line
