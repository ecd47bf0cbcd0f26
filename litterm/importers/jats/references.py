"""The reference list of a JATS article, in all four ways of marking up a citation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import Final
from xml.etree.ElementTree import Element

from litterm.importers.article_fields import citation_label
from litterm.importers.author_names import author_from_name, split_suffix
from litterm.importers.dates import find_year
from litterm.importers.ids import parse_doi, parse_pmc, parse_pmid, rank_ids, recognize_id
from litterm.importers.jats.inline import CitedEntries, inline_text
from litterm.model.document import Reference
from litterm.model.paper import Author, PaperId
from litterm.text.clean import clean_line
from litterm.text.limits import MAX_REFERENCES
from litterm.text.references.identity import scheme_of
from litterm.text.references.parser import read_ids, read_reference

_CITATION_TAGS: Final = ("element-citation", "mixed-citation", "citation", "nlm-citation")
_NOTE_TYPES: Final = frozenset(("note", "footnote", "fn"))
"""Types of a citation, and names of elements, that say that an entry of the list is a footnote."""
_SAME_WORDS_SHARE: Final = 0.6
"""Share of the words of one citation from which another, marked up in another way, says the same again."""
_MAX_PARTS: Final = 100
"""Citations of one kind that an entry may hold: each is compared with all."""
_WORD: Final = re.compile(r"\w+")
_PART_LABEL: Final = re.compile(r"\s*(?:\(([a-z])\)|\[([a-z])\]|([a-z])\))\s*")
"""What stands before one of several citations: `(a)`."""
_LETTER: Final = re.compile(r"[a-z]")
_NUMBER_LABEL: Final = re.compile(r"[\[(]?(\d{1,4})[\])]?\.?")
_SPACED_PUNCTUATION: Final = re.compile(r"(?<!\s)\s+([,.;:)])|([(])\s+")


def references_of(article: Element) -> tuple[tuple[Reference, ...], CitedEntries, bool]:
    """The references in order, what leads to each, and whether the article has a list at all.

    Each of several citations in one element (1a, 1b) is a reference; a footnote is none. One more than a record may
    have, where there are more.
    """
    entries: list[Reference] = []
    by_key: dict[str, tuple[int, ...]] = {}
    by_ref: list[tuple[int, ...]] = []
    ref_of: list[int] = []
    known = False
    for listing in _lists(article):
        known = True
        for ref in islice(listing.iter("ref"), MAX_REFERENCES + 1):
            citations = _citations(ref)[: MAX_REFERENCES + 1 - len(entries)]
            positions = tuple(range(len(entries), len(entries) + len(citations)))
            by_ref.append(positions)
            ref_of += [len(by_ref) - 1] * len(positions)
            for citation, position in zip(citations, positions, strict=True):
                entries.append(_reference(ref, citation, position, has_siblings=len(citations) > 1))
                for key in _keys(citation):
                    by_key.setdefault(key, (position,))
            # Of the keys that are left nobody says which part of the entry they mean.
            for key in _keys(ref) if positions else ():
                by_key.setdefault(key, positions)
    labels = tuple(entry.label for entry in entries)
    return tuple(entries), CitedEntries(by_key, tuple(by_ref), tuple(ref_of), labels), known


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


def _keys(holder: Element) -> Iterator[str]:
    for element in holder.iter():
        if element.tag in ("ref", "citation-alternatives", *_CITATION_TAGS) and (key := element.get("id")):
            yield key


def _citations(ref: Element) -> list[Element]:
    """The citations of an entry, of one in several forms the best marked-up; the entry itself if it is plain text."""
    chosen: list[Element] = []
    words: list[frozenset[str]] = []
    found = {id(element): element for tag in _CITATION_TAGS for element in islice(ref.iter(tag), _MAX_PARTS)}
    for citation in found.values():
        own_words = frozenset(_WORD.findall(" ".join(citation.itertext()).casefold()))
        if not any(
            citation.tag != other.tag and _is_repeated(own_words, others)
            for other, others in zip(chosen, words, strict=True)
        ):
            chosen.append(citation)
            words.append(own_words)
    if not chosen:
        return [] if _is_footnote(ref) else [ref]
    order = {id(element): position for position, element in enumerate(ref.iter())}
    chosen.sort(key=lambda citation: order[id(citation)])
    return [citation for citation in chosen if citation.get("publication-type") not in _NOTE_TYPES]


def _is_repeated(words: frozenset[str], others: frozenset[str]) -> bool:
    fewer = min(len(words), len(others))
    return len(words & others) >= _SAME_WORDS_SHARE * fewer


def _is_footnote(ref: Element) -> bool:
    """Whether an entry without a citation is a remark; some publishers have whole references in such elements."""
    if not any(element.tag in _NOTE_TYPES for element in ref):
        return False
    fields = read_reference(inline_text(ref, skip=frozenset(("label",))))
    return not fields.ids and not (fields.families and fields.title and fields.year)


def _reference(ref: Element, citation: Element, index: int, *, has_siblings: bool) -> Reference:
    families = tuple(author.surname for author in _authors(citation))
    year = find_year(inline_text(citation.find("year")))
    text, part = _text(ref, citation, has_siblings=has_siblings), ""
    if has_siblings and (match := _PART_LABEL.match(text)):
        text, part = text[match.end() :], match[1] or match[2] or match[3]
    return Reference(
        index=index,
        text=text,
        label=_label(ref, citation, part, has_siblings=has_siblings) or citation_label(families, year),
        title=_title(citation),
        families=families,
        year=year,
        ids=_ids(citation),
    )


def _text(ref: Element, citation: Element, *, has_siblings: bool) -> str:
    """As printed where the source keeps the punctuation, else composed in its place."""
    printed = next((element for tag in ("mixed-citation", "citation") for element in ref.iter(tag)), None)
    if has_siblings:
        printed = _printed_form(ref, citation)
    if printed is not None and _is_punctuated(printed):
        return _SPACED_PUNCTUATION.sub(r"\1\2", clean_line("".join(_printed_text(printed))))
    if citation is ref:
        return inline_text(ref, skip=frozenset(("label",)))
    return _compose_text(citation) or inline_text(citation, skip=frozenset(("label",)))


def _printed_form(ref: Element, citation: Element) -> Element | None:
    """The form of one of several citations that keeps the punctuation."""
    holder = next((each for each in ref.iter("citation-alternatives") if citation in list(each)), None)
    forms = [citation] if holder is None else [citation, *holder]
    return next((form for form in forms if form.tag in ("mixed-citation", "citation")), None)


def _printed_text(element: Element) -> Iterator[str]:
    """The text of a citation as printed; parts that the source joins without a blank are separated."""
    yield element.text or ""
    for child, following in zip_longest(element, element[1:]):
        if child.tag in ("name", "string-name"):
            author = None if _has_text_between(child) else name_of(child)
            yield inline_text(child) if author is None else _words(author)
        elif child.tag in ("italic", "bold", "sup", "sub", "article-title", "chapter-title", "source"):
            yield inline_text(child)
        elif child.tag not in ("pub-id", "label"):
            yield from _printed_text(child)
        if child.tail:
            yield child.tail
        elif following is not None and following.tag not in ("sup", "sub", "italic", "bold"):
            # A label stands before the names, not between two.
            yield ", " if following.tag in ("name", "string-name") and child.tag != "label" else " "


def _words(author: Author) -> str:
    return " ".join(part for part in (author.surname, author.suffix, author.given) if part)


def _has_text_between(name: Element) -> bool:
    """Whether the source keeps the blank or comma between the parts of a name."""
    return any((part.tail or "").strip() for part in name)


def _is_punctuated(citation: Element) -> bool:
    """Whether the punctuation is there; where fields are side by side without any, it was lost."""
    return len(citation) < 3 or any((child.tail or "").strip() for child in citation)


def _compose_text(citation: Element) -> str:
    names = [_words(author) for author in _authors(citation)]
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
        return Author(name, is_literal=True) if name else None
    if element.tag not in ("name", "string-name"):
        return None
    return name_of(element)


def name_of(element: Element) -> Author | None:
    """The author in a `name` or `string-name` element."""
    family, given = inline_text(element.find("surname")), inline_text(element.find("given-names"))
    if not family and not given:
        return author_from_name(clean_line("".join(element.itertext())))
    if not family:
        return Author(given)
    suffix = inline_text(element.find("suffix"))
    if not suffix:
        family, suffix = split_suffix(family)
    # Mostly a title (`Dr.`); particles are lower case.
    prefix = inline_text(element.find("prefix"))
    return Author(family, given, prefix if prefix.islower() and "." not in prefix else "", suffix)


def _label(ref: Element, citation: Element, part: str, *, has_siblings: bool) -> str:
    """The printed label of a citation: the entry's, and of one of several the letter of the part behind it."""
    own, inner = ref.find("label"), citation.find("label")
    label = _plain_label(inline_text(own if own is not None else next(citation.iter("label"), None)))
    if not has_siblings:
        return label
    part = part or _plain_label(inline_text(inner))
    return f"{label}{part}" if own is not None and _LETTER.fullmatch(part) else part or label


def _plain_label(printed: str) -> str:
    number = _NUMBER_LABEL.fullmatch(printed)
    letter = _PART_LABEL.fullmatch(printed)
    if letter:
        return letter[1] or letter[2] or letter[3]
    return number.group(1) if number else printed.rstrip(".")


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
    # Many publishers print ids without marking them up; what is marked up is the better reading of the two.
    marked = {scheme_of(paper_id) for paper_id in ids if paper_id is not None}
    printed = read_ids(clean_line(" ".join(_unmarked_text(citation))))
    return rank_ids((*ids, *(paper_id for paper_id in printed if scheme_of(paper_id) not in marked)))


def _unmarked_text(citation: Element) -> Iterator[str]:
    """The text of a citation without what is marked up as an id, which need not say of which service it is."""
    yield citation.text or ""
    for child in citation:
        if child.tag != "pub-id":
            yield from _unmarked_text(child)
        yield child.tail or ""
