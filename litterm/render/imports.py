"""The JSON of imports: what came of them, and what could not be imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from litterm.render.fetch import FetchResultData

if TYPE_CHECKING:
    from litterm.model.imports import LibraryImport
    from litterm.model.library import Failure, ImportReport


class MergedRecordData(TypedDict):
    """A record that joined a known paper."""

    title: str
    bibkey: str
    into: str
    into_title: str


class KeptApartData(TypedDict):
    """A new paper that shares an id or a title with another one."""

    id: str
    title: str
    other: str
    other_title: str
    shared_id: str


class FailureData(TypedDict):
    """An input that could not be imported."""

    origin: str
    cause: str
    transient: bool
    at: str


class ImportReportData(TypedDict):
    """The answer of `add` for files."""

    added: int
    merged: int
    unchanged: int
    documents: int
    skipped_files: int
    elapsed_s: float
    first_ids: list[str]
    merges: list[MergedRecordData]
    kept_apart: list[KeptApartData]
    failures: list[FailureData]
    remarks: list[str]


class AddData(ImportReportData):
    """The answer of `add` for files and ids together."""

    papers: list[FetchResultData]


class RetryData(AddData):
    """The answer of `failures --retry`."""

    left: int


class FailuresData(TypedDict):
    """The answer of `failures`."""

    count: int
    failures: list[FailureData]


class DismissedData(TypedDict):
    """The answer of `failures --dismiss`."""

    dismissed: int


class LibraryImportData(TypedDict):
    """What papers came from."""

    name: str
    format: str
    origin: str
    papers: int
    merged: int
    imported_on: str
    mine: bool


class ImportsData(TypedDict):
    """The answer of `imports`."""

    count: int
    imports: list[LibraryImportData]


class TakenBackData(TypedDict):
    """The answer of `imports --remove` and `remove --import`."""

    removed: int
    changed: int


def import_data(one: LibraryImport) -> LibraryImportData:
    """One import of the library."""
    return {
        "name": one.name,
        "format": one.format,
        "origin": one.origin,
        "papers": one.papers,
        "merged": one.merged,
        "imported_on": one.imported_on,
        "mine": one.is_mine,
    }


def import_report_data(report: ImportReport) -> ImportReportData:
    """What an import did; counts are papers."""
    return {
        "added": report.added,
        "merged": report.merged,
        "unchanged": report.unchanged,
        "documents": report.documents,
        "skipped_files": report.skipped_files,
        "elapsed_s": round(report.elapsed_s, 3),
        "first_ids": list(report.first_ids),
        "merges": [
            {"title": merge.title, "bibkey": merge.bibkey, "into": merge.paper_id, "into_title": merge.paper_title}
            for merge in report.merges
        ],
        "kept_apart": [
            {
                "id": pair.paper_id,
                "title": pair.title,
                "other": pair.other_id,
                "other_title": pair.other_title,
                "shared_id": pair.shared_id,
            }
            for pair in report.kept_apart
        ],
        "failures": failures_data(report.failures),
        "remarks": list(report.remarks),
    }


def failures_data(items: Sequence[Failure]) -> list[FailureData]:
    """Inputs that could not be imported."""
    return [{"origin": item.origin, "cause": item.cause, "transient": item.transient, "at": item.at} for item in items]
