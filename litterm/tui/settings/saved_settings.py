"""Saves choices made on the screen (theme, layout of the results, preview) to the settings file."""

from __future__ import annotations

from litterm.core.settings.config_file import write_settings
from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.tui.context import WorkbenchContext

GROUP = "settings"


def save_setting(context: WorkbenchContext, name: str, value: str | bool) -> None:
    """Saves one setting to the file, in the background; comments and order there stay."""
    settings = context.settings
    # Every choice of this session each time: a newer task replaces one that has not written yet.
    context.chosen_settings[name] = value
    chosen = dict(context.chosen_settings)

    def task() -> Task[None]:
        yield Progress("saving a setting")
        write_settings(settings.config, chosen)

    context.work.start(GROUP, "saving a setting", task, lambda _: None)
