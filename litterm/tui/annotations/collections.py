"""Files papers under collections, and takes them out: `:collect NAME` and `:uncollect NAME`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from litterm.annotations.collections import Collections
from litterm.model.paper import PaperId
from litterm.text.plural import count_phrase
from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.command_line import Command


class CollectionController:
    """Changes the collections of the papers that are selected, else of the one under the cursor or in the reader."""

    def __init__(self, context: WorkbenchContext, annotations: AnnotationController) -> None:
        self._context = context
        self._annotations = annotations

    def commands(self) -> tuple[Command, ...]:
        """`:collect` and `:uncollect`, which complete names."""
        meaning = "file this paper, or those selected, under a collection: Thesis/Methods"
        return (
            Command("collect", meaning, self._collect, "NAME", lambda: self._collections.names()),
            Command("uncollect", "take this paper, or those selected, out of a collection", self._take_out, "NAME",
                    self._names_here),
        )  # fmt: skip

    @property
    def _collections(self) -> Collections:
        return self._context.engine.annotations.collections

    def _names_here(self) -> Sequence[str]:
        """The collections of the papers that a command would be for."""
        notes = self._context.engine.annotations.notes_on([paper.id for paper in self._annotations.papers()])
        return tuple(sorted({name for paper_notes in notes.values() for name in paper_notes.collections}))

    def _collect(self, name: str) -> None:
        self._change(name, self._collections.file, "Filed under")

    def _take_out(self, name: str) -> None:
        self._change(name, self._collections.take_out, "Taken out of")

    def _change(self, name: str, change: Callable[[Iterable[PaperId], str], str], done: str) -> None:
        papers = self._annotations.papers()
        if not papers:
            self._context.tell("No paper here.")
            return
        shown = self._context.attempt(lambda: change([paper.id for paper in papers], name))
        if shown is not None:
            count = f": {count_phrase(len(papers), 'paper')}" if len(papers) > 1 else ""
            self._context.tell(f"{done} {shown}{count}; u undoes it.")
            self._annotations.show_decisions(papers)
