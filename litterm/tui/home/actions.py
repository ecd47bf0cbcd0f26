"""What can be done about a thing of home, or of the list of jobs: opened, tried again, dropped, explained."""

from __future__ import annotations

from collections.abc import Callable

from litterm.model.library import Failure
from litterm.model.matrix import MatrixSummary
from litterm.model.overview import Done, HalfRead
from litterm.model.paper import PaperId
from litterm.model.reading_list import ListSummary
from litterm.model.saved_search import News
from litterm.model.services import Obtained, Subscription
from litterm.render.subscription import title
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.message import Confirm, MessageDialog
from litterm.tui.home.details import told
from litterm.tui.home.rows import Fresh, Rest, Thing
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.library.controllers import LibraryControllers
from litterm.tui.matrix.open import MatrixOpening
from litterm.tui.reader.controller import ReaderController
from litterm.tui.search.controller import SearchController
from litterm.tui.state import Job, QueuedJob


class HomeActions:
    """Goes where a row leads; every verb is about one thing."""

    def __init__(
        self,
        stage: WorkbenchContext,
        searching: SearchController,
        reading: ReaderController,
        surveying: MatrixOpening,
        network: LibraryControllers,
    ) -> None:
        self._stage = stage
        self._searching = searching
        self._reading = reading
        self._surveying = surveying
        self._adding, self._fetching, self._syncing = network.imports, network.full_texts, network.sync
        self.open_list: Callable[[str], None] = lambda list_id: None
        """Shows a reading list by its id."""
        self.changed: Callable[[], None] = lambda: None
        """Something was dropped: what is shown of it has to be gathered anew."""

    def enter(self, thing: Thing) -> None:
        """Open it; what cannot be opened is told."""
        match thing:
            case News():
                self._search(thing)
            case Rest(news=news):
                self._search(news)
            case Fresh(paper=paper):
                self._reading.open_id(paper.id)
            case HalfRead(paper=paper, place=place):
                self._reading.open_id(paper.id, at=place or None)
            case ListSummary():
                self.open_list(thing.id)
            case MatrixSummary():
                self._surveying.bring(thing.id)
            case Obtained(paper_id=str() as paper_id) | Done(paper_id=str() as paper_id):
                self._reading.open_id(paper_id)
            case _:
                self.why(thing)

    def again(self, thing: Thing) -> None:
        """Go on with it, or try it again."""
        match thing:
            case Subscription():
                self._syncing.one(thing)
            case Failure(origin=origin):
                self._adding.retry_failures((origin,))
            case Obtained(asked=asked, outcome="failed"):
                self._adding.retry_failures((asked,))
            case Obtained(asked=asked) if thing.outcome != "full text":
                self._fetching.words((asked,))
            case MatrixSummary():
                self._surveying.bring(thing.id)
            case QueuedJob(key=key) if self._stage.queue.again(key):
                pass
            case _:
                self._stage.tell("Nothing failed here, and nothing is unfinished.")

    def drop(self, thing: Thing) -> None:
        """Stop it, or take it off the list; what is more than a line of a list asks first."""
        stage = self._stage
        match thing:
            case Subscription():
                self._unsubscribe(thing)
            case Job(group=group):
                if stage.work.cancel(group):
                    stage.tell("Stopped. What was stored stays.")
            case QueuedJob(key=key):
                stage.queue.drop(key)
                self.changed()
            case Failure(origin=origin):
                stage.attempt(lambda: stage.engine.dismiss_failures((origin,)))
                self.changed()
            case Obtained():
                self._forget(thing)
                self.changed()
            case _:
                self._drop_paper(thing)

    def _drop_paper(self, thing: Thing) -> None:
        stage, desk = self._stage, self._stage.engine.desk
        match thing:
            case News(query=query) | Rest(news=News(query=query)):
                if stage.attempt(lambda: stage.engine.watching.forget(query)):
                    stage.tell(f"“{query}” is no longer watched; u undoes this.")
                self.changed()
            case HalfRead(paper=paper):
                self._put_back(paper.id)
                if desk.notes(paper.id).status == "reading":
                    stage.attempt(lambda: desk.set_status(paper.id, ""))
                self.changed()
            case ListSummary(id=list_id):
                stage.tell(f"A reading list stays until `:delete-list {list_id}` deletes it; enter shows it.")
            case _:
                stage.tell("Nothing to drop here; u undoes the last decision.")

    def _put_back(self, paper_id: PaperId) -> None:
        """A paper is half read no more: the next time it opens at its beginning."""
        self._reading.left.pop(paper_id, None)
        if self._reading.paper is not None and self._reading.paper.id == paper_id:
            self._stage.reader.open_at(0, 0)

    def why(self, thing: Thing) -> None:
        """All of it in a dialog."""
        name, *paragraphs = told(thing)
        self._stage.open(MessageDialog(name, [each for each in paragraphs if each], self._stage.glyphs))

    def _forget(self, thing: Obtained) -> None:
        self._adding.ledger.forget(thing.asked)
        if thing.outcome == "failed":
            self._stage.attempt(lambda: self._stage.engine.dismiss_failures((thing.asked,)))

    def _unsubscribe(self, thing: Subscription) -> None:
        stage, name = self._stage, title(thing)

        def gone(_yes: bool) -> None:
            if stage.attempt(lambda: stage.engine.sources.unsubscribe(thing)):
                stage.tell(f"{name} is no longer subscribed. Its papers stay.")
                self.changed()

        question = f"Unsubscribe from {name}? Its {thing.papers:,} papers stay in the library."
        stage.open(Confirm("unsubscribe", question, stage.glyphs), gone)

    def _search(self, news: News) -> None:
        """The watch as a search; what was new has then been seen."""
        stage = self._stage
        look = JobOrder(
            "watch", "reading the watch", lambda: stage.engine.watching.look(news.query), lambda _: JobReport("Seen.")
        )
        stage.queue.add(look)
        self._searching.asked(news.query)
