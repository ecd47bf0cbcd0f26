"""Reads PubMed XML, as efetch and the yearly baseline give it, with reference lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final
from xml.etree.ElementTree import Element

from litterm.core.errors import BadInput
from litterm.importers.article_fields import page_range, page_urls, venue_keys
from litterm.importers.author_names import split_suffix
from litterm.importers.byte_sources import Content, check_whole
from litterm.importers.dates import find_year, iso_date
from litterm.importers.ids import parse_doi, parse_pmc, parse_pmid, rank_ids
from litterm.importers.jats.inline import inline_text
from litterm.importers.xml.tree import stream_elements
from litterm.model.document import Document, Reference
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author, Paper, PaperId, PaperType, Provenance, PublicationDetails
from litterm.text.documents.builder import abstract_document
from litterm.text.references.identity import local_id

_ARTICLE_TAGS: Final = frozenset(("PubmedArticle", "PubmedBookArticle"))


def read_pubmed(content: Content) -> Iterator[Parsed | Failure]:
    """Every record of a file.

    Raises:
        BadInput: the XML cannot be read on, or holds no record.
    """
    count = 0
    with content.open() as stream:
        for article in stream_elements(stream, _ARTICLE_TAGS):
            count += 1
            paper = _paper(article, content.origin)
            if paper.title:
                yield Parsed(paper, _document(article, paper))
            else:
                yield Failure(f"{content.origin}:{count}", "A record without a title.")
        check_whole(stream)
    if not count:
        raise BadInput("Holds no PubMed record.")


def _paper(article: Element, origin: str) -> Paper:
    ids = _ids(article)
    title = _title(article)
    lists = list(article.iter("AuthorList"))
    authors = tuple(_authors(lists))
    year, date = _publication_date(article)
    ids = ids or (local_id(title, authors, year),)
    names = [_child_text(article, tag) for tag in ("Journal/Title", "Journal/ISOAbbreviation", "MedlineTA")]
    return Paper(
        id=ids[0],
        title=title,
        abstract=_abstract(article),
        authors=authors,
        year=year,
        date=date,
        venue=names[0] or names[2] or _child_text(article, "BookTitle"),
        venue_keys=venue_keys(*names),
        type=_type(article),
        keywords=_keywords(article),
        aliases=ids[1:],
        urls=page_urls(ids),
        retraction=_retraction(article),
        imprint=_imprint(article, names[0]),
        provenance=Provenance("pubmed", origin),
        has_more_authors=any(_lists_authors(listing) and listing.get("CompleteYN") == "N" for listing in lists),
    )


def _document(article: Element, paper: Paper) -> Document | None:
    """Title and abstract with the reference list; `None` where the record has no list."""
    entries = tuple(_reference(index, entry) for index, entry in enumerate(article.iter("Reference")))
    if not entries:
        return None
    return replace(abstract_document(paper), references=entries, references_known=True)


def _find(article: Element, path: str) -> Element | None:
    """The first element at the end of `path`, wherever the path begins."""
    first, _, rest = path.partition("/")
    for element in article.iter(first):
        child = element.find(rest) if rest else element
        if child is not None:
            return child
    return None


def _child_text(article: Element, path: str) -> str:
    return inline_text(_find(article, path))


def _title(article: Element) -> str:
    title = (
        _child_text(article, "ArticleTitle")
        or _child_text(article, "VernacularTitle")
        or _child_text(article, "BookTitle")
    )
    if title.startswith("[") and title.rstrip(".").endswith("]"):
        # Brackets say that PubMed translated the title.
        title = title.rstrip(".")[1:-1]
    # PubMed ends every title with a stop.
    return title if title.endswith("...") else title.removesuffix(".")


def _ids(article: Element) -> tuple[PaperId, ...]:
    ids: list[PaperId | None] = [parse_pmid(_child_text(article, "PMID"))]
    id_list = _find(article, "PubmedData/ArticleIdList") or _find(article, "PubmedBookData/ArticleIdList")
    ids += _listed_ids(id_list)
    ids += [parse_doi(inline_text(e)) for e in article.iter("ELocationID") if e.get("EIdType") == "doi"]
    return rank_ids(ids)


def _listed_ids(id_list: Element | None) -> list[PaperId | None]:
    # PII and the like name the paper only within its publisher.
    readers = {"pubmed": parse_pmid, "pmc": parse_pmc, "doi": parse_doi}
    return [
        readers[kind](inline_text(element))
        for element in (id_list if id_list is not None else ())
        if (kind := element.get("IdType", "")) in readers
    ]


def _lists_authors(listing: Element) -> bool:
    # Books list their editors in the same way.
    return listing.get("Type", "authors") == "authors"


def _authors(lists: Iterable[Element]) -> Iterator[Author]:
    for listing in filter(_lists_authors, lists):
        for element in listing.iter("Author"):
            if element.get("ValidYN") == "N":
                # A spelling that was corrected; the right one is listed, too.
                continue
            family = inline_text(element.find("LastName"))
            given = inline_text(element.find("ForeName")) or inline_text(element.find("Initials"))
            suffix = inline_text(element.find("Suffix"))
            group = inline_text(element.find("CollectiveName"))
            if family and not suffix:
                family, suffix = split_suffix(family)
            if family or group:
                yield Author(family, given, suffix=suffix) if family else Author(group, is_literal=True)


def _abstract(article: Element) -> str:
    holder = _find(article, "Abstract")
    parts: list[str] = []
    for element in holder if holder is not None else ():
        if element.tag == "AbstractText":
            label, text = element.get("Label", ""), inline_text(element)
            # PubMed prints labels in capitals.
            parts.append(f"{label.capitalize()}: {text}" if label and text else text)
    return " ".join(part for part in parts if part)


def _publication_date(article: Element) -> tuple[int | None, str]:
    date = _find(article, "JournalIssue/PubDate")
    date = date if date is not None else _find(article, "PubDate")
    if date is None:
        return None, ""
    year = find_year(inline_text(date.find("Year"))) or find_year(inline_text(date.find("MedlineDate")))
    # A `MedlineDate` is free text that begins with the year: `1998 Dec-1999 Jan`.
    month = inline_text(date.find("Month")) or inline_text(date.find("MedlineDate"))[4:]
    return year, iso_date(year, month, inline_text(date.find("Day")))


def _keywords(article: Element) -> tuple[str, ...]:
    """The authors' keywords, then the main MeSH headings."""
    words = [inline_text(element) for element in article.iter("Keyword")]
    for heading in article.iter("MeshHeading"):
        if any(part.get("MajorTopicYN") == "Y" for part in heading):
            words.append(inline_text(heading.find("DescriptorName")))
    return tuple(dict.fromkeys(word.rstrip(".") for word in words if word))


def _type(article: Element) -> PaperType:
    if article.tag == "PubmedBookArticle":
        return "chapter" if _child_text(article, "ArticleTitle") else "book"
    kinds = {inline_text(element) for element in article.iter("PublicationType")}
    if "Preprint" in kinds:
        return "preprint"
    return "other" if kinds & {"Published Erratum", "Retraction of Publication", "Retraction Notice"} else "article"


def _retraction(article: Element) -> str:
    if any(inline_text(element) == "Retracted Publication" for element in article.iter("PublicationType")):
        return "retracted"
    relations = {element.get("RefType") for element in article.iter("CommentsCorrections")}
    if "RetractionIn" in relations:
        return "retracted"
    if "ExpressionOfConcernIn" in relations:
        return "concern"
    return "corrected" if relations & {"ErratumIn", "CorrectedandRepublishedIn"} else ""


def _imprint(article: Element, journal: str) -> PublicationDetails:
    pages = page_range(_child_text(article, "Pagination/StartPage"), _child_text(article, "Pagination/EndPage"))
    return PublicationDetails(
        booktitle=_child_text(article, "BookTitle"),
        journal=journal,
        volume=_child_text(article, "JournalIssue/Volume"),
        issue=_child_text(article, "JournalIssue/Issue"),
        pages=pages or page_range(*_split_pages(_child_text(article, "Pagination/MedlinePgn"))),
        publisher=_child_text(article, "PublisherName"),
        language=_child_text(article, "Language"),
    )


def _split_pages(pages: str) -> tuple[str, str]:
    first, _, last = pages.partition("-")
    return first.strip(), last.strip()


def _reference(index: int, entry: Element) -> Reference:
    ids = [paper_id for paper_id in _listed_ids(entry.find("ArticleIdList")) if paper_id is not None]
    text = inline_text(entry.find("Citation"))
    return Reference(index, text or ", ".join(ids), year=_last_year(text), ids=rank_ids(tuple(ids)))


def _last_year(text: str) -> int | None:
    """The year of a printed citation; numbers of trials and pages may look like one, the year mostly comes later."""
    for part in reversed(text.split(".")):
        year = find_year(part[:8])
        if year is not None:
            return year
    return find_year(text)
