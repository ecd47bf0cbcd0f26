"""Users of the server: a name, a role and the hash of a token that was shown once."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Literal, get_args

from litterm.core.durable_files import replace_file, utc_now
from litterm.core.errors import SettingsError, UsageError
from litterm.core.json_fields import items, mapping, text

Role = Literal["read", "import", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
"""The roles, each of which may do more than the one before."""
_TOKEN_BYTES = 32
_USER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_USERS_FILE = "server-users.json"


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
    """The users of one server, in a file in the settings folder; read again whenever it has changed."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / _USERS_FILE
        self._read: tuple[object, dict[str, User]] = (None, {})

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
            LibraryError: it cannot be written.
        """
        if not _USER_NAME.fullmatch(name):
            raise UsageError(f"“{name}” is not a valid user name: use letters, digits, and . _ @ - between them.")
        token = f"litterm-{secrets.token_urlsafe(_TOKEN_BYTES)}"
        other_users = [user for user in self.all() if user.name != name]
        self._write([*other_users, User(name, role, _hash_token(token), utc_now())])
        return token

    def remove(self, name: str) -> None:
        """Removes a user; their next request is refused.

        Raises:
            UsageError: there is no such user.
        """
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

    def _users(self) -> dict[str, User]:
        try:
            stat = self.path.stat()
        except OSError:
            return {}
        # With the inode: of two writes within one tick of the clock the second makes another file.
        version = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
        if self._read[0] != version:
            self._read = (version, {user.name: user for user in self._load()})
        return self._read[1]

    def _load(self) -> list[User]:
        try:
            body = mapping(json.loads(self.path.read_bytes()))
            return [_read_user(entry) for entry in items(body["users"])]
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise SettingsError(f"{self.path}: holds no users ({error}); move it away and add them again.") from error

    def _write(self, users: Sequence[User]) -> None:
        entries = [
            {"name": user.name, "role": user.role, "sha256": user.token_hash, "since": user.since} for user in users
        ]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # Whole or not at all: half a list would shut everybody out.
        replace_file(self.path, (json.dumps({"users": entries}, indent=2) + "\n").encode())
        self.path.chmod(0o600)


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
