"""Pages that LaTeXML made of a paper's source (arxiv.org/html, ar5iv) to a record and a document.

The page is turned into the JATS article it would be, and read as one: formulas, citation marks and floats have one
reader, whoever wrote them down.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final
from xml.etree.ElementTree import Element

from litterm.core.errors import BadInput
from litterm.importers.article_fields import citation_label, page_urls, venue_keys
from litterm.importers.author_names import author_from_name
from litterm.importers.byte_sources import Content
from litterm.importers.ids import parse_arxiv, parse_doi, rank_ids, recognize_id
from litterm.importers.jats.body import ArticleText
from litterm.importers.jats.front import title_of
from litterm.importers.jats.inline import CitedEntries, inline_text
from litterm.importers.latexml.body import article_blocks, first_of
from litterm.importers.xml.html import has_class, parse_html
from litterm.importers.xml.tree import MAX_TREE_BYTES
from litterm.model.document import Reference
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author, Paper, PaperId, Provenance
from litterm.text.clean import clean_line
from litterm.text.documents.builder import References, build_document
from litterm.text.limits import MAX_REFERENCES
from litterm.text.references.identity import local_id
from litterm.text.references.parser import fill_fields

PARSER: Final = "latexml-1"
_ARXIV_NUMBER: Final = r"((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?)"
_STAMP: Final = re.compile(rf"arXiv:{_ARXIV_NUMBER}")
_ADDRESS: Final = re.compile(rf"(?:^|/)(?:html|abs|pdf)/{_ARXIV_NUMBER}/?$")
_PAGE_TITLE: Final = re.compile(rf"\[{_ARXIV_NUMBER}\]")
_SUBMITTED: Final = re.compile(r"arxiv:(\d\d)(\d\d)\.")
_NAME_SEPARATOR: Final = re.compile(r"(?:(?<!\s)\s+)?+(?:[,;&]|\band\b)\s*|(?<!\s)[^\S\u2003]*+\u2003\s*")
_MAX_NAME_WORDS = 5
"""A name has no more."""
_SUFFIX_COMMA: Final = re.compile(r",\s*(?=(?:[JS]r\.?|III?|IV)(?:\s|,|$))")
_NUMBER: Final = re.compile(r"[\[(]?(\d{1,4})[\])]?\.?")
_NO_TITLE: Final = re.compile(r"(?:In|in|arXiv|CoRR|ArXiv|Technical report|PhD|URL|https?)\b")
_LINKS_LABEL: Final = "External Links"
"""What is before addresses that are no part of the printed entry."""
_MAX_ENTRY_CHARS: Final = 3000


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
    blocks = list(ArticleText(article, CitedEntries.of_positions(positions, len(entries))).blocks())
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
    return clean_line("".join(licence.itertext())).removeprefix("License:").strip()[:300] if licence is not None else ""


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
        for name in _NAME_SEPARATOR.split(_SUFFIX_COMMA.sub(" ", _before_break(person))):
            words = name.split()
            if 0 < len(words) <= _MAX_NAME_WORDS and not any(character in "@0123456789{}" for character in name):
                author = author_from_name(clean_line(name))
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


def bibliography(article: Element) -> tuple[tuple[Reference, ...], dict[str, int], bool]:
    """The entries in order, their positions by element id, and whether there is a list at all.

    One more than a record may have, where there are more.
    """
    items = [*islice((element for element in article.iter() if has_class(element, "ltx_bibitem")), MAX_REFERENCES + 1)]
    known = bool(items) or any(has_class(element, "ltx_bibliography", "ltx_biblist") for element in article.iter())
    positions = {key: index for index, item in reversed(list(enumerate(items))) if (key := item.get("id"))}
    return tuple(_reference(item, index) for index, item in enumerate(items)), positions, known


def _reference(item: Element, index: int) -> Reference:
    blocks = [
        text
        for block in _blocks(item)
        if (text := clean_line(_printed_text(block))) and not text.startswith(_LINKS_LABEL)
    ]
    text = " ".join([*_key(item), *blocks])[:_MAX_ENTRY_CHARS] or clean_line(_printed_text(item))[:_MAX_ENTRY_CHARS]
    title = _title(item, blocks)
    reference = fill_fields(Reference(index, text, title=title, ids=_ids(item)))
    label = _label(item) or citation_label(reference.families, reference.year) or reference.label
    return replace(reference, label=label)


def _key(item: Element) -> list[str]:
    """Authors and year where they are in the entry's key alone, as they do in entries LaTeXML makes itself."""
    tag = _tag(item)
    return [f"{clean_line(_words(tag))}."] if tag is not None and has_class(tag, "ltx_bib_author-year") else []


def _blocks(item: Element) -> Iterator[Element]:
    """What is printed of an entry, without the list of places that cite it."""
    blocks = [element for element in item.iter() if has_class(element, "ltx_bibblock")]
    yield from (element for element in blocks if not has_class(element, "ltx_bib_cited"))


def _printed_text(element: Element) -> str:
    if has_class(element, "ltx_tag", "ltx_ERROR", "ltx_bib_cited"):
        return ""
    if element.tag == "math":
        return element.get("alttext", "")
    inner = "".join(_printed_text(child) + (child.tail or "") for child in element)
    return (element.text or "") + inner


def _title(item: Element, blocks: list[str]) -> str:
    """What is marked as the title; else the second of three parts or more, which BibTeX's styles make of an entry."""
    title_element = first_of(item, "ltx_bib_title")
    title = (
        clean_line(_printed_text(title_element)) if title_element is not None else blocks[1] if len(blocks) > 2 else ""
    )
    return "" if _NO_TITLE.match(title) or len(title.split()) < 2 else title.rstrip(" .,")


def _label(item: Element) -> str:
    tag = _tag(item)
    match = _NUMBER.fullmatch(clean_line(_words(tag))) if tag is not None else None
    return match.group(1) if match else ""


def _tag(item: Element) -> Element | None:
    return first_of(item, "ltx_tag_bibitem")


def _words(element: Element) -> str:
    return "".join(element.itertext())


def _ids(item: Element) -> tuple[PaperId, ...]:
    ids: list[PaperId | None] = []
    for link in item.iter("a"):
        address = link.get("href", "")
        # Any address may hold a DOI, but text that is none may hold digits like one.
        ids.append(recognize_id(address) or (parse_doi(address) if "://" in address else None))
    ids += [
        recognize_id(clean_line(_words(element))) for element in item.iter() if has_class(element, "ltx_bib_external")
    ]
    return rank_ids(ids)
