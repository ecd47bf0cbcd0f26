"""The server process: an address, certificates, and deadlines for clients that are too slow."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from litterm.core.errors import UsageError
from litterm.server.http.connections import ConnectionLimits, LimitedSocket, allow_connections
from litterm.server.users.limits import ServerLimits

_KEEP_ALIVE_S = 30
_SHUTDOWN_TIMEOUT_S = 10
"""For requests in progress when the server is told to stop."""
_MAX_HEAD_BYTES = 32_768


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """Where and how the server listens."""

    host: str = "127.0.0.1"
    port: int = 8765
    """The port; 0 for any free one."""
    certificate: Path | None = None
    key: Path | None = None
    trusted_proxy: str = ""
    """The address of a proxy whose headers on the client's address are trusted."""

    @property
    def scheme(self) -> str:
        """`https` where there is a certificate."""
        return "https" if self.certificate else "http"


def limit_connections(address: ListenAddress, limits: ServerLimits) -> ConnectionLimits:
    """How many connections there may be, as far as the system lets this process have them."""
    return ConnectionLimits(
        allow_connections(limits.connections),
        limits.connections_per_address,
        address.trusted_proxy,
        is_plain=address.certificate is None,
    )


def open_socket(address: ListenAddress, connections: ConnectionLimits) -> LimitedSocket:
    """Opens a socket that listens on the address and counts the connections.

    Raises:
        UsageError: it is not available.
    """
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = LimitedSocket(family, socket.SOCK_STREAM)
    listening.limits = connections
    try:
        # A server that is started again must not wait for the system to forget its last connections.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address.host, address.port))
        listening.listen(512)
    except OSError as error:
        listening.close()
        raise UsageError(
            f"Cannot listen at {address.host} port {address.port} ({error.strerror or error}); "
            "choose another with --host and --port."
        ) from error
    return listening


def make_server(
    app: ASGIApp, address: ListenAddress, limits: ServerLimits, connections: ConnectionLimits
) -> uvicorn.Server:
    """A server that is ready to run on a socket whose `connections` are counted.

    Raises:
        UsageError: certificate or key cannot be used.
    """
    config = uvicorn.Config(
        SendDeadline(app, limits.silence_s),
        # uvicorn makes the protocol itself and hands it nothing of ours: the deadline goes along in the class.
        http=type("HeadDeadline", (HeadDeadline,), {"header_s": limits.header_s, "counted": connections}),
        # Another one accepts connections by itself, uncounted.
        loop="asyncio",
        ws="none",
        lifespan="off",
        # uvicorn would set up logs of its own, and each request is in ours already.
        log_config=None,
        access_log=False,
        server_header=False,
        # Only from the trusted proxy: any client could claim another address and evade the limits.
        proxy_headers=bool(address.trusted_proxy),
        forwarded_allow_ips=address.trusted_proxy or None,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_SHUTDOWN_TIMEOUT_S,
        h11_max_incomplete_event_size=_MAX_HEAD_BYTES,
        ssl_certfile=address.certificate,
        ssl_keyfile=address.key,
    )
    try:
        # Here and not in `run`, so that a wrong certificate is reported before the server listens.
        config.load()
    except OSError as error:
        raise UsageError(f"The certificate or its key cannot be used: {error.strerror or error}.") from error
    return uvicorn.Server(config)


class SendDeadline:
    """Disconnects a client that receives nothing of its answer for too long."""

    def __init__(self, app: ASGIApp, silence_s: float) -> None:
        self._app = app
        self._silence_s = silence_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on."""

        async def send_in_time(message: Message) -> None:
            await asyncio.wait_for(send(message), self._silence_s)

        await self._app(scope, receive, send_in_time)


class HeadDeadline(H11Protocol):
    """The protocol of uvicorn with a deadline for the head of a request."""

    header_s = 10.0
    counted: ConnectionLimits
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected, and must send the head of a request by the deadline."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(self.header_s, self._close_overdue)
        self.counted.set_idle(self, self._close_overdue)

    def handle_events(self) -> None:
        """Data have arrived: a whole request ends the deadline, a part of the next starts one."""
        super().handle_events()
        if _is_answering(self):
            self._end_deadline()
        elif self._deadline is None and self.conn.trailing_data[0]:
            self._deadline = self.loop.call_later(self.header_s, self._close_overdue)
        self._tell_whether_idle()

    def on_response_complete(self) -> None:
        """An answer has been sent: until the next request the connection is idle."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._tell_whether_idle()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has disconnected."""
        self._end_deadline()
        self.counted.set_busy(self)
        super().connection_lost(exc)

    def _tell_whether_idle(self) -> None:
        if _is_answering(self):
            self.counted.set_busy(self)
        else:
            self.counted.set_idle(self, self._close_overdue)

    def _end_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close_overdue(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.close()


def _is_answering(protocol: H11Protocol) -> bool:
    # Before the first request there is no cycle, whatever its type says.
    cycle: RequestResponseCycle | None = protocol.cycle
    return cycle is not None and not cycle.response_complete
