"""Choices about the screen stored in the settings file: theme, layout of the results, preview."""

from __future__ import annotations

from litterm.core.settings.edit import write_settings
from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.tui.context import WorkbenchContext

GROUP = "settings"


def save_setting(context: WorkbenchContext, name: str, value: str | bool) -> None:
    """Set the setting `name` in the file, in the background; comments and order there stay."""
    settings = context.settings
    # All of them each time: one task may take the place of another that has not written yet.
    context.chosen_settings[name] = value
    chosen = dict(context.chosen_settings)

    def task() -> Task[None]:
        yield Progress("keeping a setting")
        write_settings(settings.config, chosen)

    context.work.start(GROUP, "keeping a setting", task, lambda _: None)
