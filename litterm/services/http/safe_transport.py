"""Connections to checked addresses only: the name is looked up here, every address checked, and one of them used.

Looking up a name, checking it and letting the client look it up again would leave a gap in which the answer can
change. Each host has a pool of its own, because the pool would else share connections by address.
"""

from __future__ import annotations

import urllib.request

import httpx

from litterm.services.http.public_address import Resolver, checked_url, public_addresses, resolve

_POOL = httpx.Limits(max_connections=4, max_keepalive_connections=2, keepalive_expiry=30.0)


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
        host, port = checked_url(str(request.url))
        proxy = proxy_for(str(request.url))
        if proxy is not None:
            # The proxy looks names up; only an address written out can be checked from here.
            return await self._pool(proxy, proxy).handle_async_request(request)
        addresses = await public_addresses(host, port, self._resolver)
        return await self._to_one_of(addresses, host, request)

    async def _to_one_of(self, addresses: tuple[str, ...], host: str, request: httpx.Request) -> httpx.Response:
        url = request.url
        # The certificate is checked against the name, though the connection goes to an address.
        request.extensions = {**request.extensions, "sni_hostname": host}
        pool = self._pool(f"{url.scheme}://{host}:{url.port}", None)
        # The error of the last one is told: the others only lead on.
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
            self._pools[name] = httpx.AsyncHTTPTransport(limits=_POOL, proxy=proxy)
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
