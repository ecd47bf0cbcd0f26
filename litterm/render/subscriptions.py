"""The JSON of subscriptions and of what a synchronisation did."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from litterm.render.citations.citation_counts import CountsReportData
from litterm.render.imports import ImportReportData
from litterm.render.watches import NewsData


class SubscriptionData(TypedDict):
    """A collection of a service that is kept up to date."""

    source: str
    query: str
    years: list[int | None]
    venues: list[str]
    limit: int
    papers: int
    complete: bool
    synced_at: str
    trouble: str


class SubscriptionsData(TypedDict):
    """The answer of `sync --list`."""

    subscriptions: list[SubscriptionData]


class SyncedData(SubscriptionData, ImportReportData):
    """What a synchronisation did."""

    transient: bool


class SyncData(TypedDict):
    """The answer of `sync`; `folder` is the watched folder's."""

    synced: list[SyncedData]
    watches: list[NewsData]
    folder: NotRequired[ImportReportData]


class SyncCountsData(TypedDict):
    """The answer of `sync counts`."""

    counts: CountsReportData
