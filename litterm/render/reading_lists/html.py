"""A reading list as one HTML file that needs nothing else: no script, no font, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from litterm.render.html_page import escape_line, landing_page, page_head
from litterm.render.names import short_authors, venue_and_year
from litterm.render.reading_lists.reading_list import entry_reasons

if TYPE_CHECKING:
    from litterm.model.annotations import ReadStatus
    from litterm.model.paper import PaperId
    from litterm.model.reading_list import ListEntry, ReadingList

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#222;"
    "background:#fff}h2{margin:1.6rem 0 .3rem}ol{padding-left:2rem}li{margin:.6rem 0}.by,.why{color:#555}"
    ".read{opacity:.6}svg{width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:currentColor}"
    "svg path{fill:none;stroke:#888}svg circle{fill:#2a6fb0}"
    "@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}.by,.why{color:#aaa}}"
)
_WIDTH, _MARGIN, _ROW = 800, 50, 22


def dumps(reading_list: ReadingList, statuses: Mapping[PaperId, ReadStatus]) -> str:
    """The page: the list below its headings, then the time line."""
    parts = [
        *page_head("Reading list", reading_list.topic, _STYLE),
        f"<h1>{escape_line(reading_list.topic)}</h1>",
        *_sections(reading_list, statuses),
        *_timeline(reading_list),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _sections(reading_list: ReadingList, statuses: Mapping[PaperId, ReadStatus]) -> Iterator[str]:
    start, before = 1, ""
    for section in reading_list.sections:
        if section.name and section.name != before:
            yield f"<h2>{escape_line(section.name)}</h2>"
        if section.subsection:
            yield f"<h3>{escape_line(section.subsection)}</h3>"
        before = section.name
        yield f'<ol start="{start}">'
        yield from (_entry(entry, section.name, statuses.get(entry.paper.id, "")) for entry in section.entries)
        yield "</ol>"
        start += len(section.entries)


def _entry(entry: ListEntry, heading: str, status: ReadStatus) -> str:
    paper = entry.paper
    address = landing_page(paper.id)
    title = f'<a href="{escape_line(address)}">{escape_line(paper.title)}</a>' if address else escape_line(paper.title)
    byline = escape_line(f"{short_authors(paper)}, {venue_and_year(paper)}")
    reasons = escape_line("; ".join(entry_reasons(entry, heading)))
    note = f"<br>{escape_line(entry.note)}" if entry.note else ""
    mark = ' class="read"' if status == "read" else ""
    return (
        f'<li{mark}><b>{title}</b><br><span class="by">{byline}</span><br><span class="why">{reasons}</span>{note}</li>'
    )


def _timeline(reading_list: ReadingList) -> Iterator[str]:
    """Papers as dots by year, with a curve from each to those of the list that it cites."""
    dated = [(number, entry.paper) for number, entry in enumerate(reading_list.entries, 1) if entry.paper.year]
    if len(dated) < 2:
        return
    years = [paper.year or 0 for _, paper in dated]
    first_year, last_year = min(years), max(years)
    stacked: dict[int, int] = {}
    positions: dict[PaperId, tuple[float, float]] = {}
    labels: list[str] = []
    for number, paper in dated:
        year = paper.year or 0
        stacked[year] = stacked.get(year, 0) + 1
        x = _MARGIN + (_WIDTH - 2 * _MARGIN) * (year - first_year) / max(last_year - first_year, 1)
        y = 20.0 + _ROW * stacked[year]
        positions[paper.id] = (x, y)
        labels.append(
            f'<circle cx="{x:.0f}" cy="{y:.0f}" r="5"><title>{escape_line(paper.title)}</title></circle>'
            f'<text x="{x + 8:.0f}" y="{y + 4:.0f}">{number}</text>'
        )
    height = 50 + _ROW * max(stacked.values())
    yield f'<h2>Timeline</h2><svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="who cites whom, by year">'
    for citing, cited in reading_list.links:
        if citing in positions and cited in positions:
            (x1, y1), (x2, y2) = positions[citing], positions[cited]
            yield f'<path d="M{x1:.0f} {y1:.0f}Q{(x1 + x2) / 2:.0f} {min(y1, y2) - 18:.0f} {x2:.0f} {y2:.0f}"/>'
    # After the curves and so above them: no curve crosses out a number.
    yield from labels
    for year in sorted(stacked):
        x = _MARGIN + (_WIDTH - 2 * _MARGIN) * (year - first_year) / max(last_year - first_year, 1)
        yield f'<text x="{x - 14:.0f}" y="{height - 8}">{year}</text>'
    yield "</svg>"
