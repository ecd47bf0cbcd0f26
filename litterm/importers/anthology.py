"""Reads ACL Anthology XML, a collection a file, as in `data/xml/*.xml` of its repository, and its form before 2019."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element, SubElement

from litterm.core.errors import BadInput
from litterm.importers.author_names import split_suffix
from litterm.importers.dates import month_number
from litterm.importers.ids import parse_doi
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author, Paper, PaperId, PaperType, Provenance, PublicationDetails
from litterm.text.clean import clean_line, element_text, prose
from litterm.text.documents.hyphens import HyphenStatistics
from litterm.text.references.identity import local_id, make_id

PARSER: Final = "anthology-1"
"""Name and version; a new version makes known files be read again."""

_SITE_URL: Final = "https://aclanthology.org/"
_MARKUP_KINDS: Final = {"tex-math": "tex", "par": "break"}
# The workshops of EMNLP 2019 are numbered among its own volumes, from 50 on.
_TWO_DIGIT_VOLUMES: Final = re.compile(r"(?:W\d\d|C69).*|D19-([5-9]|\d\d)")
_OLD_STYLE: Final = re.compile(r"[A-Z]\d\d")
_JOURNAL_TAIL: Final = re.compile(r"(?:, (?:Volume|Vol\.?|Numéro|Number|Issue)\b| \((?:[A-Z][a-z]+ )?\d{4}\)).*")
# Found by their bytes: parsing every file twice, only to count its words, would take as long again.
_RUNNING_TEXT_TAGS: Final = ((b"<title>", b"</title>"), (b"<abstract>", b"</abstract>"))
_WORKSHOP_SLUG: Final = "ws"
_VOLUME_FIELDS: Final = ("booktitle", "month", "year", "address", "publisher")
_VENUE_BY_LETTER: Final = {
    "A": "anlp",
    "C": "coling",
    "D": "emnlp",
    "E": "eacl",
    "F": "jeptalnrecital",
    "H": "hlt",
    "I": "ijcnlp",
    "J": "cl",
    "K": "conll",
    "L": "lrec",
    "M": "muc",
    "N": "naacl",
    "O": "rocling",
    "P": "acl",
    "Q": "tacl",
    "R": "ranlp",
    "S": "semeval",
    "T": "tinlap",
    "U": "alta",
    "W": "ws",
    "X": "tipster",
    "Y": "paclic",
}
"""What the letter of an id stands for; today's form names the venue itself."""
_JOURNAL_LETTERS: Final = frozenset("JQ")
_NEW_ID_PATTERN: Final = re.compile(r"\d{4}\.([a-z0-9]+)-")


@dataclass(frozen=True, slots=True)
class _Volume:
    """What the papers of one volume share."""

    prefix: str
    """Their id up to the paper's own number."""
    paper_digits: int
    """Width of that number; 0 if it is not padded."""
    type: PaperType
    year: int | None
    date: str
    venue: str
    venue_keys: tuple[str, ...]
    imprint: PublicationDetails


class AnthologyReader:
    """Reads collections; `acronyms` maps venue slugs to what is printed (`acl` to `ACL`)."""

    def __init__(self, acronyms: Mapping[str, str], hyphens: HyphenStatistics) -> None:
        self._acronyms = acronyms
        self._hyphens = hyphens
        # 400,000 author entries are 110,000 people: one object a person halves time and memory.
        self._people: dict[tuple[str, str], Author] = {}

    def papers(self, collection: Element, origin: str) -> Iterator[Parsed | Failure]:
        """The papers of a parsed collection, in order; front matter is left out.

        Raises:
            BadInput: it is no Anthology collection.
        """
        # One reader for both: the older form is rewritten first.
        if is_flat(collection):
            collection = as_collection(collection)
        key = collection.get("id")
        if collection.tag != "collection" or not key:
            raise BadInput("No ACL Anthology collection: its root has no id.")
        provenance = Provenance("anthology", origin)
        for element in collection.iter("volume"):
            name = element.get("id", "")
            meta = element.find("meta")
            if meta is None or not name:
                yield Failure(f"{origin}:{key}-{name or '?'}", "A volume without an id or without its meta element.")
                continue
            volume = self._volume(element, meta, key)
            for paper in element.iter("paper"):
                yield self._record(paper, volume, provenance)

    def _record(self, element: Element, volume: _Volume, provenance: Provenance) -> Parsed | Failure:
        number = element.get("id", "")
        paper = self._paper(element, volume, provenance)
        if number and paper.title:
            return Parsed(paper)
        cause = "A paper without a title." if number else "A paper without an id."
        return Failure(f"{provenance.origin}:{volume.prefix}{number or '?'}", cause)

    def _volume(self, element: Element, meta: Element, collection: str) -> _Volume:
        name = element.get("id", "")
        slugs = [clean_line(venue.text or "").lower() for venue in meta.iter("venue")]
        # Composed, not read from `url`: 577 papers have none, and others point elsewhere.
        prefix, digits = _numbering(collection, name)
        year = _year(meta.findtext("year"))
        return _Volume(
            prefix=prefix,
            paper_digits=digits,
            type="article" if element.get("type") == "journal" else "inproceedings",
            year=year,
            date=_date(year, meta.findtext("month")),
            venue=self._venue(slugs),
            venue_keys=self._venue_keys(slugs),
            imprint=self._imprint(meta, journal=element.get("type") == "journal"),
        )

    def _imprint(self, meta: Element, *, journal: bool) -> PublicationDetails:
        booktitle = _marked_text(meta.find("booktitle"))
        title = _text(meta, "journal-title") or _JOURNAL_TAIL.sub("", booktitle)
        return PublicationDetails(
            booktitle="" if journal else booktitle,
            journal=title if journal else "",
            volume=_text(meta, "journal-volume"),
            issue=_text(meta, "journal-issue"),
            publisher=_text(meta, "publisher"),
            address=_text(meta, "address"),
            editors=tuple(self._person(editor) for editor in meta.iter("editor")),
        )

    def _venue(self, slugs: list[str]) -> str:
        # A volume of a workshop names the workshop beside the `ws` of all; one of a joint conference names both.
        telling = [slug for slug in slugs if slug != _WORKSHOP_SLUG] or slugs
        return "-".join(self._acronym(slug) for slug in telling[:2])

    def _venue_keys(self, slugs: list[str]) -> tuple[str, ...]:
        keys = [key for slug in slugs for key in (slug, self._acronym(slug).lower())]
        return tuple(dict.fromkeys(key for key in keys if key))

    def _acronym(self, slug: str) -> str:
        return self._acronyms.get(slug) or slug.upper()

    def _paper(self, element: Element, volume: _Volume, provenance: Provenance) -> Paper:
        parts: dict[str, Element] = {}
        authors: list[Author] = []
        for child in element:
            if child.tag == "author":
                authors.append(self._person(child))
            else:
                parts[child.tag] = child
        title = self._prose(parts.get("title"))
        number = element.get("id", "")
        key = volume.prefix + number.zfill(volume.paper_digits)
        return Paper(
            id=make_id("acl", key) or local_id(title, authors, volume.year),
            title=title,
            abstract=self._prose(parts.get("abstract")),
            authors=tuple(authors),
            year=volume.year,
            date=volume.date,
            venue=volume.venue,
            venue_keys=volume.venue_keys,
            # Indexes of authors and the like, which are numbered as papers.
            type="other" if element.get("type") == "backmatter" else volume.type,
            aliases=_aliases(parts),
            urls=_urls(key, element, parts),
            retraction=_retraction(parts),
            imprint=self._own_imprint(volume.imprint, element, parts),
            provenance=provenance,
        )

    def _own_imprint(
        self, shared: PublicationDetails, element: Element, parts: Mapping[str, Element]
    ) -> PublicationDetails:
        journal = _child_text(parts, "journal") if "journal" in parts else ""
        editors = shared.editors
        if "editor" in parts:
            editors = tuple(self._person(editor) for editor in element.iter("editor"))
        return PublicationDetails(
            booktitle="" if journal else shared.booktitle,
            journal=journal or shared.journal,
            volume=shared.volume,
            issue=_child_text(parts, "issue") if "issue" in parts else shared.issue,
            pages=_child_text(parts, "pages"),
            publisher=shared.publisher,
            address=shared.address,
            editors=editors,
            language=_child_text(parts, "language") if "language" in parts else "",
            bibkey=_child_text(parts, "bibkey"),
        )

    def _prose(self, element: Element | None) -> str:
        return self._hyphens.rejoin(_marked_text(element))

    def _person(self, element: Element) -> Author:
        names = (element.findtext("last") or "", element.findtext("first") or "")
        person = self._people.get(names)
        if person is None:
            family, suffix = split_suffix(clean_line(names[0]))
            self._people[names] = person = Author(family, clean_line(names[1]), suffix=suffix)
        return person


def running_text(xml: bytes) -> bytes:
    """Titles and abstracts of a collection's bytes, for counting words; markup stays."""
    parts: list[bytes] = []
    for start_tag, end_tag in _RUNNING_TEXT_TAGS:
        start = xml.find(start_tag)
        while start >= 0:
            end = xml.find(end_tag, start)
            if end < 0:
                break
            parts.append(xml[start + len(start_tag) : end])
            start = xml.find(start_tag, end)
    return b"\n".join(parts)


def venue_acronym(yaml: bytes) -> str:
    """The acronym a venue's YAML file gives; empty if it gives none."""
    for line in yaml.decode("utf-8", "replace").splitlines():
        name, colon, value = line.partition(":")
        if name == "acronym" and colon:
            return clean_line(value.strip().strip("'\""))
    return ""


def venue_acronyms(content: bytes) -> Mapping[str, str]:
    """The acronyms in the one JSON file that has taken the place of those; none where it is no such file."""
    try:
        venues = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    rows = venues.items() if isinstance(venues, dict) else ()
    acronyms = ((slug, row.get("acronym")) for slug, row in rows if isinstance(row, dict))
    return {slug: clean_line(acronym) for slug, acronym in acronyms if isinstance(acronym, str) and acronym.strip()}


def _numbering(collection: str, volume: str) -> tuple[str, int]:
    if not _OLD_STYLE.fullmatch(collection):
        return f"{collection}-{volume}.", 0
    if _TWO_DIGIT_VOLUMES.fullmatch(f"{collection}-{volume}"):
        return f"{collection}-{volume.zfill(2)}", 2
    return f"{collection}-{volume}", 3


def _marked_text(element: Element | None) -> str:
    """Title or abstract with its markup read; `prose` costs only where there is LaTeX or an entity."""
    if element is None:
        return ""
    text = element_text(element, _MARKUP_KINDS)
    if "\\" in text or "$" in text or "&" in text:
        return prose(text)
    return clean_line(text)


def _text(parent: Element, tag: str) -> str:
    child = parent.find(tag)
    return "" if child is None else clean_line("".join(child.itertext()))


def _child_text(parts: Mapping[str, Element], tag: str) -> str:
    child = parts.get(tag)
    if child is None:
        return ""
    text = child.text or ""
    # What most values are; half a million calls less.
    return text if text.isascii() and text.isprintable() and text.strip() == text else clean_line(text)


def _aliases(parts: Mapping[str, Element]) -> tuple[PaperId, ...]:
    # Some hundred records have a handle there, which is no DOI.
    alias = parse_doi(_child_text(parts, "doi")) if "doi" in parts else None
    return () if alias is None else (alias,)


def _urls(key: str, paper: Element, parts: Mapping[str, Element]) -> tuple[str, ...]:
    """The address of the paper's page, then of its PDF or, where the Anthology has none, of the page that offers it.

    Until August 2026 an own PDF was a `url` with a `hash` or a bare name; since then it is a `pdf`, and every `url`
    leads elsewhere, those with a `type` to code and the like.
    """
    # The address of the page is not in the file: it follows from the id.
    page = f"{_SITE_URL}{key}"
    # Its PDF is gone, whatever else the record still says.
    if "removed" in parts:
        return (page,)
    if "pdf" in parts:
        return (page, f"{page}.pdf")
    for url in paper.iterfind("url"):
        target = (url.text or "").strip()
        if target and not url.get("type"):
            is_external = target.startswith(("http://", "https://")) and not url.get("hash")
            return (
                page,
                clean_line(target) if is_external else f"{_SITE_URL}{clean_line(target).removeprefix(_SITE_URL)}.pdf",
            )
    return (page,)


def _retraction(parts: Mapping[str, Element]) -> str:
    for tag, name in (("retracted", "retracted"), ("removed", "removed"), ("erratum", "corrected")):
        # Whether it is there counts, not what it says: some of these elements have no text.
        if tag in parts:
            reason = "" if tag == "erratum" else _child_text(parts, tag)
            return f"{name}: {reason}" if reason else name
    if "revision" in parts:
        reason = _child_text(parts, "revision")
        return f"corrected: {reason}" if reason else "corrected"
    return ""


def _year(text: str | None) -> int | None:
    year = (text or "").strip()
    return int(year) if year.isdecimal() and len(year) == 4 else None


def _date(year: int | None, month: str | None) -> str:
    if year is None:
        return ""
    number = month_number(month or "")
    return f"{year:04}-{number:02}" if number else f"{year:04}"


def venue_of(key: str) -> str:
    """The slug of the venue that an id of the Anthology tells: all but those of old workshops do; else empty."""
    if match := _NEW_ID_PATTERN.match(key):
        return match.group(1)
    # Their letter says only that they were one.
    return "" if key[:1] == "W" else _VENUE_BY_LETTER.get(key[:1], "")


def is_flat(root: Element) -> bool:
    """Whether a parsed file has the older form."""
    return root.tag == "volume" and bool(root.get("id"))


def as_collection(root: Element) -> Element:
    """The same papers as a `collection` of volumes with a `meta` each."""
    name = root.get("id", "")
    collection = Element("collection", {"id": name})
    # The file has no volumes of its own: they follow from the papers' numbers.
    volumes: dict[str, Element] = {}
    # Workshops, and COLING of 1969, number their volumes with two digits and their papers with two.
    width = 2 if name[:1] == "W" or name == "C69" else 1
    for paper in root.findall("paper"):
        number = paper.get("id", "").zfill(4)
        if number[:width] not in volumes:
            volumes[number[:width]] = _volume(collection, name, number[:width])
        volume = volumes[number[:width]]
        # Every paper tells it, not the front matter alone: some volumes have none.
        _fill_meta(volume[0], paper, front=not number[width:].strip("0"))
        if number[width:].strip("0"):
            paper.set("id", number[width:])
            volume.append(paper)
    return collection


def _volume(collection: Element, name: str, number: str) -> Element:
    kind = "journal" if name[:1] in _JOURNAL_LETTERS else "proceedings"
    volume = SubElement(collection, "volume", {"id": number, "type": kind})
    meta = SubElement(volume, "meta")
    if venue := _VENUE_BY_LETTER.get(name[:1]):
        SubElement(meta, "venue").text = venue
    return volume


def _fill_meta(meta: Element, paper: Element, *, front: bool) -> None:
    """What one paper states of its volume, where no paper before it did; the front matter is the volume's own."""
    for child in paper:
        tag = "booktitle" if front and child.tag == "title" else child.tag
        if (front and tag == "editor") or (tag in _VOLUME_FIELDS and meta.find(tag) is None):
            element = SubElement(meta, tag)
            element.text = child.text
            element.extend(child)
