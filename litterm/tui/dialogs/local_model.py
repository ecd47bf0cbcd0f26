"""Offers a model that runs on this machine where one is wanted and none is set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.model.llm import EndpointProbe
from litterm.render.cost import probe_words
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice

if TYPE_CHECKING:
    from litterm.llm.local_servers import LocalServer

_GROUP = "model"
_ABOUT = (
    "No language model is set, but one runs on this machine. Nothing leaves it; `litterm config model` sets another."
)


def with_model(context: WorkbenchContext, proceed: Callable[[], None]) -> None:
    """Calls `proceed` at once where a model is set or none is found; else once the user has taken one that runs here.

    `proceed` says itself that there is no model.
    """
    if context.engine.models.is_set or context.settings.model.dry_run:
        proceed()
        return

    def on_found(servers: tuple[LocalServer, ...]) -> None:
        if servers:
            _offer(context, servers, proceed)
        else:
            proceed()

    from litterm.llm.local_servers import find_local_servers

    context.work.start(_GROUP, "looking for a model on this machine", find_local_servers, on_found)


def _offer(context: WorkbenchContext, servers: Sequence[LocalServer], proceed: Callable[[], None]) -> None:
    offered = [(server, name) for server in servers for name in server.models]
    choices = [ListChoice(name, server.label) for server, name in offered]
    dialog = ChoiceDialog("a model on this machine", choices, context.glyphs, keys="use")
    dialog.about = _ABOUT

    def on_choice(index: int) -> None:
        server, name = offered[index]

        def on_adopted(probe: EndpointProbe) -> None:
            context.settings = replace(
                context.settings, model=replace(context.settings.model, base_url=server.base_url, model=name)
            )
            context.tell(f"{probe_words(probe)}.")
            proceed()

        adopt = context.engine.models.adopt
        context.work.start(_GROUP, f"testing {name}", lambda: adopt(server.base_url, name), on_adopted)

    context.open(dialog, on_choice)
