"""A reading list as lines, JSON and Markdown, with a timeline of who cites whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypedDict

from litterm.model.reading_list import LINEAR_METHOD
from litterm.render.bibliography import bibtex
from litterm.render.bibliography.keys import CitationKeys, pandoc_citation
from litterm.render.export.markdown import escape_markdown
from litterm.render.lines import LineOptions
from litterm.render.names import full_name, short_authors, venue_and_year
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.model.annotations import ReadStatus
    from litterm.model.paper import PaperId
    from litterm.model.reading_list import ListEntry, ListStage, ReadingList


class ListEntryData(TypedDict):
    """A paper of a reading list."""

    rank: int
    id: str
    title: str
    authors: list[str]
    year: int | None
    venue: str
    stage: str
    why: list[str]
    pinned: bool
    note: str
    status: str


class ListSectionData(TypedDict):
    """A section of a reading list in the form of ACL-rlg."""

    sectionName: str
    subsectionName: str
    referencesIds: list[str]


class ListLinkData(TypedDict):
    """Who of a reading list cites whom."""

    citing: str
    cited: str


class ReadingListData(TypedDict):
    """The answer of `list`."""

    id: str
    topic: str
    count: int
    until: int | None
    by: str
    made: str
    papers: list[ListEntryData]
    readingList: list[ListSectionData]
    links: list[ListLinkData]
    dropped: list[str]
    notices: list[str]


class ListSummaryData(TypedDict):
    """One of the reading lists there are."""

    id: str
    topic: str
    papers: int
    read: int
    made: str


class ListsData(TypedDict):
    """The answer of `list --list`."""

    lists: list[ListSummaryData]


STAGE_WORDS: Mapping[ListStage, str] = {
    "overview": "overview",
    "foundation": "foundation",
    "method": "further work",
    "recent": "recent work",
}
"""What a paper is for, in words for the reader."""
_MAX_YEARS_SHOWN = 40
_KINDS_OF_OVERVIEW = frozenset(("survey", "tutorial"))


def entry_reasons(entry: ListEntry, heading: str = "") -> tuple[str, ...]:
    """What a paper is for and why it is in the list, without what the `heading` above it or a first reason says."""
    reasons = tuple(reason for reason in entry.why if reason.casefold() != f"covers {heading}".casefold())
    if entry.stage == "overview" and reasons and reasons[0] in _KINDS_OF_OVERVIEW:
        return reasons
    return (STAGE_WORDS[entry.stage], *reasons)


def list_lines(reading_list: ReadingList, options: LineOptions, statuses: Mapping[PaperId, ReadStatus]) -> list[str]:
    """Headings; for each paper its title, its byline, and why it is in the list; then the time line."""
    lines: list[str] = []
    number = 0
    for section in reading_list.sections:
        if section.name:
            name = f"{section.name} / {section.subsection}" if section.subsection else section.name
            lines += [*([""] if lines else []), options.paint(name, "strong")]
        for entry in section.entries:
            number += 1
            lines += _entry(number, entry, section.name, options, statuses.get(entry.paper.id, ""))
    if len(reading_list.entries) > 1:
        lines += ["", *timeline(reading_list, options)]
    return lines


def _entry(number: int, entry: ListEntry, heading: str, options: LineOptions, status: ReadStatus) -> list[str]:
    paper = entry.paper
    byline = [
        options.text(short_authors(paper)),
        options.text(venue_and_year(paper)),
        options.paint(paper.id, "dim"),
    ]
    marks = [status, "pinned" if entry.pinned else ""]
    lines = [
        *options.block(paper.title, indent=5, first=f"{number:>3}  ", style="bold"),
        f"     {options.join([*byline, *marks])}",
        *options.block(options.join(entry_reasons(entry, heading)), indent=5),
    ]
    return [*lines, *(options.block(f"note: {entry.note}", indent=5) if entry.note else ())]


def timeline(reading_list: ReadingList, options: LineOptions) -> list[str]:
    """A line for each year: the numbers of its papers and, behind an arrow, those of the list that each cites."""
    # The numbers of the list, not of the line: they are what the reader sees beside each title.
    number_of = {entry.paper.id: number for number, entry in enumerate(reading_list.entries, 1)}
    arrow = "->" if options.ascii else "→"
    by_year: dict[str, list[str]] = {}
    # Papers without a year come last.
    for entry in sorted(reading_list.entries, key=lambda item: (item.paper.year or 9999, number_of[item.paper.id])):
        cited = sorted(
            {
                number_of[cited_id]
                for citing_id, cited_id in reading_list.links
                if citing_id == entry.paper.id and cited_id in number_of
            }
        )
        label = f"[{number_of[entry.paper.id]}]"
        if cited:
            label += f"{arrow}{','.join(map(str, cited))}"
        by_year.setdefault(str(entry.paper.year or "no year"), []).append(label)
    width = max(map(len, by_year), default=0)
    return [options.text(f"{year.rjust(width)}  {'  '.join(labels)}") for year, labels in by_year.items()][
        :_MAX_YEARS_SHOWN
    ]


def list_data(reading_list: ReadingList, statuses: Mapping[PaperId, ReadStatus]) -> ReadingListData:
    """A reading list for JSON; `readingList` has the form of the data set ACL-rlg."""
    return {
        "id": reading_list.id,
        "topic": reading_list.topic,
        "count": len(reading_list.entries),
        "until": reading_list.request.until,
        "by": reading_list.by,
        "made": reading_list.made,
        "papers": [
            _paper(number, entry, statuses.get(entry.paper.id, ""))
            for number, entry in enumerate(reading_list.entries, 1)
        ],
        "readingList": [
            {
                "sectionName": section.name,
                "subsectionName": section.subsection,
                "referencesIds": [entry.paper.id for entry in section.entries],
            }
            for section in reading_list.sections
        ],
        "links": [{"citing": citing, "cited": cited} for citing, cited in reading_list.links],
        "dropped": list(reading_list.dropped),
        "notices": list(reading_list.notices),
    }


def _paper(number: int, entry: ListEntry, status: ReadStatus) -> ListEntryData:
    paper = entry.paper
    return {
        "rank": number,
        "id": paper.id,
        "title": paper.title,
        "authors": [full_name(author) for author in paper.authors],
        "year": paper.year,
        "venue": paper.venue,
        "stage": entry.stage,
        "why": list(entry.why),
        "pinned": entry.pinned,
        "note": entry.note,
        "status": status,
    }


def list_markdown(
    reading_list: ReadingList, statuses: Mapping[PaperId, ReadStatus], citation_keys: CitationKeys
) -> str:
    """One heading per section and one line per paper, with a box to tick and the key it has in the BibTeX export."""
    keys = citation_keys.keys_of([entry.paper for entry in reading_list.entries])
    lines = [f"# {escape_markdown(reading_list.topic)}", "", _summary(reading_list), ""]
    for section in reading_list.sections:
        if section.name:
            lines += [f"## {escape_markdown(section.name)}", ""]
        if section.subsection:
            lines += [f"### {escape_markdown(section.subsection)}", ""]
        for entry in section.entries:
            box = "x" if statuses.get(entry.paper.id) == "read" else " "
            byline = f"{short_authors(entry.paper)}, {venue_and_year(entry.paper)}"
            reasons = "; ".join(entry_reasons(entry, section.name))
            # Two blanks at the end of a line break it in Markdown.
            title, key = escape_markdown(entry.paper.title), keys[entry.paper.id]
            lines.append(f"- [{box}] **{title}** {escape_markdown(byline)} {pandoc_citation(key)}  ")
            lines.append(
                f"  {escape_markdown(reasons)}" + (f"  \n  {escape_markdown(entry.note)}" if entry.note else "")
            )
        lines.append("")
    return "\n".join(lines)


def list_bibtex(reading_list: ReadingList, citation_keys: CitationKeys) -> str:
    """An entry a paper, in order."""
    papers = [entry.paper for entry in reading_list.entries]
    return bibtex.entries(papers, keys=citation_keys.keys_of(papers))


def _summary(reading_list: ReadingList) -> str:
    latest = reading_list.request.until
    until = f", none newer than {latest}" if latest else ""
    count = count_phrase(len(reading_list.entries), "paper")
    by = "litterm offline" if reading_list.by == LINEAR_METHOD else escape_markdown(reading_list.by)
    return f"{count}{until}; chosen by {by}, {reading_list.made[:10]}."
