"""The screen of the workbench: creates the panes, and has their messages handled by its parts."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual import actions, events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import Reactive
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from litterm.core.settings import Settings
from litterm.engine import Engine
from litterm.model.library import LibraryStatus
from litterm.model.paper import PaperId
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.keymap import BY_ID, KeyBinding, RemappedKeys, bindings, bound_action
from litterm.tui.jobs.background_tasks import BackgroundTasks
from litterm.tui.layout.board import Board
from litterm.tui.library.library_watch import POLL_INTERVAL_S, LibraryWatch
from litterm.tui.library.start import open_library
from litterm.tui.part_messages import PartMessage
from litterm.tui.platform.textual_compat import CompatScreen, PartHandler, part_handlers
from litterm.tui.reader.find import FindBar
from litterm.tui.reader.view import PageView
from litterm.tui.state import PANES, STANDALONE_PANES, QueryState
from litterm.tui.status import StatusUpdates
from litterm.tui.widgets.field import Field
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.status_line import KeyLine, StatusLine
from litterm.tui.widgets.styled_lines import INKS, LineView

if TYPE_CHECKING:
    from litterm.model.annotations import Session
    from litterm.tui.controllers import Controllers

MAX_OPENING_WAIT_S = 1.0
"""Seconds after the start for which keys wait for the session; after that letters are typed into the query."""
_log = logging.getLogger(__name__)


@dataclass
class TaskCrashed(Message):
    """A bug ended a background task; a dialog tells the user."""

    error: BaseException


class Workbench(CompatScreen):
    """The one screen: panes show state, parts change it, and handle messages of the panes by methods with `@on`."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("workbench")]
    COMPONENT_CLASSES: ClassVar[set[str]] = {*INKS}
    # Textual repaints the whole screen at every change of focus; the two widgets concerned repaint themselves.
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    AUTO_FOCUS = "#query-field"
    FOCUS_SHOWN_BY = "#query"

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        glyphs: Glyphs,
        keys: RemappedKeys,
        opening: PaperId | None = None,
    ) -> None:
        super().__init__(classes="-ascii" if glyphs.ascii else None)
        self._status_line = StatusLine(glyphs)
        self._keys = KeyLine(glyphs, keys)
        # By lambdas, as status line and context are made below, of these tasks.
        work = BackgroundTasks(
            self, lambda: self._status.update(), lambda group, error: self.context.task_failed(group, error)
        )
        self.context = WorkbenchContext(self, engine, settings, glyphs, keys, work)
        self._find_bar = FindBar(self.context)
        self._status = StatusUpdates(self.context, self._status_line, self._keys)
        self._library_watch = LibraryWatch(
            self.context, self._status.show_library, self._library_changed, self._status.show_server_trouble
        )
        self._controllers: Controllers | None = None
        self._opening = opening
        self._mounted_at = monotonic()
        self._is_opened = False
        """Whether the library is open and the session restored."""
        self._handlers: dict[type[Message], list[PartHandler]] = defaultdict(list)
        for part in (self.context, self._status, self.context.evidence.row_verdicts):
            self._add_handlers(part)

    def _add_handlers(self, part: object) -> None:
        for message_type, handler in part_handlers(part):
            self._handlers[message_type].append(handler)

    def handlers_of(self, message: Message) -> Sequence[PartHandler]:
        if self._controllers is None and isinstance(message, PartMessage | events.Paste):
            self._build_controllers()
        return self._handlers.get(type(message), ())

    @property
    def controllers(self) -> Controllers:
        """The controllers, made when first needed: importing them before the first frame would delay it."""
        return self._controllers or self._build_controllers()

    def _build_controllers(self) -> Controllers:
        from litterm.tui.controllers import build_controllers

        controllers = build_controllers(self.context, self._find_bar, self.press, self._library_changed)
        for part in controllers.all:
            self._add_handlers(part)
        self._controllers = controllers
        return controllers

    @property
    def is_opening(self) -> bool:
        """Whether the next key is meant for the session that is about to be restored; not where that takes long."""
        return not self._is_opened and monotonic() - self._mounted_at < MAX_OPENING_WAIT_S

    @property
    def is_awaiting_results(self) -> bool:
        """Whether the query was entered and its results are on their way, or the paper to start with."""
        if self._opening is not None and self.context.reader.state.document is None:
            # The keys that follow `litterm read PAPER` are meant for the paper.
            return any(job.group in ("open", "read") for job in self.context.work.jobs)
        return self._controllers is not None and self._controllers.search.is_awaiting_results

    def save_before_end(self) -> None:
        """Save the session and what no background task has come to: the process ends, or may not go on."""
        for dialog in self.context.dialogs:
            dialog.keep_at_end()
        if self._controllers is not None:
            self._controllers.session.save(at_end=True)
        self.context.chosen_settings.write_at_exit()

    def save_session(self) -> None:
        """Save the session for the next start; called now and then, as the process may be killed."""
        if self._controllers is not None:
            self._controllers.session.save()

    def compose(self) -> ComposeResult:
        yield self._status_line
        yield self.context.board
        yield self._find_bar
        yield self._keys

    def on_mount(self) -> None:
        self._mounted_at = monotonic()
        self._status.show_initial()
        self.watch(self.context.query, "state", self._show_filters)
        # Marks are in the state of the reader: they come with the evidence.
        self.watch(self.context.reader, "state", self.show_what_is_judged)
        # After the first frame, which waits for no disk.
        self.call_after_refresh(open_library, self.context, self._library_opened, self._status.show_server_trouble)

    def _library_opened(self, status: LibraryStatus, session: Session) -> None:
        self._status.show_server_trouble(None)
        # Before the first look, which would take the library for changed.
        self._library_watch.mark_shown(status)
        self.set_interval(POLL_INTERVAL_S, self._library_watch.refresh)
        self.controllers.session.start(status, session, self._opening)
        self._is_opened = True
        self.controllers.sync.at_start()
        self.controllers.encoder.look()
        if self.context.settings.watched_folder and not self.context.settings.server:
            from litterm.tui.library.folder_watch import FolderWatch

            watch = FolderWatch(self.context, self.controllers.imports.import_changes)
            self.set_interval(POLL_INTERVAL_S, watch.look)

    def press(self, binding_id: str) -> None:
        """Run the action of the key with this binding id in the focused pane."""
        self.call_later(self._press, BY_ID[binding_id])

    async def _press(self, key: KeyBinding) -> None:
        action = key.action_in(self.context.focus)
        owner = self if key.owner == "workbench" or self.focused is None else self.focused
        is_done = await self.app.run_action(bound_action(action), self.app if key.owner == "app" else owner)
        if not is_done and action != key.action:
            # The pane has its own meaning for the key but cannot do it now: the general meaning holds.
            await self.app.run_action(bound_action(key.action), owner)

    def part(self, name: str) -> ActionTarget | Widget:
        """What an action names before its dot: a field of `Controllers`."""
        part: ActionTarget | Widget = getattr(self.controllers, name)
        return part

    def action_perform(self, action: str) -> None:
        """Do an action with a dot: `find.open` is `action_open` of the part `find`."""
        name, method, parameters = actions.parse(action)
        getattr(self.part(name), f"action_{method}")(*parameters)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether an action is possible now; for one with a dot, its part says so."""
        if action != "perform":
            return super().check_action(action, parameters)
        name, method, arguments = actions.parse(str(parameters[0]))
        return self.part(name).check_action(method, arguments)

    def _library_changed(self) -> None:
        """After an import or a removal: read the counts again and repeat the search."""
        self.controllers.encoder.look()
        status = self.context.attempt(self.context.engine.status)
        if status is not None:
            self._library_watch.mark_shown(status)
        text, query = self.context.query.state.text, self.context.query.state.query
        if self.context.results.state.source == "search":
            # A word still being typed must not count as finished because papers came in.
            (
                self.controllers.search.search_as_typed
                if query and query.unfinished
                else self.controllers.search.repeat_search
            )(text)
        # The reference lists of what came in are read now, while nobody waits for them.
        self.controllers.rerank.choices.update_citation_graph()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.state is not WorkerState.ERROR or event.worker.error is None:
            return
        error = event.worker.error
        # First, so that no pane still says that it waits when the dialog opens.
        self.context.work.fail_with_bug(event.worker.group)
        if event.worker.group == "rows":
            # Verdicts for rows in sight are read ahead unasked: a dialog would be about nothing the user did.
            _log.error("%s failed", event.worker.name, exc_info=error)
            return
        self.context.failed_group = event.worker.group
        _log.error("%s failed", event.worker.name, exc_info=error)
        cause = f"{type(error).__name__}: {error}"
        from litterm.tui.dialogs.message import task_failure_dialog

        self.context.open(
            task_failure_dialog(f"{event.worker.name} failed.", cause, self.context.log_file, self.context.glyphs)
        )
        self.app.post_message(TaskCrashed(error))

    def on_key_line_chosen(self, message: KeyLine.Chosen) -> None:
        self.press(message.binding_id)

    def on_board_reshaped(self, message: Board.Reshaped) -> None:
        before = self.classes
        self.set_class(message.placed.columns == 1, "-one", update=False)
        self.set_class(not message.placed.framed, "-bare", update=False)
        if self.classes != before:
            # Once for both classes: the styles of all widgets are found anew.
            self.update_node_styles()
        # Titles are cut to the width, which is known after the layout.
        self.call_after_refresh(self._retitle)

    def _retitle(self) -> None:
        context = self.context
        for pane in (context.query, context.aspects, context.results, context.reader, context.evidence, context.matrix):
            pane.retitle()
            if isinstance(pane, LineView):
                pane.fit_width()
        if context.home is not None:
            context.home.retitle()

    def _show_filters(self, query: QueryState) -> None:
        """Tell the key line whether the query has a filter to remove."""
        self._keys.filters = bool(query.query and query.query.chips)

    @on(PageView.Moved)
    def show_what_is_judged(self) -> None:
        """Tell the key line whether a decision in the reader is for the paper."""
        self._keys.judges_paper = not self.context.evidence.sentences_to_judge()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._keys.dialog = bool(self.context.dialogs)
        if self.context.dialogs:
            self._keys.typing = isinstance(event.widget, Field)
            return
        if event.widget is not self.focused:
            # The focus has moved on since, as when a dialog gives it back and its answer puts it elsewhere at once.
            return
        typing = event.widget.id in ("query-field", "find-field")
        self._keys.typing = typing
        self._keys.finding = event.widget.id == "find-field"
        name = next((pane for pane in PANES if pane == event.widget.id), None)
        name = "query" if event.widget.id in ("query-field", "chips") else name
        name = "home" if event.widget.has_class("home-section") else name
        if name is not None:
            shape = self.context.board.shape
            self.context.board.shape = replace(shape, focus=name, main=shape.main if name in STANDALONE_PANES else name)
            self._keys.focus_on = name
        if isinstance(event.widget, LineView):
            event.widget.place_terminal_cursor()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if self.context.dialogs and event.widget is not None:
            top = self.context.dialogs[-1]
            if top not in event.widget.ancestors_with_self:
                # A click beside a dialog leaves it, like esc.
                top.action_close()
        elif self.focused is None:
            # A click on a line that cannot have the focus takes it from the pane; it goes back there.
            self.context.focus_pane(self.context.focus)
