"""The server of one library: application, imports, tools, and the address it listens on."""

from __future__ import annotations

import socket
import sys

from litterm.core.settings import Settings
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.server.http import imports, mcp
from litterm.server.http.app import LibraryApp, make_app
from litterm.server.http.imports import ImportQueue
from litterm.server.http.listen import ListenAddress, limit_connections, make_server, open_socket
from litterm.server.http.mcp import ToolEndpoint
from litterm.server.http.user_routes import UserRoutes
from litterm.server.users.audit_log import AuditLog
from litterm.server.users.limits import ServerLimits
from litterm.server.users.user_file import UserFile

_SWITCH_INTERVAL_S = 0.0005
"""After which a thread that computes lets another one: by default ten times that, for which a short request beside a
long one would wait after each of its some hundred calls of the database."""


class LibraryServer:
    """A server that listens once it is created, and answers while it runs."""

    def __init__(
        self, engine: Engine, settings: Settings, users: UserFile, limits: ServerLimits, address: ListenAddress
    ) -> None:
        self.engine = engine
        engine.verify_all_indexes()
        self._audit = AuditLog(settings.logs)
        self._library = LibraryApp(engine, users, limits, self._audit)
        self._imports = ImportQueue(self._library, settings.cache / "uploads")
        add = self._library.route(imports.PATH, "add", self._imports.answer)
        tools = self._library.route(mcp.PATH, "tools", ToolEndpoint(self._library).answer)
        changes = UserRoutes(self._library, users).routes()
        connections = limit_connections(address, limits)
        self._server = make_server(make_app(self._library, add, tools, *changes), address, limits, connections)
        self._listening = open_socket(address, connections)
        self._address = address

    @property
    def url(self) -> str:
        """The address for clients."""
        host, port = self._listening.getsockname()[:2]
        name = f"[{host}]" if self._listening.family == socket.AF_INET6 else host
        return f"{self._address.scheme}://{name}:{port}"

    def warm_up(self) -> None:
        """Loads what the first search needs, so that no user waits for it."""
        run(self.engine.search("paper", k=1))

    def run(self) -> None:
        """Serves until the process is told to stop, then finishes the requests in progress."""
        # Of the whole process, which serves and does nothing else.
        sys.setswitchinterval(_SWITCH_INTERVAL_S)
        try:
            self._server.run(sockets=[self._listening])
        finally:
            # The log last, as what ends now is still written down.
            self._imports.close()
            self._library.close()
            self._audit.close()

    def stop(self) -> None:
        """Ends `run`, from any thread."""
        self._server.should_exit = True
