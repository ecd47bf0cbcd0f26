"""Connections to public addresses only: a name is looked up here, every address checked, and one of them used.

Looking up a name, checking it and letting the client look it up again would leave a gap in which the answer can
change. Each host has a pool of its own, because the pool would else share connections by address.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import urllib.request
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import httpx

from litterm.core.errors import AddressRefused, NoNetwork, Unreachable

Resolver = Callable[[str, int], Awaitable[tuple[str, ...]]]
"""Host and port to every address it has."""
_SCHEMES = ("https", "http")
_IPV4_IN_IPV6 = (ipaddress.ip_network("::ffff:0:0/96"), ipaddress.ip_network("64:ff9b::/96"))
"""Networks whose addresses carry an IPv4 address in their last 32 bits: mapped, and NAT64."""


def check_url(url: str) -> tuple[str, int]:
    """Host and port of `url`.

    Raises:
        AddressRefused: it is no web address, holds a password, or names an address that is not public.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError as error:
        raise unreadable_address_error() from error
    if parts.scheme not in _SCHEMES or not parts.hostname:
        raise AddressRefused(f"Only web addresses are opened, not “{parts.scheme or 'nothing'}:”.")
    # `https://arxiv.org@evil.example` reads like another host.
    if parts.username or parts.password:
        raise AddressRefused(f"The address at {parts.hostname} holds a name or password and is not opened.")
    literal = _literal_address(parts.hostname)
    if literal is not None:
        _refuse_private(parts.hostname, (literal,))
    if parts.hostname == "localhost" or parts.hostname.endswith(".localhost"):
        raise AddressRefused(f"{parts.hostname} is this machine; it is not opened.")
    return parts.hostname, port


def unreadable_address_error() -> AddressRefused:
    """For what is called an address but is not one."""
    return AddressRefused("The service points to an address that cannot be read.")


async def resolve(host: str, port: int) -> tuple[str, ...]:
    """Every address of `host`, IPv4 first.

    Raises:
        NoNetwork: the name is not known here.
    """
    try:
        infos = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise NoNetwork(f"{host} cannot be resolved: is there a network connection?") from error
    addresses = dict.fromkeys(str(info[4][0]).partition("%")[0] for info in infos)
    return tuple(sorted(addresses, key=lambda address: ":" in address))


async def public_addresses(host: str, port: int, resolver: Resolver) -> tuple[str, ...]:
    """Every address of `host`, all of them public.

    Raises:
        AddressRefused: one of them is not: a name may not lead into this machine or its network.
        Unreachable: the name is not known.
    """
    literal = _literal_address(host)
    addresses = (str(literal),) if literal is not None else await resolver(host, port)
    if not addresses:
        raise Unreachable(f"{host} has no address.")
    _refuse_private(host, tuple(ipaddress.ip_address(address) for address in addresses))
    return addresses


def _literal_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        # Whoever looks names up takes these for addresses, too: 2130706433, 0x7f.1.
        return ipaddress.IPv4Address(socket.inet_aton(host)) if host.isascii() else None
    except OSError:
        return None


def _refuse_private(host: str, addresses: tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, ...]) -> None:
    # All and not one: a name with a public and a private address may lead to either.
    for address in addresses:
        if not is_public(address):
            raise AddressRefused(f"{host} leads to {address}, which is not a public address; it is not opened.")


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether `address` is on the public internet: not private, loopback, link-local, multicast or reserved."""
    if isinstance(address, ipaddress.IPv6Address):
        # Given up in 2004, and counted as global by Python.
        if address.is_site_local:
            return False
        if any(address in network for network in _IPV4_IN_IPV6):
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF))
        if address.sixtofour is not None:
            return is_public(address.sixtofour)
    return address.is_global and not address.is_multicast and not address.is_reserved


_POOL_LIMITS = httpx.Limits(max_connections=4, max_keepalive_connections=2, keepalive_expiry=30.0)


class CheckedTransport(httpx.AsyncBaseTransport):
    """Fits `httpx.AsyncClient(transport=)`; used in one event loop."""

    def __init__(self, *, resolver: Resolver = resolve, trusted: frozenset[str] = frozenset()) -> None:
        """Hosts in `trusted` (`127.0.0.1:8000`) are connected to unchecked: what tests need to be served locally."""
        self._resolver = resolver
        self._trusted = trusted
        self._pools: dict[str, httpx.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Sends `request` to an address that was checked.

        Raises:
            AddressRefused: there is none that may be connected to.
            Unreachable: the name is not known.
        """
        if _netloc(request.url) in self._trusted:
            return await self._pool("trusted", None).handle_async_request(request)
        host, port = check_url(str(request.url))
        proxy = proxy_for(str(request.url))
        if proxy is not None:
            # The proxy looks names up; only an address written out can be checked from here.
            return await self._pool(proxy, proxy).handle_async_request(request)
        addresses = await public_addresses(host, port, self._resolver)
        return await self._send_to_first_reachable(addresses, host, request)

    async def _send_to_first_reachable(
        self, addresses: tuple[str, ...], host: str, request: httpx.Request
    ) -> httpx.Response:
        url = request.url
        # The certificate is checked against the name, though the connection goes to an address.
        request.extensions = {**request.extensions, "sni_hostname": host}
        pool = self._pool(f"{url.scheme}://{host}:{url.port}", None)
        # The error of the last address is reported: the others only led to it.
        for address in addresses[:-1]:
            try:
                request.url = url.copy_with(host=address)
                return await pool.handle_async_request(request)
            # Nothing was sent yet, so that trying the next address repeats no request.
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
        request.url = url.copy_with(host=addresses[-1])
        return await pool.handle_async_request(request)

    def _pool(self, name: str, proxy: str | None) -> httpx.AsyncHTTPTransport:
        if name not in self._pools:
            self._pools[name] = httpx.AsyncHTTPTransport(limits=_POOL_LIMITS, proxy=proxy)
        return self._pools[name]

    async def aclose(self) -> None:
        """Closes every connection."""
        for pool in self._pools.values():
            await pool.aclose()
        self._pools.clear()


def proxy_for(url: str) -> str | None:
    """The proxy the environment names for `url`; `None` where there is none, or the host is excepted."""
    parts = httpx.URL(url)
    if urllib.request.proxy_bypass(parts.host):
        return None
    proxies = urllib.request.getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


def _netloc(url: httpx.URL) -> str:
    return url.netloc.decode("ascii")
