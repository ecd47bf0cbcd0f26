"""How failures, sessions, runs and subscriptions are written in the rows of `state.db`."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Literal

from litterm.core.json_fields import integer, integer_or_none, mapping, text, texts
from litterm.model.library import Failure, MissingPart
from litterm.model.search import YearRange
from litterm.model.services import Scope, Subscription

_log = logging.getLogger(__name__)

RunKind = Literal["matrix", "trajectory", "columns"]
ADD_RUN = "INSERT OR IGNORE INTO run (id, kind) VALUES (?, ?)"
ADD_RUN_ENTRY = "INSERT OR IGNORE INTO run_entry (run, number, at, kind, body) VALUES (?, ?, ?, ?, ?)"
PROJECT_PREFIX = "projects/"
"""What the name of a project's session begins with, before the key of the project."""


def encode_json(value: object) -> str:
    """JSON for a column; half a character, which no text in UTF-8 can hold, is written as an escape."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()


def encode_failure(failure: Failure) -> dict[str, object]:
    """What a row holds of a failure besides its origin and time."""
    return {
        "cause": failure.cause,
        "transient": failure.transient,
        "missing": failure.missing,
    }


def decode_failure(origin: str, time: str, body: Mapping[str, object]) -> Failure:
    """The failure of a row."""
    # An older litterm did not say what was missing: until a text is here, it may have been the text.
    stored = body.get("missing")
    missing: MissingPart = "record" if stored == "record" else "fields" if stored == "fields" else "text"
    return Failure(origin, str(body.get("cause", "")), body.get("transient") is True, time, missing)


def decode_session(body: str | bytes) -> Mapping[str, object]:
    """The fields of a session; none of one that cannot be read."""
    try:
        return mapping(json.loads(body))
    except (ValueError, TypeError):
        return {}


def encode_scope(scope: Scope) -> dict[str, object]:
    """What of a service is subscribed to."""
    years = scope.years
    fields: dict[str, object] = {"query": scope.query, "years": [years.first, years.last]}
    return fields | {"venues": list(scope.venues), "limit": scope.limit}


def encode_subscription(subscription: Subscription) -> dict[str, object]:
    """The fields of a subscription."""
    return {
        "source": subscription.source,
        "scope": encode_scope(subscription.scope),
        "cursor": subscription.cursor,
        "complete": subscription.complete,
        "synced_at": subscription.synced_at,
        "papers": subscription.papers,
        "trouble": subscription.trouble,
    }


def decode_subscription(body: str | bytes) -> Subscription | None:
    """The subscription of a row; `None` if it cannot be read, which is logged."""
    try:
        fields = mapping(json.loads(body))
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
    except (ValueError, KeyError, TypeError) as error:
        _log.warning("A subscription cannot be read and is passed over: %s", error)
        return None


def _two(value: object) -> tuple[object, object]:
    if not isinstance(value, list) or len(value) != 2:
        raise TypeError("not two years")
    return value[0], value[1]
