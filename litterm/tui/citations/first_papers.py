"""First papers of a topic (`:first TOPIC`), with the sentences that name them as its origin."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.core.errors import QueryError
from litterm.model.citations.graph import FirstPaper, FirstPapers
from litterm.render.names import short_authors, venue_and_year
from litterm.text.plural import count_phrase
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.input.command_line import Command
from litterm.tui.reader.controller import ReaderController

GROUP = "first"
_MAX_PAPERS, _MAX_SENTENCES_SHOWN = 10, 3
"""Papers listed, and sentences shown of each that is named."""


class FirstPapersController:
    """Finds the first papers in the background; enter opens a paper of the list."""

    def __init__(self, context: WorkbenchContext, reader: ReaderController) -> None:
        self._context = context
        self._reader = reader

    def ask(self, topic: str) -> None:
        """List the first papers on `topic`; if it is blank, on the current query."""
        context = self._context
        typed = topic.strip() or context.query.state.text.strip()
        if not typed:
            context.tell("Give a topic: `:first TOPIC`.")
            return
        try:
            query = context.engine.parse(typed)
        except QueryError as error:
            context.tell(str(error), warn=True)
            return
        context.work.start(
            GROUP,
            f"first {typed}",
            lambda: context.engine.first(query, k=_MAX_PAPERS),
            lambda firsts: self._list(typed, firsts),
        )

    def _list(self, typed: str, firsts: FirstPapers) -> None:
        context = self._context
        if not firsts.papers:
            context.tell(f"No paper here is about “{typed}”.")
            return
        title = f"first {context.glyphs.dot} {typed}"
        dialog = ChoiceDialog(title, self._rows(firsts), context.glyphs, wrap=True, keys="open")
        dialog.about = _summary(firsts)
        context.open(dialog, lambda index: self._reader.open_id(firsts.papers[index].paper.paper.id))

    def _rows(self, firsts: FirstPapers) -> Sequence[ListChoice]:
        return [self._row(rank, first_paper) for rank, first_paper in enumerate(firsts.papers, 1)]

    def _row(self, rank: int, first_paper: FirstPaper) -> ListChoice:
        paper = first_paper.paper.paper
        authors = f"{short_authors(paper)} {self._context.glyphs.dot} relevance rank {first_paper.paper.rank}"
        sentences = [
            f"{mention.citing}, {mention.year or 'no year'}: {mention.text}"
            for mention in first_paper.named[:_MAX_SENTENCES_SHOWN]
        ]
        return ListChoice(paper.title, venue_and_year(paper), key=str(rank), below=(authors, *sentences))

    def commands(self) -> tuple[Command, ...]:
        """The commands for the command line."""
        return (
            Command("first", "where a topic comes from, by citing sentences and by age", self.ask, "TOPIC"),
            Command("first", "where the topic of the query comes from", lambda _: self.ask("")),
        )


def _summary(firsts: FirstPapers) -> str:
    """One sentence on how the order was found."""
    notices = " ".join(firsts.notices)
    if not firsts.citances:
        return notices
    origin_count = sum(bool(first_paper.named) for first_paper in firsts.papers)
    origin = "the one named as the origin" if origin_count == 1 else f"the {origin_count} named as the origin"
    order = f"{origin}, then the oldest" if origin_count else "the oldest first"
    citances = count_phrase(firsts.citances, "citing sentence")
    return f"The {firsts.looked_at} most relevant papers, judged by {citances}: {order}. {notices}".strip()
