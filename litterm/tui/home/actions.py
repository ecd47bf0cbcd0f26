"""Actions on a row of home or of the list of jobs: open, retry, drop, explain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from litterm.model.annotations import PaperList
from litterm.model.attribution.draft import DraftSummary
from litterm.model.library import Failure
from litterm.model.matrix import MatrixSummary
from litterm.model.overview import HalfWrittenText, NewPapers, RecentDecision, UnfinishedPaper
from litterm.model.paper import PaperId
from litterm.model.reading_list import ListSummary
from litterm.model.services import FetchResult, Subscription
from litterm.render.services import outcome_sentence, subscription_state, subscription_title
from litterm.text.plural import count_phrase
from litterm.tui.annotations.paper_notes import PaperNotesController
from litterm.tui.attribution.drafts import DraftController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.message import ConfirmDialog, MessageDialog
from litterm.tui.home.rows import FailureGroup, HomeItem, MoreNewPapers, NewPaperRow, home_row
from litterm.tui.jobs.job_text import step_words
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.library.controllers import LibraryControllers
from litterm.tui.library.revision import RevisionController
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


@dataclass(frozen=True, slots=True)
class WritingControllers:
    """The parts for what the user writes."""

    notes: PaperNotesController
    revision: RevisionController
    drafts: DraftController


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
        writing: WritingControllers,
    ) -> None:
        self._context = context
        self._search_controller = search
        self._reader = reader
        self._matrices = matrices
        self._imports, self._full_texts, self._sync = network.imports, network.full_texts, network.sync
        self._reading_lists = reading_lists
        self._notes, self._revision, self._drafts = writing.notes, writing.revision, writing.drafts
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
            case HalfWrittenText() | DraftSummary() | MatrixSummary() | QueuedJob() | Subscription():
                self._go_on(item)
            case FetchResult(paper_id=str() as paper_id) | RecentDecision(paper_id=str() as paper_id):
                self._reader.open_id(paper_id)
            case _:
                self.explain(item)

    def _go_on(self, item: HalfWrittenText | DraftSummary | MatrixSummary | QueuedJob | Subscription) -> None:
        """Go on with what was begun; what waits, or is done, is explained."""
        match item:
            case HalfWrittenText(kind="note", paper=paper):
                self._notes.edit(paper, self._notify_listeners)
            case HalfWrittenText(paper=paper):
                self._revision.edit(paper)
            case DraftSummary(path=path):
                self._drafts.start(str(path))
            case MatrixSummary():
                self._matrices.show_saved(item.id)
            case QueuedJob(key=key, state="unfinished"):
                self._context.queue.restart(key)
            case Subscription(complete=False):
                self._sync.sync_subscription(item)
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
            case HalfWrittenText() | DraftSummary() | MatrixSummary():
                self._go_on(item)
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
            case HalfWrittenText():
                self._discard(item)
            case DraftSummary() | ListSummary() | PaperList():
                context.tell(_staying_words(item))
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

    def _discard(self, item: HalfWrittenText) -> None:
        context, unsaved = self._context, self._context.engine.unsaved_texts

        def on_confirm(_yes: bool) -> None:
            context.attempt(lambda: unsaved.discard(item.kind, item.paper.id))
            self._notify_listeners()

        question = f"Discard the {item.kind} that is not saved? “{item.paper.title}” stays as it is."
        context.open(ConfirmDialog("discard", question, context.glyphs), on_confirm)

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


def _staying_words(item: DraftSummary | ListSummary | PaperList) -> str:
    """Why a row cannot be dropped."""
    match item:
        case DraftSummary():
            return "A draft is listed while it has open marks; enter goes on with it, and w there fills them in."
        case ListSummary(id=list_id):
            return f"A reading list stays until `:delete-list {list_id}` deletes it; enter shows it."
        case PaperList(name=name):
            return f"The list “{name}” is there as long as it has papers; enter shows them."


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
        case HalfWrittenText(paper=paper):
            return f"{item.kind}, not saved", paper.title, item.text, "enter goes on with it, x discards it."
        case NewPaperRow(paper=paper):
            imported_at, origin = paper.provenance.imported_at, paper.provenance.origin
            return "new", paper.title, f"First seen by litterm {_time_text(imported_at)} It came from {origin}."
        case _:
            choice = home_row(item, UNICODE).choice
            return "why", choice.label, choice.detail


def _time_text(timestamp: str) -> str:
    return f"{timestamp[:16].replace('T', ' ')} UTC."
