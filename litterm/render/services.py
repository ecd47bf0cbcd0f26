"""Words for services: the outcome of fetching a paper by its id, and subscriptions."""

from __future__ import annotations

from litterm.model.services import FetchResult, Subscription, service_name
from litterm.text.plural import count_phrase

_OUTCOME_WORDS = {
    "full text": "The full text is here",
    "abstract only": "Abstract only",
    "not open": "Not open",
    "not found": "Not found",
    "failed": "Failed",
}


def source_name(obtained: FetchResult) -> str:
    """The display name of the service that supplied a paper; empty if the library had it or no service did."""
    return "" if obtained.via in ("", "library") else service_name(obtained.via)


def version_words(obtained: FetchResult) -> str:
    """Which version a text is, where it is not what was published: quotes from it may read otherwise there."""
    return "" if obtained.version in ("", "published") else obtained.version


def outcome_details(obtained: FetchResult) -> tuple[str, ...]:
    """The licence of what was fetched, and why it is not the full text; nothing where neither is known."""
    parts = (f"Licence: {obtained.licence}." if obtained.licence else "", obtained.why)
    return tuple(part for part in parts if part)


def outcome_sentence(obtained: FetchResult) -> str:
    """One or two sentences on the outcome: the service and licence of the text, or why there is none."""
    via = f" by {source_name(obtained)}" if source_name(obtained) else ""
    details = "".join(f", {part}" for part in (version_words(obtained), obtained.licence) if part)
    outcome = f"{_OUTCOME_WORDS[obtained.outcome]}{via}{details}."
    retry_hint = " `.` tries again." if obtained.transient else ""
    return f"{outcome} {obtained.why}".rstrip() + retry_hint


def subscription_title(subscription: Subscription) -> str:
    """`arxiv cat:cs.CL 2020..`."""
    scope = subscription.scope
    years = (f"{scope.years.first or ''}..{scope.years.last or ''}",) if scope.years.first or scope.years.last else ()
    return " ".join((subscription.source, *((scope.query,) if scope.query else ()), *years, *scope.venues))


def subscription_state(subscription: Subscription) -> str:
    """`7 papers, complete, 2026-11-22T01:10:00Z`, or how far it has come."""
    synced = subscription.synced_at or "nothing stored yet"
    progress = "complete" if subscription.complete else "under way"
    return f"{count_phrase(subscription.papers, 'paper')}, {progress}, {synced}"
