"""What can be done about a thing of home, or of the list of jobs: opened, tried again, dropped, explained."""

from __future__ import annotations

from collections.abc import Callable

from litterm.model.home import Done, HalfRead
from litterm.model.library import Failure
from litterm.model.matrix import MatrixSummary
from litterm.model.paper import PaperId
from litterm.model.sources import Obtained, Subscription
from litterm.model.watch import News
from litterm.render.subscribed import title
from litterm.tui.dialogs.tell import Confirm, Tell
from litterm.tui.home.things import Fresh, Rest, Thing
from litterm.tui.home.told import told
from litterm.tui.job_queue import JobOrder, Report
from litterm.tui.network import Network
from litterm.tui.reading import Reading
from litterm.tui.searching import Searching
from litterm.tui.stage import Stage
from litterm.tui.state import Job, QueuedJob
from litterm.tui.surveying import Surveying


class Errands:
    """Goes where a row leads; every verb is about one thing."""

    def __init__(
        self,
        stage: Stage,
        searching: Searching,
        reading: Reading,
        surveying: Surveying,
        network: Network,
    ) -> None:
        self._stage = stage
        self._searching = searching
        self._reading = reading
        self._surveying = surveying
        self._adding, self._fetching, self._syncing = network.adding, network.fetching, network.syncing
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
            case MatrixSummary():
                self._surveying.bring(thing.id)
            case Obtained(paper_id=str() as paper_id):
                self._reading.open_id(paper_id)
            case Done(paper_id=str() as paper_id):
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
                    stage.tell(f"“{query}” is watched no more; u takes that back.")
                self.changed()
            case HalfRead(paper=paper):
                self._put_back(paper.id)
                if desk.notes(paper.id).status == "reading":
                    stage.attempt(lambda: desk.set_status(paper.id, ""))
                self.changed()
            case _:
                stage.tell("Nothing to drop here; u takes the last decision back.")

    def _put_back(self, paper_id: PaperId) -> None:
        """A paper is half read no more: the next time it opens at its beginning."""
        self._reading.left.pop(paper_id, None)
        if self._reading.paper is not None and self._reading.paper.id == paper_id:
            self._stage.reader.open_at(0, 0)

    def why(self, thing: Thing) -> None:
        """All of it in a dialog."""
        name, *paragraphs = told(thing)
        self._stage.open(Tell(name, [each for each in paragraphs if each], self._stage.glyphs))

    def _forget(self, thing: Obtained) -> None:
        self._adding.ledger.forget(thing.asked)
        if thing.outcome == "failed":
            self._stage.attempt(lambda: self._stage.engine.dismiss_failures((thing.asked,)))

    def _unsubscribe(self, thing: Subscription) -> None:
        stage, name = self._stage, title(thing)

        def gone(_yes: bool) -> None:
            if stage.attempt(lambda: stage.engine.sources.unsubscribe(thing)):
                stage.tell(f"{name} is kept in step no more. Its papers stay.")
                self.changed()

        question = f"Keep {name} in step no more? Its {thing.papers:,} papers stay in the library."
        stage.open(Confirm("unsubscribe", question, stage.glyphs), gone)

    def _search(self, news: News) -> None:
        """The watch as a search; what was new has then been seen."""
        stage = self._stage
        look = JobOrder(
            "watch", "reading the watch", lambda: stage.engine.watching.look(news.query), lambda _: Report("Seen.")
        )
        stage.queue.add(look)
        self._searching.asked(news.query)
