"""Facts about a paper that the reader shows above its text."""

from __future__ import annotations

from litterm.model.annotations import PaperNotes
from litterm.model.document import Document
from litterm.model.paper import Paper
from litterm.render.names import short_authors, standing, venue_and_year
from litterm.text.escape import plain
from litterm.text.plural import counted
from litterm.tui.widgets.glyphs import Glyphs


def byline(paper: Paper, notes: PaperNotes, glyphs: Glyphs) -> str:
    """Authors, place, id, what one must know, and what the user noted, on one line."""
    facts = (short_authors(paper.authors, most=6), venue_and_year(paper), paper.id, standing(paper))
    own = (*(f"#{tag}" for tag in notes.tags), notes.status, "starred" if notes.starred else "")
    own = (*own, f"note: {' '.join(notes.note.split())}" if notes.note else "")
    return f" {glyphs.dot} ".join(plain(part) for part in (*facts, *own) if part)


def after_text(paper: Paper, document: Document, glyphs: Glyphs) -> tuple[str, ...]:
    """Lines below the text: what is missing and which key helps, and how many references there are."""
    lines: list[str] = []
    if document.origin == "abstract":
        source = "the Anthology" if paper.id.startswith("acl:") else "its source"
        have = "Abstract only" if paper.abstract else f"Title only: no abstract in {source}"
        if paper.abstract_by == "litterm" and paper.abstract:
            have = "A summary by litterm, not the authors' abstract"
        lines.append(f"{have} {glyphs.dot} f full text")
    elif document.licence:
        lines.append(f"Licence of the full text: {plain(document.licence)}")
    if document.references:
        lines.append(f"{counted(len(document.references), 'reference')} {glyphs.dot} r")
    elif document.references_known:
        lines.append("This paper has no references.")
    elif document.origin != "abstract":
        lines.append("References unknown: the source has no list of them.")
    return tuple(lines)
