"""Citation counts in words and as data; counts of different counters are shown side by side and never added up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litterm.model.citation_counts import COUNTER_NAMES
from litterm.text.plural import counted

if TYPE_CHECKING:
    from litterm.model.citation_counts import CountSource, CountsReport, PaperCounts

_SHORT: dict[CountSource, str] = {"s2": "S2", "openalex": "OpenAlex", "europepmc": "EPMC", "crossref": "Crossref"}
_YEARS_SHOWN = 8


def count_words(counts: PaperCounts | None) -> str:
    """`cited 340 (S2)`, by the first service that counts it, else `cited 12 here`; empty where nobody cites it."""
    if counts is None:
        return ""
    if counts.services:
        first = counts.services[0]
        return f"cited {first.count:,} ({_SHORT[first.source]})"
    return f"cited {counts.library:,} here" if counts.library else ""


def count_sentences(counts: PaperCounts | None) -> tuple[str, ...]:
    """Every count with its date and counter, a sentence each; none where nothing is known."""
    if counts is None or not (counts.library or counts.services):
        return ()
    told = [f"Cited by {counted(counts.library, 'paper')} of the library."]
    for each in counts.services:
        years = [f"{year}: {count:,}" for year, count in each.by_year if count][-_YEARS_SHOWN:]
        by_year = f"; {', '.join(years)}" if years else ""
        told.append(f"{COUNTER_NAMES[each.source]}: {counted(each.count, 'citation')} ({each.date}){by_year}.")
    return tuple(told)


def counts_data(counts: PaperCounts) -> dict[str, object]:
    """For JSON."""
    services = [
        {
            "source": each.source,
            "count": each.count,
            "date": each.date,
            "by_year": {str(year): count for year, count in each.by_year},
        }
        for each in counts.services
    ]
    return {"library": counts.library, "services": services}


def report_sentence(report: CountsReport) -> str:
    """What came of asking, in one sentence for each service."""
    if not report.papers:
        return "No papers to count citations of."
    told = [
        f"{COUNTER_NAMES[each.source]} counts {each.known:,} of {counted(each.asked, 'paper')}"
        for each in report.services
    ]
    if report.fresh:
        told.append(f"{counted(report.fresh, 'paper')} asked about lately, or without an id that a service knows")
    return f"Citation counts: {'; '.join(told)}."


def report_data(report: CountsReport) -> dict[str, object]:
    """For JSON."""
    services = [
        {
            "source": each.source,
            "asked": each.asked,
            "known": each.known,
            "trouble": each.trouble,
            "transient": each.transient,
        }
        for each in report.services
    ]
    return {"papers": report.papers, "fresh": report.fresh, "services": services}
