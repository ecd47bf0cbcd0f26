"""The reference list of a JATS article, in all four ways of marking up a citation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import Final
from xml.etree.ElementTree import Element

from litterm.importers.article_fields import citation_label
from litterm.importers.author_names import author_from_name
from litterm.importers.dates import find_year
from litterm.importers.ids import parse_doi, parse_pmc, parse_pmid, rank_ids, recognize_id
from litterm.importers.jats.inline import inline_text
from litterm.model.document import Reference
from litterm.model.paper import Author, PaperId
from litterm.text.clean import clean_line
from litterm.text.limits import MAX_REFERENCES

_CITATION_TAGS: Final = ("element-citation", "mixed-citation", "citation", "nlm-citation")
_NUMBER_LABEL: Final = re.compile(r"[\[(]?(\d{1,4})[\])]?\.?")
_SPACED_PUNCTUATION: Final = re.compile(r"(?<!\s)\s+([,.;:)])|([(])\s+")


def references_of(article: Element) -> tuple[tuple[Reference, ...], dict[str, int], bool]:
    """The references in order, the position by element id, and whether the article has a list at all.

    One more than a record may have, where there are more.
    """
    entries: list[Reference] = []
    positions: dict[str, int] = {}
    known = False
    for listing in _lists(article):
        known = True
        for ref in islice(listing.iter("ref"), MAX_REFERENCES + 1 - len(entries)):
            for key in _keys(ref):
                # Several citations may share one entry (a, b), and each be pointed at.
                positions.setdefault(key, len(entries))
            entries.append(_reference(ref, len(entries)))
    return tuple(entries), positions, known


def _lists(article: Element) -> Iterator[Element]:
    """Outermost reference lists, not those of sub-articles."""
    waiting = list(article)[::-1]
    while waiting:
        element = waiting.pop()
        if element.tag == "ref-list":
            yield element
        # Reviews and replies have lists of their own, numbered from 1 as well.
        elif element.tag not in ("sub-article", "response"):
            waiting.extend(list(element)[::-1])


def _keys(ref: Element) -> Iterator[str]:
    for element in ref.iter():
        if (element is ref or element.tag in _CITATION_TAGS) and (key := element.get("id")):
            yield key


def _reference(ref: Element, index: int) -> Reference:
    citation = _citation(ref)
    families = tuple(author.surname for author in _authors(citation))
    year = find_year(inline_text(citation.find("year")))
    title = _title(citation)
    return Reference(
        index=index,
        text=_text(ref, citation),
        label=_label(ref, families, year),
        title=title,
        families=families,
        year=year,
        ids=_ids(citation),
    )


def _citation(ref: Element) -> Element:
    """The best marked-up citation of an entry; the entry itself if it holds none."""
    citations = [element for tag in _CITATION_TAGS for element in ref.iter(tag)]
    # The first kind that is there: the others repeat it with less markup.
    return citations[0] if citations else ref


def _text(ref: Element, citation: Element) -> str:
    """As printed where the source keeps the punctuation, else composed in its place."""
    printed = next((element for tag in ("mixed-citation", "citation") for element in ref.iter(tag)), None)
    if printed is not None and _is_punctuated(printed):
        return _SPACED_PUNCTUATION.sub(r"\1\2", clean_line("".join(_printed_text(printed))))
    if citation is ref:
        return inline_text(ref, skip=frozenset(("label",)))
    return _compose_text(citation) or inline_text(citation, skip=frozenset(("label",)))


def _printed_text(element: Element) -> Iterator[str]:
    """The text of a citation as printed; parts that the source joins without a blank are separated."""
    yield element.text or ""
    for child, following in zip_longest(element, element[1:]):
        if child.tag in ("name", "string-name"):
            author = None if _has_text_between(child) else name_of(child)
            yield inline_text(child) if author is None else f"{author.surname} {author.given}".strip()
        elif child.tag in ("italic", "bold", "sup", "sub", "article-title", "chapter-title", "source"):
            yield inline_text(child)
        elif child.tag not in ("pub-id", "label"):
            yield from _printed_text(child)
        if child.tail:
            yield child.tail
        elif following is not None and following.tag not in ("sup", "sub", "italic", "bold"):
            yield ", " if following.tag in ("name", "string-name") else " "


def _has_text_between(name: Element) -> bool:
    """Whether the source keeps the blank or comma between the parts of a name."""
    return any((part.tail or "").strip() for part in name)


def _is_punctuated(citation: Element) -> bool:
    """Whether the punctuation is there; where fields are side by side without any, it was lost."""
    return len(citation) < 3 or any((child.tail or "").strip() for child in citation)


def _compose_text(citation: Element) -> str:
    names = [" ".join(part for part in (author.surname, author.given) if part) for author in _authors(citation)]
    if next(citation.iter("etal"), None) is not None:
        names.append("et al.")
    numbers = _child_text(citation, "volume")
    if issue := _child_text(citation, "issue"):
        numbers += f"({issue})"
    if pages := _pages(citation):
        numbers += f":{pages}" if numbers else pages
    source = _child_text(citation, "source")
    title = _title(citation)
    parts = [
        ", ".join(names),
        title,
        source if source != title else "",
        "; ".join(part for part in (_child_text(citation, "year"), numbers) if part),
        ": ".join(
            part for part in (_child_text(citation, "publisher-loc"), _child_text(citation, "publisher-name")) if part
        ),
        _child_text(citation, "comment"),
    ]
    return " ".join(part if part.endswith((".", "?", "!")) else f"{part}." for part in parts if part)


def _pages(citation: Element) -> str:
    first, last = _child_text(citation, "fpage"), _child_text(citation, "lpage")
    if first and last and first != last:
        return f"{first}–{last}"
    return first or _child_text(citation, "elocation-id") or _child_text(citation, "page-range")


def _child_text(citation: Element, tag: str) -> str:
    return inline_text(next(citation.iter(tag), None))


def _title(citation: Element) -> str:
    for tag in ("article-title", "chapter-title", "data-title", "part-title", "source"):
        if title := _child_text(citation, tag):
            return title.rstrip(".,")
    return ""


def _authors(citation: Element) -> list[Author]:
    groups = list(citation.iter("person-group"))
    author_groups = [group for group in groups if group.get("person-group-type", "author") == "author"] or groups[:1]
    authors: list[Author] = []
    for holder in author_groups or [citation]:
        for element in holder.iter():
            author = _author(element)
            if author is not None:
                authors.append(author)
    return authors


def _author(element: Element) -> Author | None:
    if element.tag == "collab":
        name = inline_text(element, skip=frozenset(("contrib-group",)))
        return Author(name) if name else None
    if element.tag not in ("name", "string-name"):
        return None
    return name_of(element)


def name_of(element: Element) -> Author | None:
    """The author in a `name` or `string-name` element."""
    family, given = inline_text(element.find("surname")), inline_text(element.find("given-names"))
    if not family and not given:
        return author_from_name(clean_line("".join(element.itertext())))
    suffix = inline_text(element.find("suffix"))
    return Author(f"{family} {suffix}".strip() or given, given if family else "")


def _label(ref: Element, families: tuple[str, ...], year: int | None) -> str:
    printed = inline_text(next(ref.iter("label"), None))
    if printed:
        number = _NUMBER_LABEL.fullmatch(printed)
        return number.group(1) if number else printed.rstrip(".")
    return citation_label(families, year)


def _ids(citation: Element) -> tuple[PaperId, ...]:
    ids: list[PaperId | None] = []
    for element in citation.iter("pub-id"):
        text = clean_line("".join(element.itertext()))
        match element.get("pub-id-type", ""):
            case "doi":
                ids.append(parse_doi(text))
            case "pmid" | "medline":
                ids.append(parse_pmid(text))
            case "pmc" | "pmcid":
                ids.append(parse_pmc(text))
            case "arxiv":
                ids.append(recognize_id(text))
            case _:
                pass
    for tag in ("ext-link", "uri"):
        for element in citation.iter(tag):
            ids.append(recognize_id(element.get("href", "")) or recognize_id(clean_line("".join(element.itertext()))))
    return rank_ids(ids)
