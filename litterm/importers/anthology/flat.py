"""The Anthology's form before 2019: `<volume id="P17">` with all papers of a letter and year, in today's form.

Paper 1000 is the front matter of volume 1, and what volumes have in common is in each of their papers.
"""

from __future__ import annotations

import re
from typing import Final
from xml.etree.ElementTree import Element, SubElement

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
