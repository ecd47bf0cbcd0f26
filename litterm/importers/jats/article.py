"""Reads JATS and its ancestors (NLM 2.3 to JATS 1.4) as papers with full text, alone or in PMC's wrappers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final
from xml.etree.ElementTree import Element

from litterm.core.errors import BadInput
from litterm.importers.byte_sources import Content, check_whole
from litterm.importers.jats.body import ArticleText
from litterm.importers.jats.front import licence_of, paper_from_front
from litterm.importers.jats.references import references_of
from litterm.importers.xml.tree import stream_elements
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper
from litterm.text.clean import clean_line
from litterm.text.documents.builder import References, build_document

PARSER: Final = "jats-2"
_ARTICLES: Final = frozenset(("article",))


def read_jats(content: Content) -> Iterator[Parsed | Failure]:
    """Every article of a file, whether it is its root, in a `pmc-articleset` or in an OAI-PMH answer.

    Raises:
        BadInput: the XML cannot be read on, or holds no article.
    """
    count = 0
    with content.open() as stream:
        for article in stream_elements(stream, _ARTICLES):
            count += 1
            try:
                yield parse_article(article, content.origin)
            # One article of a set costs itself and not those behind it.
            except BadInput as error:
                yield Failure(f"{content.origin}:{count}", str(error))
        check_whole(stream)
    if not count:
        raise BadInput("Holds no article.")


def parse_article(article: Element, origin: str) -> Parsed:
    """One article.

    Raises:
        BadInput: it has neither a title nor any text.
    """
    paper = paper_from_front(article, origin)
    entries, positions, known = references_of(article)
    blocks = list(ArticleText(article, positions).blocks())
    has_body = any(block.kind in ("body", "caption", "table") for block in blocks)
    if not paper.title:
        paper = _with_subject_as_title(paper, article)
    if not paper.title and not has_body:
        raise BadInput("An article without title and text.")
    if not paper.title:
        # The text is worth more than a title.
        paper = replace(paper, title="Untitled")
    if not has_body:
        return Parsed(paper)
    document = build_document(
        paper.id,
        blocks,
        origin="jats",
        parser=PARSER,
        references=References(entries, known),
        licence=licence_of(article),
    )
    return Parsed(paper, document)


def _with_subject_as_title(paper: Paper, article: Element) -> Paper:
    """Notices and abstracts sometimes have only a subject where the title should be."""
    subject = next(article.iter("subject"), None)
    return paper if subject is None else replace(paper, title=clean_line("".join(subject.itertext())))
