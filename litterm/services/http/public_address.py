"""Decides which addresses may be connected to: public ones only, whatever name or redirect they hide behind."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from litterm.core.errors import AddressRefused, NoNetwork, Unreachable

Resolver = Callable[[str, int], Awaitable[tuple[str, ...]]]
"""Host and port to every address it has."""
_SCHEMES = ("https", "http")
_IPV4_IN_IPV6 = (ipaddress.ip_network("::ffff:0:0/96"), ipaddress.ip_network("64:ff9b::/96"))
"""Networks whose addresses carry an IPv4 address in their last 32 bits: mapped, and NAT64."""


def checked_url(url: str) -> tuple[str, int]:
    """Host and port of `url`.

    Raises:
        AddressRefused: it is no web address, holds a password, or names an address that is not public.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError as error:
        raise unreadable_address() from error
    if parts.scheme not in _SCHEMES or not parts.hostname:
        raise AddressRefused(f"Only web addresses are opened, not “{parts.scheme or 'nothing'}:”.")
    # `https://arxiv.org@evil.example` reads like another host.
    if parts.username or parts.password:
        raise AddressRefused(f"The address at {parts.hostname} holds a name or password and is not opened.")
    literal = _literal(parts.hostname)
    if literal is not None:
        _refuse_private(parts.hostname, (literal,))
    if parts.hostname == "localhost" or parts.hostname.endswith(".localhost"):
        raise AddressRefused(f"{parts.hostname} is this machine; it is not opened.")
    return parts.hostname, port


def unreadable_address() -> AddressRefused:
    """For what is called an address and is none."""
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
    literal = _literal(host)
    addresses = (str(literal),) if literal is not None else await resolver(host, port)
    if not addresses:
        raise Unreachable(f"{host} has no address.")
    _refuse_private(host, tuple(ipaddress.ip_address(address) for address in addresses))
    return addresses


def _literal(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
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
            raise AddressRefused(f"{host} leads to {address}, which is no public address; it is not opened.")


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
