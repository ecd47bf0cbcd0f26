"""Subscriptions: the synchronised collections and the progress of each, one small file per subscription."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from litterm.core.durable_files import remove_tree, replace_file, translate_write_errors
from litterm.core.errors import LibraryError
from litterm.core.json_fields import integer, integer_or_none, mapping, text, texts
from litterm.library.lock import WriteLock
from litterm.model.search import YearRange
from litterm.model.services import Scope, Subscription

_log = logging.getLogger(__name__)


class FileSubscriptions:
    """What is synchronised and how far each has come, in `folder`; processes at different subscriptions do not meet."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self) -> tuple[Subscription, ...]:
        """Every subscription, by source and query; a damaged file is left out and logged."""
        subscriptions = (_read(path) for path in sorted(self._folder.glob("*.json")))
        readable = (subscription for subscription in subscriptions if subscription is not None)
        return tuple(sorted(readable, key=lambda subscription: (subscription.source, subscription.scope.query)))

    def get(self, source: str, scope: Scope) -> Subscription:
        """The subscription as last saved, or a new one."""
        return _read(self._path(source, scope)) or Subscription(source, scope)

    def save(self, subscription: Subscription) -> None:
        """Durable when this returns.

        Raises:
            DiskFull: there is no room.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        content = json.dumps(_as_json(subscription), ensure_ascii=False).encode("utf-8", "backslashreplace")
        replace_file(self._path(subscription.source, subscription.scope), content)

    def forget(self, source: str, scope: Scope) -> bool:
        """Drops a subscription, not its papers; whether there was one.

        Raises:
            LibraryError: another litterm is synchronising it.
        """
        path = self._path(source, scope)
        if not path.exists():
            return False
        with self._hold(source, scope):
            path.unlink(missing_ok=True)
            remove_tree(path.with_suffix(".work"))
            # The lock stays: without its file two that wait for it would each get one of their own.
        return True

    @contextmanager
    def workspace(self, source: str, scope: Scope) -> Iterator[Path]:
        """A folder of this subscription alone, for what is on its way; what was left in it is still there.

        Raises:
            LibraryError: another litterm is at it.
        """
        folder = self._path(source, scope).with_suffix(".work")
        # One lock a subscription, so that arXiv and PubMed Central can be synchronised at the same time.
        with self._hold(source, scope), translate_write_errors(folder):
            folder.mkdir(exist_ok=True)
            yield folder

    @contextmanager
    def _hold(self, source: str, scope: Scope) -> Iterator[None]:
        """Locks the subscription for this process."""
        lock = WriteLock(self._path(source, scope).with_suffix(".lock"))
        if not lock.try_acquire():
            raise LibraryError(f"Another litterm is synchronising {source}; wait for it, or stop it.")
        try:
            yield
        finally:
            lock.release()

    def _path(self, source: str, scope: Scope) -> Path:
        name = json.dumps([source, _scope(scope)], sort_keys=True)
        return self._folder / f"{source}-{hashlib.sha256(name.encode()).hexdigest()[:12]}.json"


def _scope(scope: Scope) -> dict[str, object]:
    years = scope.years
    fields: dict[str, object] = {"query": scope.query, "years": [years.first, years.last]}
    return fields | {"venues": list(scope.venues), "limit": scope.limit}


def _as_json(subscription: Subscription) -> dict[str, object]:
    return {
        "source": subscription.source,
        "scope": _scope(subscription.scope),
        "cursor": subscription.cursor,
        "complete": subscription.complete,
        "synced_at": subscription.synced_at,
        "papers": subscription.papers,
        "trouble": subscription.trouble,
    }


def _read(path: Path) -> Subscription | None:
    try:
        fields = mapping(json.loads(path.read_bytes()))
        scope = mapping(fields["scope"])
        first, last = map(integer_or_none, _two(scope["years"]))
        return Subscription(
            text(fields["source"]),
            Scope(text(scope["query"]), YearRange(first, last), texts(scope["venues"]), integer(scope["limit"])),
            cursor=text(fields["cursor"]),
            complete=fields["complete"] is True,
            synced_at=text(fields["synced_at"]),
            papers=integer(fields["papers"]),
            # Subscriptions of earlier versions say nothing of it.
            trouble=text(fields.get("trouble", "")),
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        _log.warning("%s cannot be read and is passed over: %s", path, error)
        return None


def _two(value: object) -> tuple[object, object]:
    if not isinstance(value, list) or len(value) != 2:
        raise TypeError("not two years")
    return value[0], value[1]
