"""The bibliography of a LaTeXML page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final
from xml.etree.ElementTree import Element

from litterm.importers.article_fields import citation_label
from litterm.importers.ids import parse_doi, rank_ids, recognize_id
from litterm.importers.latexml.floats import first_of
from litterm.importers.xml.html import has_class
from litterm.model.document import Reference
from litterm.model.paper import PaperId
from litterm.text.clean import plain
from litterm.text.limits import MAX_REFERENCES
from litterm.text.references.parser import fill_fields

_NUMBER: Final = re.compile(r"[\[(]?(\d{1,4})[\])]?\.?")
_NO_TITLE: Final = re.compile(r"(?:In|in|arXiv|CoRR|ArXiv|Technical report|PhD|URL|https?)\b")
_LINKS_LABEL: Final = "External Links"
"""What is before addresses that are no part of the printed entry."""
_MAX_ENTRY_CHARS: Final = 3000


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
        text for block in _blocks(item) if (text := plain(_printed_text(block))) and not text.startswith(_LINKS_LABEL)
    ]
    text = " ".join([*_key(item), *blocks])[:_MAX_ENTRY_CHARS] or plain(_printed_text(item))[:_MAX_ENTRY_CHARS]
    title = _title(item, blocks)
    reference = fill_fields(Reference(index, text, title=title, ids=_ids(item)))
    label = _label(item) or citation_label(reference.families, reference.year) or reference.label
    return replace(reference, label=label)


def _key(item: Element) -> list[str]:
    """Authors and year where they are in the entry's key alone, as they do in entries LaTeXML makes itself."""
    tag = _tag(item)
    return [f"{plain(_words(tag))}."] if tag is not None and has_class(tag, "ltx_bib_author-year") else []


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
    title = plain(_printed_text(title_element)) if title_element is not None else blocks[1] if len(blocks) > 2 else ""
    return "" if _NO_TITLE.match(title) or len(title.split()) < 2 else title.rstrip(" .,")


def _label(item: Element) -> str:
    tag = _tag(item)
    match = _NUMBER.fullmatch(plain(_words(tag))) if tag is not None else None
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
    ids += [recognize_id(plain(_words(element))) for element in item.iter() if has_class(element, "ltx_bib_external")]
    return rank_ids(ids)
