"""Offers a model that runs on this machine where a command wants one and none is set."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litterm.cli.context import Context
    from litterm.llm.local_servers import LocalServer

_MAX_MODELS_SHOWN = 5
"""Models named of each server that was found."""


def find_servers(context: Context) -> tuple[LocalServer, ...]:
    """The model servers that answer on this machine; none where requests are only shown."""
    from litterm.llm.local_servers import find_local_servers

    return () if context.settings.model.dry_run else context.run(find_local_servers())


def server_words(server: LocalServer) -> str:
    """`qwen3:8b and 2 more at 127.0.0.1:11434, the usual port of ollama`."""
    from litterm.llm.local_servers import LOCAL_SERVERS

    usual = LOCAL_SERVERS.get(server.port, "")
    return f"{models_words(server)} at {server.label}{f', the usual port of {usual}' if usual else ''}"


def models_words(server: LocalServer) -> str:
    """The first models of a server, and how many more it has."""
    more = len(server.models) - _MAX_MODELS_SHOWN
    return ", ".join(server.models[:_MAX_MODELS_SHOWN]) + (f" and {more} more" if more > 0 else "")


def offer_local_model(context: Context) -> bool:
    """Says which model runs on this machine, if one does; on a terminal, sets it up if the user presses enter.

    Whether one is set up now.
    """
    servers = find_servers(context)
    if not servers:
        return False
    server, say = servers[0], context.output.say
    name = server.models[0]
    found = "; ".join(map(server_words, servers))
    if sys.stdin is None or not sys.stdin.isatty():
        say(
            f"Running on this machine: {found}."
            f" `litterm config model --base-url {server.base_url} --name {name}` sets it up."
        )
        return False
    say(f"No language model is set. Running on this machine: {found}.")
    say(f"Use {name} at {server.label}? enter takes it, n does not; `litterm config model` sets up another.")
    typed = sys.stdin.readline()
    # Without a line break it is the end of the input, and nobody has pressed enter.
    if typed.strip().lower() not in ("", "y", "yes") or not typed:
        return False
    from litterm.core.errors import ModelError
    from litterm.llm.registry import Models
    from litterm.render.cost import probe_words

    try:
        probe = context.run(Models(context.settings).adopt(server.base_url, name))
    except ModelError as error:
        say(f"litterm: {error} Nothing was written.")
        return False
    say(f"{probe_words(probe)}. {context.settings.config} is written.")
    return True
