"""The API key of a model server: where it is looked for, and how it is stored.

A key is looked for in the variable named in the settings, else in `LITTERM_API_KEY`, then in the file kept for the
host, then in the keyring, and for OpenAI itself in `OPENAI_API_KEY`. One kept for a host is never sent to another.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from litterm.core.errors import SettingsError
from litterm.core.filesystem import replace_text

KEY_VARIABLE = "LITTERM_API_KEY"
TOKEN_VARIABLE = "LITTERM_SERVER_TOKEN"
"""The token of this user on the server of a group's library."""
OPENAI_KEY_VARIABLE, OPENAI_HOST = "OPENAI_API_KEY", "api.openai.com"
"""A variable that other programs set for one host; it is for no other, whatever speaks the same protocol."""
_PORTS = {"http": 80, "https": 443}
_KEYRING_SERVICE = "litterm"
_MAX_KEY_FILE_CHARACTERS = 10_000
"""No key is as long, and a wrong path may lead to a file of any size."""
_NOT_IN_FILE_NAMES = re.compile(r"[^a-z0-9.-]+")
_NO_KEY = "none"
"""Sent where there is no key: clients insist on one, and local servers ignore it."""


@dataclass(frozen=True, slots=True, repr=False)
class ApiKey:
    """A key whose text appears in no `repr`, log or traceback; `reveal` gives it."""

    _text: str
    where: str
    """`LITTERM_API_KEY`, a path, `keyring`, or `none`."""

    def reveal(self) -> str:
        """The key; only for the header of a request, and for taking it out of what a server says."""
        return self._text

    @property
    def is_there(self) -> bool:
        """Whether there is a key at all."""
        return self.where != _NO_KEY

    def __repr__(self) -> str:
        return f"Key(from {self.where})"


def find_key(folder: Path, host: str, key_env: str, environ: Mapping[str, str]) -> ApiKey:
    """The key for `host`; `ApiKey.is_there` is false if there is none. `folder` is that of the settings.

    Raises:
        SettingsError: others may read the file; it, or a variable, holds no key.
    """
    variables = [key_env] if key_env else [KEY_VARIABLE]
    key = _from_variable(variables, environ) or _from_file(key_file(folder, host)) or _from_keyring(host)
    # Not where the user named a variable: what is asked for by name is not replaced by something else.
    if key is None and not key_env and host == OPENAI_HOST:
        key = _from_variable([OPENAI_KEY_VARIABLE], environ)
    return key or ApiKey(_NO_KEY, _NO_KEY)


def find_token(folder: Path, server: str, environ: Mapping[str, str], own_server: str) -> str:
    """The token for the library server at the address `server`: of the variable, else of a file; empty if none.

    The variable is for `own_server` alone, the one that variables or settings name: a server that is named on a command
    line must not be given what was set for another.

    Raises:
        SettingsError: as `find_key`.
    """
    token = _from_variable([TOKEN_VARIABLE], environ) if _is_same_server(server, own_server) else None
    token = token or _from_file(token_file(folder, urlsplit(server).netloc))
    return token.reveal() if token else ""


def unsent_token_hint(folder: Path, server: str, environ: Mapping[str, str], own_server: str) -> str:
    """What to do where the token of the variable was not sent to `server`; empty where there is none, or it was."""
    if not environ.get(TOKEN_VARIABLE, "").strip() or _is_same_server(server, own_server):
        return ""
    owner = f"it belongs to {own_server}" if own_server else "no server is named beside it"
    file = token_file(folder, urlsplit(server).netloc)
    return (
        f"{TOKEN_VARIABLE} was not sent, as {owner}: set LITTERM_SERVER or the setting `server` to {server}, "
        f"or put its token into {file}."
    )


def _is_same_server(one: str, other: str) -> bool:
    parts = [urlsplit(address) for address in (one, other)]
    first, second = ((part.scheme, part.hostname, part.port or _PORTS.get(part.scheme)) for part in parts)
    return first == second


def token_file(folder: Path, host: str) -> Path:
    """Where the token for a library server may be kept, readable by its owner only."""
    return folder / "keys" / f"{_NOT_IN_FILE_NAMES.sub('_', host.lower())}.token"


def describe_key(key: ApiKey, host: str) -> str:
    """One sentence on which key is sent to which host."""
    return f"the key in {key.where} goes to {host}" if key.is_there else f"no key goes to {host}"


def key_file(folder: Path, host: str) -> Path:
    """Where the key for `host` is kept."""
    return folder / "keys" / f"{_NOT_IN_FILE_NAMES.sub('_', host.lower())}.key"


def store_key(folder: Path, host: str, text: str) -> Path:
    """Keeps a key in a file that only the user can read; an older one is replaced.

    Raises:
        SettingsError: it is no key, or cannot be written.
    """
    path = key_file(folder, host)
    key = _require_key(text, "what was given")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_text(path, f"{key}\n", mode=0o600)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be written ({error.strerror}).") from error
    return path


def _from_variable(names: list[str], environ: Mapping[str, str]) -> ApiKey | None:
    for name in names:
        if environ.get(name, "").strip():
            return ApiKey(_require_key(environ[name], name), name)
    return None


def _from_file(path: Path) -> ApiKey | None:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            # Of the open file, so that no other can be put in its place in between.
            shared = stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077
            # Not all of it: the path may lead to a file of any length, or to one without an end.
            text = file.read(_MAX_KEY_FILE_CHARACTERS)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror}).") from error
    if shared:
        raise SettingsError(f"{path}: others can read this key; run `chmod 600 {path}`, or make a new key.")
    return ApiKey(_require_key(text, str(path)), str(path))


def _from_keyring(host: str) -> ApiKey | None:
    # An optional package that takes a quarter of a second to import: looked for first, imported only where it is
    # installed.
    from importlib.util import find_spec

    if find_spec("keyring") is None:
        return None
    import keyring
    from keyring.errors import KeyringError

    try:
        text = keyring.get_password(_KEYRING_SERVICE, host)
    except KeyringError:
        # A locked or missing keyring is the rule on a server; the other places still count.
        return None
    return ApiKey(_require_key(text, "keyring"), "keyring") if text else None


def _require_key(text: str, source: str) -> str:
    """The bare key: an HTTP header takes only visible ASCII, and the error of one that does not fit would show it."""
    key = text.strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise SettingsError(f"{source}: is not a key: it must be one word of ASCII characters.")
    return key
