"""Actions on a row of home or of the list of jobs: open, retry, drop, explain."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from litterm.model.annotations import PaperList
from litterm.model.library import Failure
from litterm.model.matrix import MatrixSummary
from litterm.model.overview import NewPapers, RecentDecision, UnfinishedPaper
from litterm.model.paper import PaperId
from litterm.model.reading_list import ListSummary
from litterm.model.services import FetchResult, Subscription
from litterm.render.services import outcome_sentence, subscription_state, subscription_title
from litterm.text.plural import count_phrase
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.message import ConfirmDialog, MessageDialog
from litterm.tui.home.rows import FailureGroup, HomeItem, MoreNewPapers, NewPaperRow, home_row
from litterm.tui.jobs.job_text import step_words
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.library.controllers import LibraryControllers
from litterm.tui.matrix.open import MatrixOpening
from litterm.tui.reader.controller import ReaderController
from litterm.tui.reading_lists.controller import ReadingListController
from litterm.tui.search.controller import SearchController
from litterm.tui.state import Job, QueuedJob
from litterm.tui.widgets.glyphs import UNICODE

_STATE_HINTS = {
    "waiting": "It starts when the job before it is done; x removes it.",
    "running": "x stops it; what has been stored is kept.",
    "unfinished": "What has been stored is kept. `.` continues, x removes it from the list.",
    "failed": "`.` tries again, x removes it from the list.",
    "done": "x removes it from the list.",
}


class HomeActions:
    """Actions on one item of home or of the list of jobs."""

    def __init__(
        self,
        context: WorkbenchContext,
        search: SearchController,
        reader: ReaderController,
        matrices: MatrixOpening,
        network: LibraryControllers,
        reading_lists: ReadingListController,
    ) -> None:
        self._context = context
        self._search_controller = search
        self._reader = reader
        self._matrices = matrices
        self._imports, self._full_texts, self._sync = network.imports, network.full_texts, network.sync
        self._reading_lists = reading_lists
        self.change_listeners: list[Callable[[], None]] = []
        """Called when an item was dropped and the list has to be loaded again."""

    def _notify_listeners(self) -> None:
        for listener in self.change_listeners:
            listener()

    def enter(self, item: HomeItem) -> None:
        """Open an item; one that cannot be opened is explained."""
        match item:
            # One case a type and no method on it: things are data of the model, which knows no screen.
            case (NewPapers() as news) | MoreNewPapers(news=news):
                self._search(news)
            case NewPaperRow(paper=paper):
                self._reader.open_id(paper.id)
            case UnfinishedPaper(paper=paper, place=place):
                self._reader.open_id(paper.id, sentence=place or None)
            case PaperList(query=query):
                self._search_controller.submit_query(query)
            case ListSummary():
                self._reading_lists.open_saved(item.id)
            case MatrixSummary():
                self._matrices.show_saved(item.id)
            case FetchResult(paper_id=str() as paper_id) | RecentDecision(paper_id=str() as paper_id):
                self._reader.open_id(paper_id)
            case _:
                self.explain(item)

    def retry(self, item: HomeItem) -> None:
        """Continue an item, or try it again."""
        match item:
            case Subscription():
                self._sync.sync_subscription(item)
            case Failure(origin=origin):
                self._imports.retry_failures((origin,))
            # All rows of the file in one go, as it is read only once for them.
            case FailureGroup():
                self._imports.retry_failures(item.origins)
            case FetchResult(asked=asked, outcome="failed"):
                self._imports.retry_failures((asked,))
            case FetchResult(asked=asked) if item.outcome != "full text":
                self._full_texts.fetch_ids((asked,))
            case MatrixSummary():
                self._matrices.show_saved(item.id)
            case QueuedJob(key=key) if self._context.queue.restart(key):
                pass
            case _:
                self._context.tell("Nothing failed here, and nothing is unfinished.")

    def drop(self, item: HomeItem) -> None:
        """Stop an item or remove it from the list; unsubscribing asks first."""
        context = self._context
        match item:
            case Subscription():
                self._unsubscribe(item)
            case Job(group=group):
                if context.work.cancel(group):
                    context.tell("Stopped. What has been stored is kept.")
            case QueuedJob(key=key):
                context.queue.drop(key)
                self._notify_listeners()
            case Failure(origin=origin):
                self._dismiss((origin,))
            case FailureGroup():
                self._dismiss(item.origins)
            case FetchResult():
                self._forget(item)
                self._notify_listeners()
            case _:
                self._drop_entry(item)

    def _drop_entry(self, item: HomeItem) -> None:
        context, annotations = self._context, self._context.engine.annotations
        match item:
            case NewPapers(query=query) | MoreNewPapers(news=NewPapers(query=query)):
                if context.attempt(lambda: context.engine.saved_searches.forget(query)):
                    context.tell(f"“{query}” is no longer watched; u undoes this.")
                self._notify_listeners()
            case UnfinishedPaper(paper=paper):
                self._forget_position(paper.id)
                if annotations.notes(paper.id).status == "reading":
                    context.attempt(lambda: annotations.set_status(paper.id, ""))
                self._notify_listeners()
            case PaperList(name=name):
                context.tell(f"The list “{name}” is there as long as it has papers; enter shows them.")
            case ListSummary(id=list_id):
                context.tell(f"A reading list stays until `:delete-list {list_id}` deletes it; enter shows it.")
            case _:
                context.tell("Nothing to drop here; u undoes the last decision.")

    def _forget_position(self, paper_id: PaperId) -> None:
        """Forget the position in a paper, so that it opens at its beginning next time."""
        # The reader remembers by itself where a paper was left, also without the status.
        self._reader.positions.pop(paper_id, None)
        if self._reader.paper is not None and self._reader.paper.id == paper_id:
            self._context.reader.show_position(0, 0)

    def explain(self, item: HomeItem) -> None:
        """Show all details in a dialog."""
        name, *paragraphs = detail_paragraphs(item)
        self._context.open(
            MessageDialog(name, [paragraph for paragraph in paragraphs if paragraph], self._context.glyphs)
        )

    def _dismiss(self, origins: tuple[str, ...]) -> None:
        self._context.attempt(lambda: self._context.engine.dismiss_failures(origins))
        self._notify_listeners()

    def _forget(self, item: FetchResult) -> None:
        self._imports.fetch_log.forget(item.asked)
        if item.outcome == "failed":
            self._context.attempt(lambda: self._context.engine.dismiss_failures((item.asked,)))

    def _unsubscribe(self, item: Subscription) -> None:
        context, name = self._context, subscription_title(item)

        def on_confirm(_yes: bool) -> None:
            if context.attempt(lambda: context.engine.services.unsubscribe(item)):
                context.tell(f"{name} is no longer subscribed. Its papers stay.")
                self._notify_listeners()

        question = f"Unsubscribe from {name}? Its {item.papers:,} papers stay in the library."
        context.open(ConfirmDialog("unsubscribe", question, context.glyphs), on_confirm)

    def _search(self, news: NewPapers) -> None:
        """Search for a watched query and mark its new papers as seen."""
        context = self._context
        order = JobOrder(
            "watch",
            "reading the watch",
            lambda: context.engine.saved_searches.take_news(news.query),
            lambda _: JobReport("Seen."),
        )
        # In the queue, as what was new must be marked as seen even if the search is replaced by another.
        context.queue.add(order)
        self._search_controller.submit_query(news.query)


def detail_paragraphs(item: HomeItem) -> Sequence[str]:
    """A title, then paragraphs, of which some may be empty."""
    match item:
        case Job():
            far = f"{item.done:,} of {item.total:,}. " if item.total else ""
            return "running", item.what, step_words(item), f"{far}x stops it; what has been stored is kept."
        case QueuedJob():
            return item.state, item.what, item.report, _STATE_HINTS[item.state]
        case Failure():
            retry_hint = "This may be temporary: `.` tries again." if item.transient else "`.` tries again anyway."
            name = "read in part" if item.missing == "fields" else "failed"
            return name, item.origin, item.cause, f"{_time_text(item.at)} {retry_hint} x dismisses it."
        case FailureGroup(failures=failures):
            name, *paragraphs = detail_paragraphs(failures[0])
            lines = ", ".join(origin.rpartition(":")[2] for origin in item.origins)
            return name, f"{item.file}, rows {lines}", *paragraphs[1:]
        case FetchResult():
            return item.asked, item.title, outcome_sentence(item)
        case Subscription():
            keys = "`.` asks for what is new, x unsubscribes, + updates all subscriptions."
            return "subscription", subscription_title(item), subscription_state(item), item.trouble, keys
        case _:
            return _paper_paragraphs(item)


def _paper_paragraphs(item: HomeItem) -> Sequence[str]:
    match item:
        case RecentDecision():
            return "decided", item.sentence, f"{_time_text(item.at)} `:undo` goes back to it."
        case PaperList():
            return item.name, count_phrase(item.papers, "paper"), f"enter shows them: {item.query}"
        case NewPapers():
            count = f"{len(item.papers):,} papers are new in it." if item.papers else "Nothing is new in it."
            return "watch", item.query, f"{count} enter searches it and marks them as seen; x stops watching."
        case NewPaperRow(paper=paper):
            imported_at, origin = paper.provenance.imported_at, paper.provenance.origin
            return "new", paper.title, f"First seen by litterm {_time_text(imported_at)} It came from {origin}."
        case _:
            choice = home_row(item, UNICODE).choice
            return "why", choice.label, choice.detail


def _time_text(timestamp: str) -> str:
    return f"{timestamp[:16].replace('T', ' ')} UTC."
