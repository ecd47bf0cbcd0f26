"""Access control: tokens, roles, rates, and the refusal of requests from web pages."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from litterm.server.operations.operation import Role
from litterm.server.protocol.error_mapping import FORBIDDEN, TOO_MANY, UNAUTHORIZED, Refused
from litterm.server.users.limits import RequestRate, ServerLimits
from litterm.server.users.user_file import ANONYMOUS, ROLES, User, UserFile

_AUTH_SCHEME = "bearer"
_LOOPBACK_HOSTS = frozenset(("localhost", "127.0.0.1", "::1"))
_NO_TOKEN = (
    "A token is needed: `litterm serve --add-user NAME` on the server makes one; put it into LITTERM_SERVER_TOKEN."
)
_REVOKED = "The token of {} was changed or removed while this request was under way; ask whoever runs the server."
_WRONG_TOKEN = "The server does not know this token; ask whoever runs it for another one."
_LOOPBACK_ONLY = "A server without users answers to its own machine only; `litterm serve --add-user NAME` adds one."
_NO_USERS = "The server has no users any more; `litterm serve --add-user NAME` on the server adds one."
_FOREIGN_PAGE = "A web page from another address may not use this server."
_RATE_EXCEEDED = "Too many requests; the server takes {:,} a minute of one user. Try again in {:,} s."
_TOO_MANY_WRONG_TOKENS = "Too many wrong tokens from this address; try again in a minute."


class AccessControl:
    """Checks every request before it is answered; for use in one thread."""

    def __init__(self, users: UserFile, limits: ServerLimits) -> None:
        self._users = users
        self._limits = limits
        self._rate = RequestRate(limits.per_minute, limits.burst)
        self._wrong = RequestRate(limits.refused_per_minute, limits.refused_per_minute)
        self._had_users = bool(users.all())

    def authorize(self, headers: Mapping[str, str], address: str, role: Role) -> User:
        """The user who sent the request, if they may make it.

        Raises:
            Refused: they may not, or not now.
        """
        _refuse_foreign_page(headers)
        user = self._authenticate(headers, address)
        # By name and not by address: a group may share one address.
        wait_s = self._rate.wait_s(user.name)
        if wait_s > 0:
            seconds = int(wait_s) + 1
            message = _RATE_EXCEEDED.format(self._limits.per_minute, seconds)
            raise Refused(TOO_MANY, "LibraryServerBusy", message, retry_after_s=seconds)
        if ROLES.index(user.role) < ROLES.index(role):
            raise Refused(FORBIDDEN, "TokenRefused", f"{user.name} may only {user.role}; this needs the role `{role}`.")
        return user

    def confirm(self, user: User) -> None:
        """Checks once more that a user whom `authorize` has let in may still be answered.

        Raises:
            Refused: their token or role was taken from them since.
        """
        if user is not ANONYMOUS and not self._users.has(user):
            raise Refused(UNAUTHORIZED, "TokenRefused", _REVOKED.format(user.name))

    def _authenticate(self, headers: Mapping[str, str], address: str) -> User:
        if not self._users.all():
            return self._authenticate_anonymous(headers, address)
        self._had_users = True
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != _AUTH_SCHEME or not token.strip():
            raise Refused(UNAUTHORIZED, "TokenRefused", _NO_TOKEN)
        # Checked before the limit on wrong tokens, so that guesses from the same address never block a right token.
        user = self._users.find_by_token(token.strip())
        if user is not None:
            return user
        if self._wrong.wait_s(address) > 0:
            raise Refused(TOO_MANY, "LibraryServerBusy", _TOO_MANY_WRONG_TOKENS, retry_after_s=60)
        raise Refused(UNAUTHORIZED, "TokenRefused", _WRONG_TOKEN)

    def _authenticate_anonymous(self, headers: Mapping[str, str], address: str) -> User:
        # Removing the last user closes the server: it may listen where everybody can reach it.
        if self._had_users:
            raise Refused(UNAUTHORIZED, "TokenRefused", _NO_USERS)
        # Also by the host name in the request, against DNS rebinding: a web page can make its own name resolve to this
        # address, but cannot send another name.
        if not is_loopback(address) or _host_name(headers.get("host", "")) not in _LOOPBACK_HOSTS:
            raise Refused(FORBIDDEN, "TokenRefused", _LOOPBACK_ONLY)
        return ANONYMOUS


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens at `host`, an address or a name."""
    try:
        return ip_address(host).is_loopback
    # A name: `127.example.org` may be any machine.
    except ValueError:
        return host in _LOOPBACK_HOSTS


def _refuse_foreign_page(headers: Mapping[str, str]) -> None:
    origin = headers.get("origin", "")
    # Only browsers send an origin: without this a page could ask a server without users on its reader's machine.
    if origin and urlsplit(origin).netloc != headers.get("host", ""):
        raise Refused(FORBIDDEN, "TokenRefused", _FOREIGN_PAGE)


def _host_name(netloc: str) -> str:
    try:
        return urlsplit(f"//{netloc}").hostname or ""
    # Brackets of an IPv6 address that do not close.
    except ValueError:
        return ""
