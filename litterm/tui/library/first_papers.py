"""`:first TOPIC`: the papers a topic comes from, with the sentences that say so."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from litterm.core.errors import QueryError
from litterm.model.first_papers import FirstPaper, Firsts
from litterm.model.paper import PaperId
from litterm.render.names import short_authors, venue_and_year
from litterm.tui.command_line import Command
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice

GROUP = "first"
_HOW_MANY, _SENTENCES = 10, 3
"""Papers listed, and sentences shown of each that is named."""


class FirstPapersController:
    """Asks in the background; enter opens a paper of the list."""

    def __init__(self, stage: WorkbenchContext, show: Callable[[PaperId], None]) -> None:
        """`show` opens a paper."""
        self._stage = stage
        self._show = show

    def ask(self, topic: str) -> None:
        """Who was first with `topic`; blank: with what is searched."""
        stage = self._stage
        typed = topic.strip() or stage.query.state.text.strip()
        if not typed:
            stage.tell("Give a topic: `:first TOPIC`.")
            return
        try:
            query = stage.engine.parse(typed)
        except QueryError as error:
            stage.tell(str(error), warn=True)
            return
        stage.work.start(
            GROUP, f"first {typed}", lambda: stage.engine.first(query, k=_HOW_MANY), lambda got: self._list(typed, got)
        )

    def _list(self, typed: str, firsts: Firsts) -> None:
        stage = self._stage
        if not firsts.papers:
            stage.tell(f"No paper here is about “{typed}”.")
            return
        title = f"first {stage.glyphs.dot} {typed}"
        dialog = ChoiceDialog(title, self._rows(firsts), stage.glyphs, wrap=True, keys="open")
        dialog.about = _told(firsts)
        stage.open(dialog, lambda at: self._show(firsts.papers[at].paper.paper.id))

    def _rows(self, firsts: Firsts) -> Sequence[ListChoice]:
        return [self._row(at, each) for at, each in enumerate(firsts.papers, 1)]

    def _row(self, at: int, first: FirstPaper) -> ListChoice:
        paper = first.paper.paper
        authors = f"{short_authors(paper.authors)} {self._stage.glyphs.dot} relevance rank {first.paper.rank}"
        named = [f"{each.citing}, {each.year or 'no year'}: {each.text}" for each in first.named[:_SENTENCES]]
        return ListChoice(paper.title, venue_and_year(paper), key=str(at), below=(authors, *named))

    def commands(self) -> tuple[Command, ...]:
        """What `:` knows of it."""
        return (
            Command("first", "where a topic comes from, by citing sentences and by age", self.ask, "TOPIC"),
            Command("first", "where the topic searched comes from", lambda _: self.ask("")),
        )


def _told(firsts: Firsts) -> str:
    """What the order stands on."""
    named = sum(bool(each.named) for each in firsts.papers)
    read = (
        f"{firsts.citances:,} citing sentences" if firsts.citances else "no citing sentence, as no full text cites them"
    )
    heads = "the one named as the origin comes" if named == 1 else f"the {named} named as the origin come"
    order = f"{heads} first, then the oldest" if named else "the oldest first"
    notices = " ".join(firsts.notices)
    return f"Of the {firsts.looked_at} most relevant papers, by {read}: {order}. {notices}".strip()
