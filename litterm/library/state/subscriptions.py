"""Subscriptions: the synchronised collections and the progress of each."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from litterm.core.durable_files import remove_tree, translate_write_errors
from litterm.core.errors import LibraryError
from litterm.library.lock import WriteLock
from litterm.library.state.connection import KEY_WAIT_S, StateDatabase
from litterm.library.state.row_codec import decode_subscription, encode_json, encode_scope, encode_subscription
from litterm.model.services import Scope, Subscription

_log = logging.getLogger(__name__)


class Subscriptions:
    """What is synchronised and how far each has come; processes at different subscriptions do not meet."""

    def __init__(self, state: StateDatabase) -> None:
        self._state = state
        self._folder = state.root / "subscriptions"
        """Of what is on its way, and of the locks."""

    def all(self) -> tuple[Subscription, ...]:
        """Every subscription, by source and query; one that cannot be read is left out and logged."""
        with self._state.read() as connection:
            rows = connection.execute("SELECT body FROM subscription ORDER BY key").fetchall()
        readable = (subscription for (body,) in rows if (subscription := decode_subscription(body)) is not None)
        return tuple(sorted(readable, key=lambda subscription: (subscription.source, subscription.scope.query)))

    def get(self, source: str, scope: Scope) -> Subscription:
        """The subscription as last saved, or a new one."""
        with self._state.read() as connection:
            key = (_key(source, scope),)
            row = connection.execute("SELECT body FROM subscription WHERE key = ?", key).fetchone()
        return (row and decode_subscription(row[0])) or Subscription(source, scope)

    def save(self, subscription: Subscription) -> None:
        """Durable when this returns.

        Raises:
            DiskFull: there is no room.
        """
        row = (_key(subscription.source, subscription.scope), encode_json(encode_subscription(subscription)))
        with self._state.write() as connection:
            connection.execute("INSERT OR REPLACE INTO subscription (key, body) VALUES (?, ?)", row)

    def forget(self, source: str, scope: Scope) -> bool:
        """Drops a subscription, not its papers; whether there was one.

        Raises:
            LibraryError: another litterm is synchronising it.
        """
        key = (_key(source, scope),)
        with self._state.read() as connection:
            if connection.execute("SELECT 1 FROM subscription WHERE key = ?", key).fetchone() is None:
                return False
        with self._hold(source, scope):
            # A key does this, which must not wait.
            with self._state.write(KEY_WAIT_S) as connection:
                connection.execute("DELETE FROM subscription WHERE key = ?", key)
            remove_tree(self._work_folder(source, scope))
            # The lock stays: without its file two that wait for it would each get one of their own.
        return True

    @contextmanager
    def workspace(self, source: str, scope: Scope) -> Iterator[Path]:
        """A folder of this subscription alone, for what is on its way; what was left in it is still there.

        Raises:
            LibraryError: another litterm is at it.
        """
        folder = self._work_folder(source, scope)
        # One lock a subscription, so that arXiv and PubMed Central can be synchronised at the same time.
        with self._hold(source, scope), translate_write_errors(folder):
            folder.mkdir(exist_ok=True)
            yield folder

    @contextmanager
    def _hold(self, source: str, scope: Scope) -> Iterator[None]:
        """Locks the subscription for this process."""
        lock = WriteLock(self._work_folder(source, scope).with_suffix(".lock"))
        if not lock.try_acquire():
            raise LibraryError(f"Another litterm is synchronising {source}; wait for it, or stop it.")
        try:
            yield
        finally:
            lock.release()

    def _work_folder(self, source: str, scope: Scope) -> Path:
        return self._folder / f"{_key(source, scope)}.work"


def _key(source: str, scope: Scope) -> str:
    name = json.dumps([source, encode_scope(scope)], sort_keys=True)
    return f"{source}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
