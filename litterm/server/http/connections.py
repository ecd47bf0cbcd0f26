"""Connections: how many there may be, in all and from one address, and which are closed when their place is needed."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import resource
import socket
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

_MAX_ACCEPTED_AT_ONCE = 4
"""Before the event loop has its turn again: only then the idle ones among them are known, and can make room."""
_CROWDED_SHARE = 0.75
"""Of all places, from which on an idle connection makes room for each new one."""
_BUSY_BODY = b'{"error": {"type": "LibraryServerBusy", "message": "Too many connections to the server; try again."}}'
_BUSY_ANSWER = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 5\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%b" % (len(_BUSY_BODY), _BUSY_BODY)
)


class ConnectionLimits:
    """Counts connections; for use in the thread of the event loop."""

    def __init__(self, most: int, per_address: int, proxy: str = "", *, is_plain: bool = True) -> None:
        """At most `per_address` from one address; with `is_plain` a refused one is told why.

        Not limited are the addresses of `proxy`: several, or networks, with commas between them, or `*`.
        """
        self._most, self._per_address = most, per_address
        self._proxies = tuple(filter(None, map(str.strip, proxy.split(","))))
        self._is_plain = is_plain
        self._by_address: Counter[str] = Counter()
        self._idle: OrderedDict[object, Callable[[], None]] = OrderedDict()
        """Connections without a request, and how each is closed."""

    def admit(self, address: str) -> bool:
        """Whether a connection from `address` may stay, which counts it; an idle one is closed where there are many."""
        count = self._by_address.total()
        if count >= self._most * _CROWDED_SHARE and self._idle:
            # The one that has been idle longest; it is gone at the next turn of the event loop.
            _longest, close = self._idle.popitem(last=False)
            close()
        is_excess = self._by_address[address] >= self._per_address and not self._is_proxy(address)
        if count >= self._most or is_excess:
            return False
        self._by_address[address] += 1
        return True

    def forget(self, address: str) -> None:
        """A counted connection has ended."""
        self._by_address[address] -= 1
        self._by_address = +self._by_address

    def set_busy(self, connection: object) -> None:
        """Tells that a connection has a request, or has ended."""
        self._idle.pop(connection, None)

    def set_idle(self, connection: object, close: Callable[[], None]) -> None:
        """Tells that a connection waits for a request; `close` ends it."""
        self._idle.pop(connection, None)
        self._idle[connection] = close

    def _is_proxy(self, address: str) -> bool:
        return any(trusted == "*" or _is_in(address, trusted) for trusted in self._proxies)

    def refuse(self, connection: socket.socket) -> None:
        """Closes a connection that was not admitted, and says why."""
        with contextlib.suppress(OSError):
            if self._is_plain:
                connection.setblocking(False)
                connection.send(_BUSY_ANSWER)
        connection.close()


class LimitedSocket(socket.socket):
    """A listening socket that hands on only connections that `limits` admit.

    They are counted here, and not where a request is read: an open descriptor is what runs out, and one that is still
    negotiating TLS has it, too.
    """

    limits: ConnectionLimits
    _accepted = 0
    """In this turn of the event loop."""

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection that is admitted.

        Raises:
            BlockingIOError: there is none at the moment.
        """
        while self._accepted < _MAX_ACCEPTED_AT_ONCE:
            accepted, peer = super().accept()
            if not self._accepted:
                asyncio.get_running_loop().call_soon(self._begin_turn)
            self._accepted += 1
            address = str(peer[0])
            if self.limits.admit(address):
                return _CountedSocket(accepted, self.limits, address), peer
            self.limits.refuse(accepted)
        raise BlockingIOError

    def _begin_turn(self) -> None:
        self._accepted = 0


class _CountedSocket(socket.socket):
    """A connection that is counted until it is closed."""

    def __init__(self, accepted: socket.socket, limits: ConnectionLimits, address: str) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        self._counted_by: ConnectionLimits | None = limits
        self._address = address

    def close(self) -> None:
        """Closes it, and counts it no longer."""
        limits, self._counted_by = self._counted_by, None
        super().close()
        if limits is not None:
            limits.forget(self._address)


def _is_in(address: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(address) in ipaddress.ip_network(network, strict=False)
    # A name, or something that is no address.
    except ValueError:
        return address == network


def allow_connections(wanted: int) -> int:
    """Raises the number of files that this process may open, if it must and may; returns how many connections it holds.

    Half of the files are left for the library, so that an answer never fails because a file cannot be opened.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 2 * wanted
    if soft != resource.RLIM_INFINITY and soft < needed:
        raised = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        # Some systems allow less than they say.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, raised), hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return wanted if soft == resource.RLIM_INFINITY else min(wanted, soft // 2)
