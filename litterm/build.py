"""Builds the engine that the settings ask for: of this machine, of a server's library, or on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litterm.core.settings import Settings
    from litterm.engine import Engine
    from litterm.model.citations.facts import FactsBuild


def build_engine(settings: Settings, *, facts: FactsBuild = "full") -> Engine:
    """Builds the engine for `settings`, in microseconds; only what they ask for is imported.

    `facts` are the citation facts that it uses, on this machine or on a cluster.

    Raises:
        Offline: the server or the cluster is on another machine, and the network is switched off.
        SettingsError: the server's token cannot be read, or would be sent where others can read it.
        UsageError: there is no such address of a cluster.
    """
    if settings.server:
        from litterm.server.client.engine import build_remote_engine

        return build_remote_engine(settings)
    if settings.cluster:
        from litterm.cluster.engine import build_cluster_engine

        return build_cluster_engine(settings, facts)
    from litterm.engine import Engine
    from litterm.engine.parts import Parts

    return Engine(Parts(settings, facts))
