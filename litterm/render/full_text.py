"""A whole paper as lines, in reading order: what the reader pane shows, for a pipe or a screen reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from litterm.model.document import Document, Sentence
from litterm.model.paper import Paper
from litterm.render.lines import LineOptions
from litterm.render.names import short_authors, standing, venue_and_year


def lines(document: Document, paper: Paper, look: LineOptions) -> list[str]:
    """Title and byline, then headings, paragraphs, table rows and references, a blank line between them."""
    rendered = [*look.block(paper.title, indent=0, style="bold")]
    rendered.append(look.join(map(look.text, [short_authors(paper.authors), venue_and_year(paper), paper.id])))
    if standing(paper):
        rendered.append(look.paint(standing(paper), "alarm"))
    if document.origin == "abstract":
        rendered.append(look.paint("abstract only: there is no full text in the library", "dim"))
    for block in _blocks(document):
        rendered += ["", *_block(block, document, look)]
    if document.references:
        rendered += ["", look.paint("References", "bold")]
        for number, reference in enumerate(document.references, 1):
            rendered += look.block(reference.text, indent=5, first=f"{reference.label or number:>3}  ")
    return rendered


def _blocks(document: Document) -> Iterator[list[Sentence]]:
    """Sentences of one paragraph, or one heading, caption or run of table rows."""
    # The title already stands at the top, from the record.
    rows = (sentence for sentence in document.sentences if sentence.kind != "title")
    # Sentences stand in reading order, so that neighbours with one key are one block.
    for _key, group in groupby(rows, key=lambda row: (row.section, row.paragraph, row.kind)):
        yield list(group)


def _block(rows: Sequence[Sentence], document: Document, look: LineOptions) -> list[str]:
    first = rows[0]
    if first.kind == "heading":
        section = document.sections[first.section]
        title = f"{section.number} {section.title or first.text}".strip()
        return look.block(title, indent=0, style="bold")
    # Rows are not wrapped: their columns would no longer stand below one another.
    if first.kind == "table":
        return [look.text(row.text) for row in rows]
    return look.block(" ".join(row.text for row in rows), indent=0)
