"""The screen: four panes, their state, and who hears whom."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import Reactive
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from litterm.core.errors import LittermError
from litterm.core.settings import Settings
from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.model.library import LibraryStatus
from litterm.model.paper import PaperId
from litterm.render.cost import spent_short
from litterm.tui.actions import Actions
from litterm.tui.aspects.pane import AspectsPane
from litterm.tui.context import WorkbenchContext
from litterm.tui.engine_interface import Verbs
from litterm.tui.evidence.pane import EvidencePane
from litterm.tui.input.completion_list import CompletionList
from litterm.tui.input.known_filters import known_filters
from litterm.tui.jobs.background_tasks import Arrived, BackgroundTasks, Ended, Ran
from litterm.tui.keymap import Remapped, bindings
from litterm.tui.layout.board import Board
from litterm.tui.library.library_watch import EVERY_S, LibraryWatch
from litterm.tui.matrix.pane import MatrixPane
from litterm.tui.message_routes import MessageRoutes
from litterm.tui.reader.pane import ReaderPane
from litterm.tui.search.query_pane import QueryPane
from litterm.tui.search.results_pane import ResultsPane
from litterm.tui.state import APART, PANES
from litterm.tui.widgets.field import Field
from litterm.tui.widgets.find_bar import FindBar
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.status_line import KeyLine, StatusLine
from litterm.tui.widgets.styled_lines import INKS, LineView

if TYPE_CHECKING:
    from litterm.model.annotations import Session
    from litterm.tui.controllers import Controllers

_log = logging.getLogger(__name__)


@dataclass
class Broke(Message):
    """A background task ended by a bug; the user has been told."""

    error: BaseException


def look(engine: Verbs) -> Task[tuple[LibraryStatus, Session]]:
    """Open the library and read the last session, in a thread; the collaborators are imported there too."""
    yield Progress("opening the library")
    status = engine.status()
    import litterm.tui.controllers  # noqa: F401 - for its effect

    yield Progress("opening the library")
    engine.desk.projects.resume()
    return status, engine.desk.session()


class Workbench(Actions, MessageRoutes):
    """Owns the state of its panes; its collaborators change it, the panes draw it."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("bench")]
    COMPONENT_CLASSES: ClassVar[set[str]] = {*INKS}
    # Textual would paint the whole screen anew at every change of focus; the two widgets paint themselves.
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    AUTO_FOCUS = "#query-field"

    def __init__(
        self, engine: Verbs, settings: Settings, glyphs: Glyphs, keys: Remapped, opening: PaperId | None = None
    ) -> None:
        super().__init__(classes="-ascii" if glyphs.ascii else None)
        self._status = StatusLine(glyphs)
        self._keys = KeyLine(glyphs, keys)
        self._bar = FindBar()
        searched = QueryPane(glyphs), AspectsPane(glyphs), ResultsPane(glyphs)
        panes = *searched, ReaderPane(glyphs), EvidencePane(glyphs), MatrixPane(glyphs)
        completions = CompletionList(glyphs)
        self._board = Board(*panes, completions)
        work = BackgroundTasks(self, self._tell_jobs, self._tell_trouble)
        self.stage = WorkbenchContext(self, engine, settings, glyphs, keys, self._board, *panes, completions, work)
        self.stage.results.layout_wanted = settings.results_layout
        self._others = LibraryWatch(self.stage, self._show_status, self._library_changed)
        self._crew: Controllers | None = None
        self._opening = opening

    @property
    def crew(self) -> Controllers:
        """Those who do what the keys say; not needed for the first frame and so imported after it."""
        if self._crew is None:
            from litterm.tui.controllers import gather

            self._crew = gather(self.stage, self._bar, self._act, self._library_changed)
        return self._crew

    @property
    def answer_awaited(self) -> bool:
        """Whether the query was entered and its results are on their way."""
        return self._crew is not None and self._crew.searching.awaited

    def search_for(self, text: str) -> None:
        """Leave whatever is open and search."""
        self.stage.close_all()
        self.stage.focus_pane("query", typing=True)
        self.stage.query.fill(text)
        self.crew.searching.asked(text)

    def keep_session(self) -> None:
        """For the next start; now and then, too, as not every end is a quitting."""
        if self._crew is not None:
            self._crew.remembering.save()

    def compose(self) -> ComposeResult:
        yield self._status
        yield self._board
        yield self._bar
        yield self._keys

    def on_mount(self) -> None:
        self._status.state = replace(
            self._status.state, network="offline (by setting)" if self.stage.settings.offline else "no network used"
        )
        self.call_after_refresh(self._start)

    def _start(self) -> None:
        def opened(found: tuple[LibraryStatus, Session]) -> None:
            status, session = found
            self._others.shown(status)
            self.set_interval(EVERY_S, self._others.look)
            self.crew.remembering.start(status, session, self._opening)
            self.crew.syncing.at_start()

        self.stage.work.start(
            "open", "opening the library", lambda: look(self.stage.engine), opened, failed=self._cannot_open
        )

    def _cannot_open(self, error: LittermError) -> None:
        """The library cannot be used: that does not pass, and is told in a dialog."""
        from litterm.tui.dialogs.message import MessageDialog

        _log.error("the library cannot be opened: %s", error)
        self.stage.failed_group = "open"
        told = (str(error), "`.` tries again, ctrl+q quits.", f"Log: {self.stage.log_file}")
        self.stage.open(MessageDialog("the library cannot be opened", told, self.stage.glyphs))

    def _act(self, action: str) -> None:
        """Run a key's action as if it had been pressed where the focus is."""
        self.call_later(self.run_action, action) if "." in action else self.call_later(self._run_here, action)

    async def _run_here(self, action: str) -> None:
        name = action.partition("(")[0]
        owners = [node for node in (self.focused, self, self.app) if node is not None]
        owner = next((node for node in owners if hasattr(node, f"action_{name}")), self)
        await self.app.run_action(action, owner)

    def _show_status(self, status: LibraryStatus, since: str) -> None:
        self._status.state = replace(self._status.state, library=status, failures=status.failures, since=since)
        self._keys.failures, self.stage.sources = status.failures, status.by_source
        if not self.stage.query.completions:
            # Before the first answer there are no venues and authors, but names and lists can be completed.
            self.stage.query.completions = known_filters((), status.by_source, ())

    def _library_changed(self) -> None:
        """Papers came in or failures went: read the counts again and repeat the search."""
        status = self.stage.attempt(self.stage.engine.status)
        if status is not None:
            self._others.shown(status)
        text, query = self.stage.query.state.text, self.stage.query.state.query
        if text and self.stage.results.state.source == "search":
            (self.crew.searching.typed if query and query.unfinished else self.crew.searching.again)(text)
        self.crew.reranking.ways.refresh()

    def _tell_jobs(self) -> None:
        jobs = self.stage.work.told
        spent, model = self.stage.work.spent, self.stage.settings.model.model
        told = f"{model} {spent_short(spent)}" if spent is not None else ""
        ranked_by, network = self.stage.results.state.by, self._network()
        self._status.state = replace(
            self._status.state,
            jobs=jobs,
            ranked_by=ranked_by,
            model=told,
            network=network,
            project=self.stage.project,
        )

    def _network(self) -> str:
        from litterm.tui.jobs.network_consent import network_words

        return network_words(self.stage.engine.sources.network, offline=self.stage.settings.offline)

    def _tell_trouble(self, group: str, error: LittermError) -> None:
        """Expected trouble of a background task: a sentence, and the next step is `.`."""
        self.stage.failed_group = group
        _log.warning("%s: %s", group, error)
        self.stage.tell(str(error), warn=True)

    def on_arrived(self, message: Arrived) -> None:
        self.stage.work.arrived(message)

    def on_ended(self, message: Ended) -> None:
        self.stage.work.ended(message)

    def on_ran(self, message: Ran) -> None:
        self.stage.work.ran(message)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.state is not WorkerState.ERROR or event.worker.error is None:
            return
        error = event.worker.error
        self.stage.work.broke(event.worker.group)
        if event.worker.group == "rows":
            # Nobody asked for it; whoever opens the paper is told.
            _log.error("%s failed", event.worker.name, exc_info=error)
            return
        self.stage.failed_group = event.worker.group
        _log.error("%s failed", event.worker.name, exc_info=error)
        cause = f"{type(error).__name__}: {error}"
        from litterm.tui.dialogs.message import trouble

        self.stage.open(trouble(f"{event.worker.name} failed.", cause, self.stage.log_file, self.stage.glyphs))
        self.app.post_message(Broke(error))

    def on_results_pane_ranked(self) -> None:
        self._tell_jobs()

    def on_key_line_chosen(self, message: KeyLine.Chosen) -> None:
        self._act(message.action)

    def on_board_reshaped(self, message: Board.Reshaped) -> None:
        self.set_class(message.placed.columns == 1, "-one")
        self.set_class(not message.placed.framed, "-bare")
        self.call_after_refresh(self._retitle)

    def _retitle(self) -> None:
        stage = self.stage
        for pane in (stage.query, stage.aspects, stage.results, stage.reader, stage.evidence, stage.matrix):
            pane.retitle()
            if isinstance(pane, LineView):
                pane.fit()
        if stage.home is not None:
            stage.home.retitle()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._keys.dialog = bool(self.stage.dialogs)
        if self.stage.dialogs:
            self._keys.typing = isinstance(event.widget, Field)
            return
        typing = event.widget.id in ("query-field", "find-field")
        self._keys.typing = typing
        self._keys.finding = event.widget.id == "find-field"
        name = next((pane for pane in PANES if pane == event.widget.id), None)
        name = "query" if event.widget.id in ("query-field", "chips") else name
        name = "home" if event.widget.has_class("home-section") else name
        if name is not None:
            shape = self._board.shape
            self._board.shape = replace(shape, focus=name, main=shape.main if name in APART else name)
            self._keys.focus_on = name
        if isinstance(event.widget, LineView):
            self.park(event.widget)

    def _update_focus_styles(self, focused: Widget | None = None, blurred: Widget | None = None) -> None:
        """Textual's door: of all that stands around a focus the query's frame alone shows it, not what is in it."""
        query = self.stage.query
        if any(each is not None and query in each.ancestors_with_self for each in (focused, blurred)):
            self.app.stylesheet.update_nodes([query])

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if self.stage.dialogs and event.widget is not None:
            top = self.stage.dialogs[-1]
            if top not in event.widget.ancestors_with_self:
                # The mouse went elsewhere: that leaves the dialog, like esc.
                top.action_close()
        elif self.focused is None:
            # It went to a line that takes no keys: those still belong to the pane they belonged to.
            self.stage.focus_pane(self.stage.focus)
