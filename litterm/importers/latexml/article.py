"""Pages that LaTeXML made of a paper's source (arxiv.org/html, ar5iv) to a record and a document.

The page is turned into the JATS article it would be, and read as one: formulas, citation marks and floats have one
reader, whoever wrote them down.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from litterm.core.errors import BadInput
from litterm.importers.article_fields import page_urls, venue_keys
from litterm.importers.author_names import author_from_name
from litterm.importers.byte_sources import Content
from litterm.importers.ids import parse_arxiv
from litterm.importers.jats.body import ArticleText
from litterm.importers.jats.front import title_of
from litterm.importers.jats.inline import inline_text
from litterm.importers.latexml.body import article_blocks
from litterm.importers.latexml.floats import first_of
from litterm.importers.latexml.references import bibliography
from litterm.importers.xml.html import has_class, parse_html
from litterm.importers.xml.tree import MAX_TREE_BYTES
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author, Paper, PaperId, Provenance
from litterm.text.clean import plain
from litterm.text.documents.builder import References, build_document
from litterm.text.references.identity import local_id

PARSER: Final = "latexml-1"
_ARXIV_NUMBER: Final = r"((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?)"
_STAMP: Final = re.compile(rf"arXiv:{_ARXIV_NUMBER}")
_ADDRESS: Final = re.compile(rf"(?:^|/)(?:html|abs|pdf)/{_ARXIV_NUMBER}/?$")
_PAGE_TITLE: Final = re.compile(rf"\[{_ARXIV_NUMBER}\]")
_SUBMITTED: Final = re.compile(r"arxiv:(\d\d)(\d\d)\.")
_NAME_SEPARATOR: Final = re.compile(r"(?:(?<!\s)\s+)?+(?:[,;&]|\band\b)\s*|(?<!\s)[^\S\u2003]*+\u2003\s*")
_MAX_NAME_WORDS = 5
"""A name has no more."""


def read_html(content: Content) -> Iterator[Parsed | Failure]:
    """The one paper of a page.

    Raises:
        BadInput: the page holds none, or cannot be read.
    """
    page = parse_html(content.read(MAX_TREE_BYTES))
    source = next((element for element in page.iter("article") if has_class(element, "ltx_document")), None)
    if source is None:
        raise BadInput("A web page without the text of a paper.")
    article = article_blocks(source)
    meta = article.find("front/article-meta")
    entries, positions, known = bibliography(source)
    blocks = list(ArticleText(article, positions).blocks())
    paper = _paper(page, source, title_of(meta if meta is not None else article), content.origin)
    # A page without running text is no full text, whatever else it says.
    if not any(block.kind == "body" for block in blocks):
        raise BadInput("A web page without the text of a paper.")
    document = build_document(
        paper.id,
        blocks,
        origin="html",
        parser=PARSER,
        references=References(entries, known),
        licence=_licence(page),
    )
    yield Parsed(paper, document)


def _paper(page: Element, source: Element, title: str, origin: str) -> Paper:
    arxiv_id = _own_id(page)
    authors = tuple(_authors(source))
    submitted = _SUBMITTED.match(arxiv_id or "")
    # The page has no date of its own, but since 2007 numbers begin with year and month.
    year = 2000 + int(submitted.group(1)) if submitted else None
    paper_id = arxiv_id or local_id(title, authors, year)
    abstract = first_of(source, "ltx_abstract")
    return Paper(
        id=paper_id,
        title=title or "Untitled",
        abstract=_abstract(abstract) if abstract is not None else "",
        authors=authors,
        year=year,
        date=f"{year}-{submitted.group(2)}" if submitted else "",
        # Without its number a page may have been made anywhere.
        venue="arXiv" if arxiv_id else "",
        venue_keys=venue_keys("arXiv") if arxiv_id else (),
        type="preprint",
        urls=page_urls((paper_id,)),
        provenance=Provenance("html", origin),
    )


def _own_id(page: Element) -> PaperId | None:
    """The id the page says it is of: in its stamp, its own address, or its title."""
    stamp = next((element for element in page.iter() if element.get("id") == "watermark-tr"), None)
    places = [(_STAMP, "".join(stamp.itertext()))] if stamp is not None else []
    places += [(_ADDRESS, element.get("href", "")) for element in page.iter("base")]
    places += [
        (_ADDRESS, element.get("href", "")) for element in page.iter("link") if element.get("rel") == "canonical"
    ]
    places += [(_PAGE_TITLE, "".join(element.itertext())) for element in page.iter("title")]
    numbers = (match.group(1) for pattern, text in places if (match := pattern.search(text.strip())))
    return parse_arxiv(next(numbers, ""))


def _licence(page: Element) -> str:
    licence = next((element for element in page.iter() if element.get("id") == "license-tr"), None)
    return plain("".join(licence.itertext())).removeprefix("License:").strip()[:300] if licence is not None else ""


def _abstract(source: Element) -> str:
    holder = Element("holder")
    for child in article_blocks(_own_text(source)).iter("abstract"):
        holder.extend(child)
    return " ".join(text for paragraph in holder if (text := inline_text(paragraph)))


def _own_text(source: Element) -> Element:
    article = Element("article")
    article.append(source)
    return article


def _authors(source: Element) -> Iterator[Author]:
    """Names as far as the page sets them apart; marks, addresses and affiliations are no names."""
    for person in (element for element in source.iter() if has_class(element, "ltx_personname")):
        for name in _NAME_SEPARATOR.split(_before_break(person)):
            words = name.split()
            if 0 < len(words) <= _MAX_NAME_WORDS and not any(character in "@0123456789{}" for character in name):
                author = author_from_name(plain(name))
                if author is not None:
                    yield author


def _before_break(person: Element) -> str:
    """The first line: what follows a break is an affiliation."""
    parts = [person.text or ""]
    for child in person:
        if child.tag == "br":
            break
        if child.tag not in ("sup", "math") and not has_class(child, "ltx_note", "ltx_author_notes"):
            parts.append("".join(child.itertext()))
        parts.append(child.tail or "")
    return " ".join("".join(parts).split())
