"""Reads the front matter of a JATS article as a bibliographic record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from litterm.importers.article_fields import PREPRINT_SERVERS, page_range, page_urls, venue_keys
from litterm.importers.dates import find_year, iso_date, iso_prefix
from litterm.importers.ids import parse_arxiv, parse_doi, parse_pmc, parse_pmid, rank_ids
from litterm.importers.jats.inline import inline_text
from litterm.importers.jats.references import name_of
from litterm.model.paper import Author, Paper, PaperId, PaperType, Provenance, PublicationDetails
from litterm.text.clean import clean_line
from litterm.text.documents.sections import heading_parts
from litterm.text.references.identity import local_id
from litterm.text.references.retractions import retraction_of_title

_UNPRINTED_TAGS: Final = frozenset(("xref", "fn"))
_DATE_TYPES: Final = (
    "ppub",
    "epub-ppub",
    "collection",
    "publication",
    "publication-year",
    "pub",
    "epub",
    "epub-original",
)
"""Kinds of publication date, the one that names the volume's year first; other kinds are not publication."""
_PAPER_TYPES: Final[dict[str, PaperType]] = {
    "abstract": "other",
    "addendum": "other",
    "book-review": "other",
    "correction": "other",
    "preprint": "preprint",
    "retraction": "other",
    "thesis": "thesis",
    "dissertation": "thesis",
}
_RETRACTIONS: Final = {
    "retraction-forward": "retracted",
    "retracted": "retracted",
    "withdrawal-forward": "retracted",
    "correction-forward": "corrected",
    "corrected": "corrected",
}
_SECONDARY_ABSTRACTS: Final = frozenset(
    """graphical teaser toc web-summary precis key-points author-highlights highlights executive-summary summary
    synopsis""".split()
)


def paper_from_front(article: Element, origin: str) -> Paper:
    """The record; its id is the strongest the front states, else a local one."""
    front = article.find("front")
    # Without a `front`, its elements may be in the article itself.
    front = front if front is not None else article
    meta = _child(front, "article-meta")
    journal = _child(front, "journal-meta")
    title = title_of(meta)
    authors = tuple(_authors(meta))
    year, date = _publication_date(meta)
    ids = _ids(meta) or (local_id(title, authors, year),)
    names = _journal_names(journal)
    return Paper(
        id=ids[0],
        title=title,
        abstract=_abstract(meta),
        authors=authors,
        year=year,
        date=date,
        venue=names[0] if names else "",
        venue_keys=venue_keys(*names),
        type=_type(article, names),
        keywords=_keywords(meta),
        aliases=ids[1:],
        urls=page_urls(ids),
        retraction=_retraction(meta, title),
        imprint=_imprint(article, meta, journal, names),
        provenance=Provenance("jats", origin),
        has_more_authors=any(group.find(".//etal") is not None for group in meta.findall("contrib-group")),
    )


def title_of(meta: Element) -> str:
    """The article's title with its subtitle, without notes."""
    group = _child(meta, "title-group")
    title = inline_text(next(group.iter("article-title"), None), skip=_UNPRINTED_TAGS)
    subtitle = inline_text(group.find("subtitle"), skip=_UNPRINTED_TAGS)
    if subtitle and subtitle.lower() not in title.lower():
        return f"{title.rstrip(':')}: {subtitle}"
    return title


def abstracts_of(meta: Element) -> list[Element]:
    """The main abstract first, then summaries, highlights and the like; translations are left out."""
    abstracts = meta.findall("abstract")
    return sorted(abstracts, key=lambda abstract: abstract.get("abstract-type", "") in _SECONDARY_ABSTRACTS)


def licence_of(article: Element) -> str:
    """The licence's address, else its sentence, else what PMC says of it; empty if none is stated."""
    permissions = next(article.iter("permissions"), Element("permissions"))
    for licence in permissions.iter("license"):
        address = licence.get("href") or next((e.get("href") for e in licence.iter("ext-link") if e.get("href")), "")
        address = address or inline_text(next(licence.iter("license_ref"), None))
        return clean_line(address) if address else inline_text(licence)[:300]
    return custom_meta_value(article, "pmc-license-ref") or inline_text(permissions.find("copyright-statement"))[:300]


def custom_meta_value(article: Element, name: str) -> str:
    """The value of the custom metadata `name` that PMC (not the journal) adds to an article; empty if it has none."""
    for note in _child(article, "article-meta").iter("custom-meta"):
        if inline_text(note.find("meta-name")) == name:
            return inline_text(note.find("meta-value"))
    return ""


def _child(parent: Element, tag: str) -> Element:
    child = next(parent.iter(tag), None)
    return child if child is not None else Element(tag)


def _abstract(meta: Element) -> str:
    """The main abstract on one line, its parts led by their titles."""
    main = next(iter(abstracts_of(meta)), None)
    # A picture's caption is no abstract.
    if main is None or main.get("abstract-type") == "graphical":
        return ""
    return " ".join(part for part in _abstract_parts(main) if part)


def _abstract_parts(element: Element) -> Iterator[str]:
    for child in element:
        if child.tag == "sec":
            title = inline_text(child.find("title")).rstrip(":.")
            text = " ".join(part for part in _abstract_parts(child) if part)
            yield f"{title}: {text}" if title else text
        elif child.tag not in ("title", "label", "object-id", "fig"):
            yield inline_text(child)


def _authors(meta: Element) -> Iterator[Author]:
    for group in meta.findall("contrib-group"):
        # The members of a group of people stand inside it and are no authors in their own right.
        members = {member for people in group.iter("collab") for member in people.iter("contrib")}
        # Where contributors do not say what they are, their group does.
        kind = "editor" if group.get("content-type", "").startswith(("editor", "reviewer")) else "author"
        for contributor in group.iter("contrib"):
            if contributor not in members and contributor.get("contrib-type", kind) == "author":
                author = _contributor(contributor)
                if author is not None:
                    yield author


def _contributor(contributor: Element) -> Author | None:
    for element in contributor.iter():
        if element.tag in ("name", "string-name"):
            return name_of(_western_spelling(contributor) or element)
        if element.tag == "collab":
            name = inline_text(element, skip=frozenset(("contrib-group", "contrib", "xref")))
            return Author(name, is_literal=True) if name else None
    return None


def _western_spelling(contributor: Element) -> Element | None:
    """Of the spellings of a name the western one, by which it is cited and searched for; `None` if there is none."""
    spellings = contributor.iterfind("name-alternatives/*")
    return next(
        (spelling for spelling in spellings if spelling.get("name-style") == "western" or spelling.get("lang") == "en"),
        None,
    )


def _ids(meta: Element) -> tuple[PaperId, ...]:
    ids: list[PaperId | None] = []
    for element in meta.findall("article-id"):
        text = clean_line(element.text or "")
        match element.get("pub-id-type"):
            # PMC renamed the type between 2024 and 2026; a reader of `pmc` alone would lose every newer id.
            case "pmc" | "pmcid":
                ids.append(parse_pmc(text))
            case "pmid":
                ids.append(parse_pmid(text))
            case "doi":
                ids.append(parse_doi(text))
            case "arxiv":
                ids.append(parse_arxiv(text))
            case _:
                pass
    return rank_ids(ids)


def _publication_date(meta: Element) -> tuple[int | None, str]:
    """The volume's year, and the most exact publication date within that year."""
    dates: list[tuple[int, int, str]] = []
    for element in meta.findall("pub-date"):
        kind = element.get("pub-type") or element.get("date-type") or "pub"
        stated = iso_prefix(element.get("iso-8601-date", ""))
        year = find_year(inline_text(element.find("year"))) or find_year(stated)
        if kind in _DATE_TYPES and year is not None:
            exact = iso_date(year, inline_text(element.find("month")), inline_text(element.find("day")))
            dates.append(
                (_DATE_TYPES.index(kind), year, max(exact, stated, key=len) if find_year(stated) == year else exact)
            )
    if not dates:
        year = find_year(inline_text(meta.find("pub-date")))
        return year, iso_date(year)
    # By kind first: the printed volume's year is the one that is cited, though the article was online before.
    year = min(dates)[1]
    return year, max((exact for _, other, exact in dates if other == year), key=lambda exact: (len(exact), exact))


def _journal_names(journal: Element) -> tuple[str, ...]:
    """The full title, then its abbreviations."""
    names = [inline_text(next(journal.iter("journal-title"), None))]
    names += [inline_text(element) for element in journal.iter("abbrev-journal-title")]
    names += [
        inline_text(element)
        for element in journal.iter("journal-id")
        if element.get("journal-id-type") in ("nlm-ta", "iso-abbrev")
    ]
    return tuple(dict.fromkeys(name for name in names if name))


def _type(article: Element, names: tuple[str, ...]) -> PaperType:
    if any(server in name.lower() for name in names for server in PREPRINT_SERVERS):
        return "preprint"
    return _PAPER_TYPES.get(article.get("article-type", ""), "article")


def _keywords(meta: Element) -> tuple[str, ...]:
    words = [
        inline_text(word)
        for group in meta.findall("kwd-group")
        if "abbrev" not in group.get("kwd-group-type", "")
        for word in group.iter()
        if word.tag in ("kwd", "compound-kwd")
    ]
    return tuple(dict.fromkeys(heading_parts(word)[1] if word[:1].isdigit() else word for word in words if word))


def _retraction(meta: Element, title: str) -> str:
    for related in meta.findall("related-article"):
        # "Forward" leads from the paper to its notice; the other direction is the notice's own.
        if retraction := _RETRACTIONS.get(related.get("related-article-type", "")):
            return retraction
    # Here too: a full text that is fetched for a known paper gives it nothing but this.
    return retraction_of_title(title)


def _imprint(article: Element, meta: Element, journal: Element, names: tuple[str, ...]) -> PublicationDetails:
    pages = page_range(inline_text(meta.find("fpage")), inline_text(meta.find("lpage")))
    return PublicationDetails(
        journal=names[0] if names else "",
        volume=inline_text(meta.find("volume")),
        issue=inline_text(meta.find("issue")),
        pages=pages or inline_text(meta.find("elocation-id")),
        publisher=inline_text(next(journal.iter("publisher-name"), None)),
        address=inline_text(next(journal.iter("publisher-loc"), None)),
        language=clean_line(article.get("lang", "")).lower(),
    )
