"""The Textual application: themes, input, signals and the log around the one screen, the workbench."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.actions import ActionParseResult
from textual.app import App
from textual.binding import BindingType
from textual.dom import DOMNode
from textual.filter import LineFilter, Monochrome, NoColor
from textual.notifications import Notify
from textual.theme import Theme

from litterm.core.settings import Settings
from litterm.engine import Engine
from litterm.model.paper import PaperId
from litterm.text.escape import plain
from litterm.tui.dialogs.text import RUN_AS_COMMANDS, TypedTextDialog
from litterm.tui.input.key_queue import KeyQueue
from litterm.tui.input.keymap import bindings, bound_action, remap, textual_key
from litterm.tui.platform.end_signals import EndSignals
from litterm.tui.platform.idle_gc import IDLE_BEFORE_GC_S, GcControl, rare_full_collections
from litterm.tui.settings import themes
from litterm.tui.widgets.field import Field
from litterm.tui.widgets.glyphs import Glyphs, TerminalAnswer, ask_terminal, choose_glyphs
from litterm.tui.workbench import TaskCrashed, Workbench

if TYPE_CHECKING:
    from litterm.tui.input.reversal import ScreenBefore

THEME_CHECK_INTERVAL_S = 1.0
"""Seconds between checks of the theme files; a check is one `stat` per file."""
TIDY_INTERVAL_S = 5.0
"""Seconds between attempts to save the session and to collect garbage."""
MAX_TOASTS = 3
"""Notices shown at a time; more would hide what they are about."""
MIN_ROWS_FOR_SEVERAL_TOASTS = 30
"""Rows of a screen that shows several notices; on a smaller one the second would cover the query in line 2."""
_NAMED_KEYS = {"\r": "enter", "\n": "enter", "\t": "tab", " ": "space", "\x7f": "backspace", "\b": "backspace"}
_NO_COLOUR = NoColor()
_log = logging.getLogger(__name__)


class LittermApp(KeyQueue):
    """The application around one workbench and its engine."""

    CSS_PATH = "litterm.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("app")]
    # Our own list of commands, which knows the key table and `:`, has its key, ctrl+p.
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    TITLE = "litterm"

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        glyphs: Glyphs,
        *,
        opening: PaperId | None = None,
        raise_task_errors: bool = False,
    ) -> None:
        self._theme_folders = themes.theme_folders(settings.themes)
        self._themes = themes.load_themes(self._theme_folders)
        self._theme_stamps = themes.modification_times(self._theme_folders)
        self._log_file = settings.log_file
        self._raises_task_errors = raise_task_errors
        """Whether a bug in a background task ends the app: in tests."""
        self._gc_control = GcControl()
        self._signals: EndSignals | None = None
        self.typed_before_start = ""
        """What was typed before the app owned the terminal, which has read it already."""
        self._before_letters: ScreenBefore | None = None
        """The screen before letters that may have to be taken back; `None` while there are none."""
        super().__init__()
        # The keys of the base class that the table does not know would act without being in the help.
        self.drop_binding("ctrl+c")
        # An animated scroll would delay what a key shows.
        self.animation_level = "none"
        keys = remap(dict(settings.keys))
        self.set_keymap(dict(keys.keymap))
        for key in keys.commands:
            self.bind(",".join(map(textual_key, key.keys)), bound_action(key.action), description=key.meaning)
        self.letter_run.table = keys.table
        self._settings_faults = (
            *self._themes.faults,
            *(f"{settings.config.name}: {conflict}" for conflict in keys.conflicts),
        )
        for theme in self._themes.themes.values():
            self.register_theme(theme)
        self.theme = self._theme_name(settings.theme)
        for name in {*self.available_themes} - {*self._themes.themes, self.theme}:
            # Themes of Textual lack our variables (evidence, match), and the stylesheet would end the app.
            self.unregister_theme(name)
        self._workbench = Workbench(engine, settings, glyphs, keys, opening)

    def _theme_name(self, name: str) -> str:
        """The theme to start with: the one in the settings, else the default with a notice."""
        if name not in self._themes.themes:
            if name:
                names = ", ".join(sorted(self._themes.themes))
                self._settings_faults = (*self._settings_faults, f"theme: there is no {name!r}; there are {names}.")
            name = themes.DEFAULT_THEME if themes.DEFAULT_THEME in self._themes.themes else "textual-dark"
        return name

    def get_theme(self, theme_name: str) -> Theme | None:
        """A theme by name; Textual asks hundreds of times a frame and would sort all themes each time."""
        return self._themes.themes.get(theme_name) or super().get_theme(theme_name)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The filters without Textual's grey for `NO_COLOR`: black on black where the terminal has the colours."""
        filters = super().get_line_filters()
        if self.no_color and self.native_ansi_color:
            return [_NO_COLOUR if isinstance(line_filter, Monochrome) else line_filter for line_filter in filters]
        return filters

    def awaits_key(self) -> bool:
        """Whether the next key is meant for a dialog without focus yet, the last session, or results on their way."""
        dialogs, focused = self._workbench.context.dialogs, self.focused
        if not dialogs and (self._workbench.is_opening or self._workbench.is_awaiting_results):
            return True
        return bool(dialogs) and (focused is None or dialogs[-1] not in focused.ancestors_with_self)

    def is_in_field(self) -> bool:
        return isinstance(self.focused, Field)

    def is_in_dialog(self) -> bool:
        return bool(self._workbench.context.dialogs)

    def ask_about_text(self, text: str) -> None:
        def on_answer(answer: str) -> None:
            if answer == RUN_AS_COMMANDS:
                self.replay_as_commands(text)
            else:
                self._workbench.controllers.search.search_for(answer)

        self._workbench.context.open(TypedTextDialog(text, self._workbench.context.glyphs), on_answer)

    def acts_at_once(self, letter: str) -> bool:
        from litterm.tui.input.reversal import acts_at_once

        context = self._workbench.context
        if context.dialogs:
            return False
        scopes = (context.focus, "all")
        keys = (key for key in self.letter_run.table if letter in key.keys and key.scope in scopes)
        return any(acts_at_once(key, context) for key in keys)

    def begin_reversible(self) -> None:
        from litterm.tui.input.reversal import take_screen

        self._before_letters = take_screen(self._workbench.context, self._workbench.controllers)

    def keep_acts(self) -> None:
        self._before_letters = None
        self._workbench.context.engine.annotations.keep_tracked()

    def take_acts_back(self) -> None:
        from litterm.tui.input.reversal import restore_screen

        before, self._before_letters = self._before_letters, None
        if before is not None:
            restore_screen(before, self._workbench.context, self._workbench.controllers)
            self._workbench.show_what_is_judged()

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action; what it decides is tracked while it may have to be taken back."""
        annotations = self._workbench.context.engine.annotations
        with annotations.track_changes() if self.letter_run.has_changed else nullcontext():
            return await super().run_action(action, default_namespace, namespaces)

    def get_default_screen(self) -> Workbench:
        return self._workbench

    def on_mount(self) -> None:
        for character in self.typed_before_start:
            self.post_message(events.Key(_NAMED_KEYS.get(character, character), character))
        self._handle_signals()
        self._warn(self._settings_faults)
        # After `fg` the terminal is empty, and Textual would draw only what changes.
        self.app_resume_signal.subscribe(self, lambda _: self.action_redraw())
        self.set_interval(THEME_CHECK_INTERVAL_S, self._reload_changed_themes)
        self.set_interval(TIDY_INTERVAL_S, self._tidy)

    def _tidy(self) -> None:
        """Save the session and collect garbage while no key comes; a killed process must not lose the session."""
        if monotonic() - self.last_key_at >= IDLE_BEFORE_GC_S:
            self._workbench.save_session()
        self._gc_control.collect_if_idle(self.last_key_at)

    def on_notify(self, event: Notify) -> None:
        """Drop the same toast and the oldest before Textual shows another: each is there once, and few at a time."""
        other_toasts = [toast for toast in self.toasts if toast.message != event.notification.message]
        limit = MAX_TOASTS if self.size.height >= MIN_ROWS_FOR_SEVERAL_TOASTS else 1
        for toast in self.toasts:
            if toast not in other_toasts[max(0, len(other_toasts) + 1 - limit) :]:
                self.drop_toast(toast)

    def _reload_changed_themes(self) -> None:
        """Load the themes again if one of their files has changed."""
        stamps = themes.modification_times(self._theme_folders)
        if stamps == self._theme_stamps:
            return
        self._theme_stamps = stamps
        self._themes = themes.load_themes(self._theme_folders)
        self._warn(self._themes.faults)
        for theme in self._themes.themes.values():
            self.register_theme(theme)
        if self.theme in self._themes.themes:
            self.refresh_css(animate=False)

    def _warn(self, faults: Sequence[str]) -> None:
        """Show what is wrong with the settings, in one notice."""
        if faults:
            self.notify("\n".join(plain(fault) for fault in faults), severity="warning", timeout=12, markup=False)

    def on_task_crashed(self, message: TaskCrashed) -> None:
        # The user continues working after a bug in a task; a test must fail.
        if self._raises_task_errors:
            raise message.error

    def crash_message(self, error: BaseException | None) -> str:
        """The sentence for the user after a bug; the traceback goes to the log."""
        _log.critical("the workbench had to stop", exc_info=error)
        cause = plain(f"{type(error).__name__}: {error}")
        saved = "What you decided and wrote is saved; start litterm again to continue."
        return f"litterm had to stop: a bug in it ({cause}). {saved} Log: {self._log_file}"

    def action_redraw(self) -> None:
        self.screen.refresh(layout=True, repaint=True)

    async def action_quit(self) -> None:
        self.save_and_exit()

    def save_and_exit(self, status: int = 0) -> None:
        """Save the session and exit with `status`."""
        self._workbench.save_before_end()
        self.exit(return_code=status)

    def use_signals(self, signals: EndSignals) -> None:
        """Leave when a signal asks for it; to be called before the app runs."""
        self._signals = signals

    def _handle_signals(self) -> None:
        signals, loop = self._signals, asyncio.get_running_loop()
        if signals is None:
            return
        # A signal handler may interrupt any line of ours, so it only asks the event loop to leave.
        signals.call_on_end(lambda: _call_soon(loop, lambda: self.save_and_exit(128 + signals.received)))
        # At once and not by the queue of messages, which a process that is about to stop does not work off any more.
        self.app_suspend_signal.subscribe(self, self._on_suspend, immediate=True)
        self.app_resume_signal.subscribe(self, lambda _: signals.install_handlers(), immediate=True)

    def _on_suspend(self, _app: App[object]) -> None:
        # A suspended process may be killed and never continued.
        self._workbench.save_before_end()
        if self._signals is not None:
            self._signals.restore_handlers()


def run(engine: Engine, settings: Settings, *, paper_id: PaperId | None = None) -> int:
    """Show the workbench until the user leaves it; the exit code, 128 and its number where a signal ended it."""
    with EndSignals() as signals:
        # Before Textual owns the terminal: afterwards the answer would be read as keys.
        answer = ask_terminal() if settings.ascii is None else TerminalAnswer()
        glyphs = choose_glyphs(settings.ascii, os.environ, answer.cells)
        if os.environ.get("TERM", "dumb") in ("", "dumb", "unknown"):
            # Rich takes a dumb terminal for 80 x 25 whatever its size; anything that got this far can do more.
            os.environ["TERM"] = "vt100"
        if _has_few_colours() and settings.theme not in themes.TERMINAL_COLOUR_THEMES:
            # The nearest of 16 colours to those of a theme may be the one they are on.
            settings = replace(settings, theme=themes.TERMINAL_COLOUR_THEMES[0])
        app = LittermApp(engine, settings, glyphs, opening=paper_id)
        app.use_signals(signals)
        app.typed_before_start = answer.typed
        with rare_full_collections():
            app.run()
    return 128 + signals.received if signals.received else app.return_code or 0


def _call_soon(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    # The loop may have ended between the signal and here: then the app is on its way out.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(callback)


def _has_few_colours() -> bool:
    """Whether the terminal has at most 16 colours, which are then left to it."""
    from rich.console import Console

    return Console().color_system in (None, "standard", "windows")
