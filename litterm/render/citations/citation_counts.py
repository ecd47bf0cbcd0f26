"""Citation counts in words and as data; counts of different counters are shown side by side and never added up."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from litterm.model.citations.citation_counts import COUNT_SOURCES
from litterm.model.citations.facts import NETWORK_SHORT_NAME
from litterm.model.services import service_name
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.model.citations.citation_counts import CountSource, CountsReport, PaperCounts


class CountOfService(TypedDict):
    """How often one service says that a paper is cited."""

    source: str
    count: int
    date: str
    by_year: dict[str, int]


class CountsData(TypedDict):
    """How often a paper is cited."""

    library: int
    services: list[CountOfService]


class CountedServiceData(TypedDict):
    """How many counts a service gave."""

    source: str
    asked: int
    known: int
    trouble: str
    transient: bool


class CountsReportData(TypedDict):
    """What came of a request for citation counts."""

    papers: int
    fresh: int
    services: list[CountedServiceData]


_SHORT_NAMES: dict[CountSource, str] = {
    "s2": "S2",
    "openalex": "OpenAlex",
    "europepmc": "EPMC",
    "crossref": "Crossref",
    "acl-network": NETWORK_SHORT_NAME,
}
_MAX_YEARS_SHOWN = 8


def count_words(counts: PaperCounts | None) -> str:
    """`cited 340 (S2)`, `cited 729 (to 2012)`: by the first that counts it, else `cited 12 here`; empty without any."""
    if counts is None:
        return ""
    if counts.services:
        # In the order of `COUNT_SOURCES`, then what ships. They count the same citations, and are never added up.
        first = counts.services[0]
        if first.source not in COUNT_SOURCES and counts.library > first.count:
            return f"cited {counts.library:,} here"
        return f"cited {first.count:,} ({_SHORT_NAMES[first.source]})"
    return f"cited {counts.library:,} here" if counts.library else ""


def count_sentences(counts: PaperCounts | None) -> tuple[str, ...]:
    """Every count with its date and counter, a sentence each; none where nothing is known."""
    if counts is None or not (counts.library or counts.services):
        return ()
    sentences = [f"Cited by {count_phrase(counts.library, 'paper')} of the library."]
    for service in counts.services:
        years = [f"{year}: {count:,}" for year, count in service.by_year if count][-_MAX_YEARS_SHOWN:]
        by_year = f"; {', '.join(years)}" if years else ""
        # The name of what ships holds its last year.
        day = f" ({service.date})" if service.source in COUNT_SOURCES else ""
        sentences.append(f"{service_name(service.source)}: {count_phrase(service.count, 'citation')}{day}{by_year}.")
    return tuple(sentences)


def counts_data(counts: PaperCounts) -> CountsData:
    """The counts of one paper for JSON, each with its date, since counts of services age."""
    services: list[CountOfService] = [
        {
            "source": service.source,
            "count": service.count,
            "date": service.date,
            "by_year": {str(year): count for year, count in service.by_year},
        }
        for service in counts.services
    ]
    return {"library": counts.library, "services": services}


def report_sentence(report: CountsReport) -> str:
    """The outcome of a request for counts in one sentence, with a part for each service."""
    if not report.papers:
        return "No papers to count citations of."
    parts = [
        f"{service_name(service.source)} counts {service.known:,} of {count_phrase(service.asked, 'paper')}"
        for service in report.services
    ]
    if report.fresh:
        parts.append(
            f"{count_phrase(report.fresh, 'paper')} asked about recently, or without an id that a service knows"
        )
    return f"Citation counts: {'; '.join(parts)}."


def report_data(report: CountsReport) -> CountsReportData:
    """The outcome of a request for counts as JSON: `asked` and `known` are numbers of papers."""
    services: list[CountedServiceData] = [
        {
            "source": service.source,
            "asked": service.asked,
            "known": service.known,
            "trouble": service.trouble,
            "transient": service.transient,
        }
        for service in report.services
    ]
    return {"papers": report.papers, "fresh": report.fresh, "services": services}
