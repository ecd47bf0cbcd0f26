"""Taking keys back that acted at once and turned out to be the first letters of a word.

What a key of `REVERSIBLE_ACTIONS` does is undone in full: the screen is as it was, and its decisions are taken back.
They are in the journal before they are shown, as those of any other key, so that none can be lost meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.notifications import Notification
from textual.widget import Widget

from litterm.tui.dialogs.base import Dialog
from litterm.tui.input.keymap import KeyBinding
from litterm.tui.layout.plan import LayoutShape
from litterm.tui.platform.textual_compat import CompatApp
from litterm.tui.state import TOUR_PROJECT, ReaderState, ResultsState
from litterm.tui.widgets.styled_lines import LineView

if TYPE_CHECKING:
    from litterm.model.paper import PaperId
    from litterm.tui.context import WorkbenchContext
    from litterm.tui.controllers import Controllers
    from litterm.tui.reader.controller import ReadingHistory

_VIEW_ACTIONS = (
    *("left", "right", "range", "section(1)", "section(-1)", "panes.hide", "panes.zoom"),
    *(f"panes.sideways('{pane}', {step})" for pane in ("results", "reader", "evidence") for step in (-1, 1)),
    *("home.sideways(-1)", "home.sideways(1)"),
)
_OPENING_ACTIONS = ("navigation.into_result", "navigation.evidence", "reader.back(-1)", "reader.back(1)")
"""Those that open a paper, which takes the place of one that is on its way."""
_DIALOG_ACTIONS = (
    *("sort", "narrow", "explanations.why", "explanations.outline", "attribution.open_selected", "projects.open"),
    *("notes.tags", "notes.note", "revision.edit", "reading_lists.open", "matrices.open", "export.write"),
)
_DECISION_ACTIONS = (
    *("annotations.decide('accept')", "annotations.decide('reject')", "notes.star", "notes.read_status"),
    *("annotations.undo", "annotations.redo"),
)
REVERSIBLE_ACTIONS = frozenset((*_VIEW_ACTIONS, *_OPENING_ACTIONS, *_DIALOG_ACTIONS, *_DECISION_ACTIONS))
"""Actions of the key table that act at once, as all that they do can be taken back.

The others of a letter wait: they ask a service or a model, start a program, write a file, search, or stop a job.
"""
_STARTED_GROUPS = ("read", "evidence", "references", "matrices", "preview", "results")
"""Groups of the background tasks that these actions start."""


def acts_at_once(key: KeyBinding, context: WorkbenchContext) -> bool:
    """Whether what the key would do now can be taken back in full."""
    action = key.action_in(context.focus)
    running = {job.group for job in context.work.jobs}
    if action not in REVERSIBLE_ACTIONS or context.project == TOUR_PROJECT:
        # The tour ticks a step as soon as it sees it done.
        return False
    if action in _OPENING_ACTIONS:
        # Home lists the papers read last, and would list them anew.
        return context.focus != "home" and not running & {"read", "evidence"}
    if action in _DECISION_ACTIONS:
        # In the query they remove a filter, and without results undo may: that searches again.
        return context.focus != "query" and bool(context.results.state.rows)
    return True


@dataclass(frozen=True, slots=True)
class ScreenBefore:
    """The screen before a letter acted."""

    shape: LayoutShape
    results: ResultsState
    matrix_chosen: frozenset[PaperId]
    reader: ReaderState
    evidence: tuple[object, ...]
    places: tuple[tuple[LineView, tuple[object, ...]], ...]
    history: ReadingHistory
    focused: Widget | None
    dialogs: tuple[Dialog[object], ...]
    toasts: tuple[Notification, ...]
    groups: frozenset[str]
    """Groups of the tasks that ran."""


def take_screen(context: WorkbenchContext, controllers: Controllers) -> ScreenBefore:
    """What has to be known to take letters back."""
    app = context.screen.app
    return ScreenBefore(
        context.board.shape,
        context.results.state,
        context.matrix.state.chosen,
        context.reader.state,
        context.evidence.answers(),
        tuple((view, view.place()) for view in _views(context)),
        controllers.reader.history(),
        context.screen.focused,
        tuple(context.dialogs),
        app.toasts if isinstance(app, CompatApp) else (),
        frozenset(job.group for job in context.work.jobs),
    )


def _views(context: WorkbenchContext) -> tuple[LineView, ...]:
    sections = context.home.query(LineView) if context.home is not None and context.focus == "home" else ()
    panes = context.aspects, context.results, context.reader, context.evidence, context.matrix
    return (context.query.chip_line, *panes, *sections)


def restore_screen(before: ScreenBefore, context: WorkbenchContext, controllers: Controllers) -> None:
    """Bring back the screen, and take back what was decided, since `before`."""
    for dialog in reversed([dialog for dialog in context.dialogs if dialog not in before.dialogs]):
        # Not by the way a user leaves it, which may keep what is typed.
        context.close(dialog)
    context.work.cancel(*(group for group in _STARTED_GROUPS if group not in before.groups))
    context.attempt(context.engine.annotations.take_back_tracked)
    controllers.reader.return_to_history(before.history)
    _restore_papers(before, context)
    shape = context.board.shape
    context.board.shape = replace(before.shape, query_lines=shape.query_lines, aspects=shape.aspects)
    if before.focused is not None and before.focused.is_attached:
        context.screen.set_focus(before.focused, scroll_visible=False)
    _restore_places(before)
    # Again, once the panes have their sizes back.
    context.screen.call_after_refresh(_restore_places, before)
    app = context.screen.app
    if isinstance(app, CompatApp):
        for toast in app.toasts:
            if toast not in before.toasts:
                app.drop_toast(toast)
    for listener in controllers.annotations.revert_listeners:
        listener()


def _restore_papers(before: ScreenBefore, context: WorkbenchContext) -> None:
    """Show the paper and the decisions of before; what tasks have brought meanwhile stays."""
    results, old = context.results, before.results
    results.state = replace(
        results.state, chosen=old.chosen, reading=old.reading, notes=results.notes_of(results.state.rows)
    )
    if context.matrix.state.chosen != before.matrix_chosen:
        context.matrix.state = replace(context.matrix.state, chosen=before.matrix_chosen)
    if context.reader.state.paper is not before.reader.paper:
        context.reader.state = before.reader
        context.evidence.return_to_answers(before.evidence)
    elif before.reader.paper is not None:
        notes = context.engine.annotations.notes(before.reader.paper.id)
        context.reader.state = replace(context.reader.state, notes=notes)
        context.evidence.refresh_marks()


def _restore_places(before: ScreenBefore) -> None:
    for view, place in before.places:
        if view.is_attached and place != view.place():
            view.return_to(place)
