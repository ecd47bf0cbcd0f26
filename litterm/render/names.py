"""Names of people, decisions, venues, times, paths and methods, the same in every form of output."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.model.paper import CORRECTION

if TYPE_CHECKING:
    from litterm.model.paper import Author, Decision, Paper


_DECISION_WORDS: dict[Decision, str] = {
    "reject": "rejected",
    "withdrawn": "withdrawn",
    "desk-reject": "desk-rejected",
    "workshop": "workshop track",
    "unknown": "decision unknown",
}
_METHOD_NAMES = {"linear": "litterm offline", "h1": "offline, by words", "similarity": "litterm offline"}

_THESIS_NAMES = {
    "phd": "PhD thesis",
    "master": "Master’s thesis",
    "bachelor": "Bachelor’s thesis",
    "habilitation": "Habilitation thesis",
}


def full_name(author: Author) -> str:
    """`Given Family Suffix`; a group or a mononym as it is."""
    return " ".join(part for part in (author.given, author.surname, author.suffix) if part)


def listed_names(paper: Paper) -> list[str]:
    """The full names of a paper's authors, with `et al.` at the end where its source cuts the list."""
    return [*map(full_name, paper.authors), *(["et al."] if paper.has_more_authors and paper.authors else [])]


def short_authors(paper: Paper, *, max_authors: int = 4) -> str:
    """Family names, at most `max_authors` of them; more become `First et al.`; empty without authors."""
    # Mononyms have only one of the two.
    families = [author.surname or author.given for author in paper.authors]
    if len(families) > max_authors:
        return f"{families[0]} et al."
    return ", ".join(families) + (" et al." if families and paper.has_more_authors else "")


def status_warning(paper: Paper) -> str:
    """The warning beside a title: a retraction, and the decision unless accepted; empty if there is none."""
    word = paper.retraction.partition(":")[0].strip()
    # A correction is worth knowing; a retraction must not be overlooked.
    retraction = word if word == "corrected" else word.upper()
    return ", ".join(part for part in (retraction, decision_words(paper)) if part)


def title_warning(paper: Paper) -> str:
    """What to know of a title that was not found in its file; empty for all others."""
    return "" if paper.is_title_certain else "title not found in the file"


def decision_words(paper: Paper) -> str:
    """`rejected`, `withdrawn`, ...; empty if accepted or if no decision is recorded."""
    return _DECISION_WORDS.get(paper.decision, "")


def venue_and_year(paper: Paper) -> str:
    """`ACL 2022`, with what is known."""
    venue = paper.venue or paper.imprint.journal
    return f"{venue} {paper.year or ''}".strip()


def day_and_time(timestamp: str) -> str:
    """`22 Nov 2026, 22:14` for an ISO 8601 time, in its own zone; anything else stays as it is."""
    try:
        moment = datetime.fromisoformat(timestamp)
    # Times come from files that people may have edited.
    except ValueError:
        return timestamp
    return f"{moment.day} {moment:%b %Y, %H:%M}"


def home_relative(path: str) -> str:
    """`path` with `~` for the user's home folder; unchanged if it lies elsewhere."""
    try:
        home = str(Path.home())
    except RuntimeError:
        # No folder belongs to this user.
        return path
    return f"~{path[len(home) :]}" if len(home) > 1 and path.startswith(f"{home}/") else path


def method_words(method: str) -> str:
    """Display name of a method that finds evidence; a language model keeps its own name."""
    return _METHOD_NAMES.get(method, method)


def thesis_name(degree: str) -> str:
    """What a bibliography calls a thesis of `degree`; the source's own word as it is."""
    return _THESIS_NAMES.get(degree, degree)


def names_line(people: Sequence[Author], *, has_more: bool = False) -> str:
    """Names in one line; `et al.` behind them where the source cuts the list."""
    return ", ".join((*map(full_name, people), *(["et al."] if has_more else [])))


def source_name(said: Paper) -> str:
    """Format and file of what a source stated."""
    if said.provenance.format == CORRECTION:
        return "corrected by you"
    return " ".join(filter(None, [said.provenance.format, said.provenance.origin])) or "unknown"


def differing_fields(paper: Paper, said: Paper) -> list[tuple[str, str]]:
    """Names and values of the fields that a source states otherwise than the record shown."""
    pairs = (
        ("title", paper.title, said.title),
        (
            "authors",
            names_line(paper.authors, has_more=paper.has_more_authors),
            names_line(said.authors, has_more=said.has_more_authors),
        ),
        ("year", str(paper.year or ""), str(said.year or "")),
        ("venue", paper.venue, said.venue),
        ("key", paper.imprint.bibkey, said.imprint.bibkey),
        ("volume", paper.imprint.volume, said.imprint.volume),
        ("pages", paper.imprint.pages, said.imprint.pages),
        ("abstract", paper.abstract, said.abstract),
    )
    return [(name, value) for name, shown, value in pairs if value and value != shown]
