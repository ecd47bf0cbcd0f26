"""How the screen is to look, kept in the settings file: theme, layout of the results, preview."""

from __future__ import annotations

from litterm.core.settings.edit import write_settings
from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.tui.context import WorkbenchContext

GROUP = "settings"
"""Of the tasks; `state.SETTINGS` names them."""


def keep(stage: WorkbenchContext, name: str, value: str | bool) -> None:
    """Set the setting `name` in the file, in the background; comments and order there stay."""
    settings = stage.settings

    def task() -> Task[None]:
        yield Progress("keeping a setting")
        write_settings(settings.config, {name: value})

    # A group a setting: two choices in a row must both be kept.
    stage.work.start(f"{GROUP}-{name}", "keeping a setting", task, lambda _: None)
