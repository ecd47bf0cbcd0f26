"""Users of the server: a name, a role and the hash of a token that was shown once."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import get_args

from litterm.core.durable_files import replace_file, utc_now
from litterm.core.errors import LibraryError, SettingsError, UsageError
from litterm.core.json_fields import items, mapping, text
from litterm.library.lock import WriteLock, read_holder
from litterm.server.operations.operation import Role

ROLES: tuple[Role, ...] = get_args(Role)
"""The roles, each of which may do more than the one before."""
_TOKEN_BYTES = 32
_USER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_USERS_FILE = "server-users.json"
_MAX_WAIT_S = 20.0
"""For another process that changes the users, which takes as long as the disk needs for a small file."""
_POLL_S = 0.002


@dataclass(frozen=True, slots=True)
class User:
    """A person who may use the server."""

    name: str
    role: Role
    token_hash: str = ""
    since: str = ""
    """UTC, ISO 8601."""


@dataclass(frozen=True, slots=True)
class UserRequest:
    """A user to be added, or to be given another token."""

    name: str
    """Letters, digits, and `.` `_` `@` `-` between them."""
    role: Role = "read"
    """What the user may do, each more than the one before."""


ANONYMOUS = User("anonymous", "read")
"""The user of a server that has no users, which answers only its own machine."""


class UserFile:
    """The users of one server, in a file in the settings folder; what the file holds at this moment is what counts.

    Servers and commands that change it wait for each other: the lock beside it is released by the system when its
    holder dies.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / _USERS_FILE
        self._read: tuple[bytes, dict[str, User]] = (b"", {})

    def all(self) -> tuple[User, ...]:
        """Every user, by name.

        Raises:
            SettingsError: the file holds no users.
        """
        return tuple(sorted(self._users().values(), key=lambda user: user.name))

    def add(self, name: str, role: Role) -> str:
        """Adds a user and returns the token; an existing user gets another token and this role.

        Raises:
            UsageError: the name does not fit.
            SettingsError: the file cannot be read.
            LibraryError: it cannot be written, or another process does not let go of it.
        """
        if not _USER_NAME.fullmatch(name):
            raise UsageError(f"“{name}” is not a valid user name: use letters, digits, and . _ @ - between them.")
        token = f"litterm-{secrets.token_urlsafe(_TOKEN_BYTES)}"
        with self._locked():
            other_users = [user for user in self.all() if user.name != name]
            self._write([*other_users, User(name, role, _hash_token(token), utc_now())])
        return token

    def remove(self, name: str) -> None:
        """Removes a user; from now on every request with their token is refused.

        Raises:
            UsageError: there is no such user.
            SettingsError: the file cannot be read.
            LibraryError: it cannot be written, or another process does not let go of it.
        """
        with self._locked():
            users = self.all()
            if name not in {user.name for user in users}:
                raise UsageError(f"There is no user {name}; `litterm serve --list-users` lists them.")
            self._write([user for user in users if user.name != name])

    def find_by_token(self, token: str) -> User | None:
        """The user with this token; compares it with every user, so that timing reveals nothing."""
        hashed, owner = _hash_token(token), None
        for user in self._users().values():
            if compare_digest(user.token_hash, hashed):
                owner = user
        return owner

    def has(self, user: User) -> bool:
        """Whether the file still holds this user, with the same token and role."""
        return self._users().get(user.name) == user

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Alone with the file: what another process or thread changes between reading and writing would be lost."""
        lock = WriteLock(self.path.with_name(f"{self.path.name}.lock"))
        until = time.monotonic() + _MAX_WAIT_S
        while not lock.try_acquire():
            if time.monotonic() > until:
                holder = read_holder(self.path.with_name(f"{self.path.name}.lock"))
                raise LibraryError(f"{self.path} is held by {holder or 'another process'}; end it and try again.")
            time.sleep(_POLL_S)
        try:
            yield
        finally:
            lock.release()

    def _users(self) -> dict[str, User]:
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            # Not the same as no users, which would open the server to its whole machine.
            raise SettingsError(f"{self.path}: cannot be read ({error.strerror}).") from error
        # By content: of several writes within one tick of the clock, one may get the inode, time and size of another.
        known_content, users = self._read
        if content != known_content:
            users = {user.name: user for user in self._parse(content)}
            self._read = (content, users)
        return users

    def _parse(self, content: bytes) -> list[User]:
        try:
            return [_read_user(entry) for entry in items(mapping(json.loads(content))["users"])]
        except (ValueError, TypeError, KeyError) as error:
            raise SettingsError(f"{self.path}: holds no users ({error}); move it away and add them again.") from error

    def _write(self, users: Sequence[User]) -> None:
        entries = [
            {"name": user.name, "role": user.role, "sha256": user.token_hash, "since": user.since} for user in users
        ]
        replace_file(self.path, (json.dumps({"users": entries}, indent=2) + "\n").encode(), private=True)


def _read_user(entry: object) -> User:
    fields = mapping(entry)
    role = next((known_role for known_role in ROLES if known_role == fields["role"]), None)
    if role is None:
        raise ValueError(f"{fields['role']!r} is not a role")
    return replace(
        User(text(fields["name"]), role), token_hash=text(fields["sha256"]), since=text(fields.get("since", ""))
    )


def _hash_token(token: str) -> str:
    # 256 random bits cannot be guessed: a slow hash, which passwords need, would only slow every request.
    return sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
