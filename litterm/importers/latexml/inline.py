"""Running text of a LaTeXML page as that of JATS: formulas, citation marks, raised text; notes and floats set apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final
from xml.etree.ElementTree import Element, SubElement

from litterm.importers.xml.html import append_text, has_class
from litterm.text.latex.symbols import FUNCTIONS, SPACE_COMMANDS

_SKIPPED_TAGS: Final = frozenset("script style svg img nav object audio video button input".split())
_SKIPPED_CLASSES: Final = frozenset(
    """ltx_note_mark ltx_tag_note ltx_note_type ltx_contact_name ltx_ERROR ltx_rdf ltx_listing_data ltx_pagination
    ltx_missing ltx_role_footnotemark ltx_tag_listingline""".split()
)
_BIBLIOGRAPHY_LINK: Final = re.compile(r"#(bib\.[^\s#]+)$")
_YEAR: Final = re.compile(r"\(?(?:1[89]|20)\d\d[a-z]?(?:[,;]?\s?[a-z])?\)?")
_EARLIER_MARKS: Final = re.compile(r".*[;\[]", re.DOTALL)
"""What is in a citation before the part a mark belongs to."""
_LEAD: Final = re.compile(r"(?:[\s,(]|see\b|also\b|and\b|cf\.|e\.g\.|i\.e\.|inter alia:?)*", re.IGNORECASE)
"""What leads the names of an author-year mark, and is none of it."""
_MARK_SEPARATOR: Final = re.compile(r"[\s,(]*")
_NAME_END: Final = re.compile(r"\\([A-Za-z]+) (?=[\w\\|(\[])")
_CLOSING_BRACKET: Final = re.compile(r"\s*\)")


@dataclass(slots=True)
class SideNotes:
    """Notes in a paragraph, to be behind it."""

    notes: list[Element] = field(default_factory=list)


def is_silent(element: Element) -> bool:
    """Whether nothing of `element` is part of the paper's text."""
    return element.tag in _SKIPPED_TAGS or has_class(element, *_SKIPPED_CLASSES)


class RunningText:
    """Appends what is in a page to the JATS element `into`; without `side_notes` notes are left out."""

    def __init__(self, into: Element, side_notes: SideNotes | None = None) -> None:
        self._into = into
        self._side_notes = side_notes
        self.floats: list[Element] = []
        """Lists, figures and tables met in the text, in order; each has a `float` element where it is."""

    def content(self, source: Element) -> None:
        """Everything inside `source`."""
        append_text(self._into, source.text or "")
        for child in source:
            self.element(child)
            append_text(self._into, child.tail or "")

    def element(self, source: Element) -> None:
        """`source` itself, without its tail."""
        if is_silent(source) or self._formula(source) or self._add_citation(source) or self._set_apart(source):
            return
        if source.tag in ("sup", "sub"):
            RunningText(SubElement(self._into, source.tag)).content(source)
        elif source.tag == "br":
            append_text(self._into, " ")
        else:
            self.content(source)
            if has_class(source, "ltx_p"):
                append_text(self._into, " ")

    def _formula(self, source: Element) -> bool:
        if source.tag == "math":
            formula(self._into, source)
        elif is_equation(source):
            equations(self._into, source)
        else:
            return False
        return True

    def _add_citation(self, source: Element) -> bool:
        if source.tag == "cite" or has_class(source, "ltx_cite"):
            self._citation(source)
        elif source.tag == "a" and (key := _target(source)):
            _mark(self._into, key, "".join(source.itertext()))
        else:
            return False
        return True

    def _set_apart(self, source: Element) -> bool:
        if has_class(source, "ltx_note"):
            if self._side_notes is not None:
                self._side_notes.notes.append(source)
        elif is_apart(source):
            self.floats.append(source)
            SubElement(self._into, "float")
        else:
            return False
        return True

    def _citation(self, source: Element) -> None:
        """A citation with one mark or several; the names before a year that is linked belong to its mark."""
        pieces = _merge_marks(_pieces(source))
        for place, (key, text) in enumerate(pieces):
            if not key:
                continue
            if place and _YEAR.fullmatch(text.strip()):
                # Author-year styles link the year alone, and a year names no paper.
                text = _inherited_names(pieces, place) + text
            pieces[place] = (key, text)
        for key, text in _join_pieces(pieces):
            if key:
                _mark(self._into, key, text)
            else:
                append_text(self._into, text)


def is_equation(element: Element) -> bool:
    """Whether `element` is a displayed formula, or several."""
    return has_class(element, "ltx_equation", "ltx_equationgroup", "ltx_eqn_table")


def is_apart(element: Element) -> bool:
    """Whether `element` is no running text: a list, a figure, a table, a listing."""
    return element.tag in ("figure", "ul", "ol", "dl", "pre") or has_class(
        element, "ltx_tabular", "ltx_itemize", "ltx_enumerate", "ltx_description", "ltx_listing"
    )


def formula(into: Element, math: Element) -> None:
    """A formula as TeX and as MathML; whoever reads it takes the one that reads better."""
    holder = SubElement(into, "inline-formula")
    if tex := math.get("alttext", "").replace("%\n", "").strip():
        # LaTeXML writes no blanks but those that end a command's name, and these are not printed.
        SubElement(holder, "tex-math").text = _NAME_END.sub(_end_command, tex)
    if len(math):
        holder.append(math)
    elif not tex:
        holder.text = math.text


def _end_command(match: re.Match[str]) -> str:
    """A command's name, ended without a blank unless what it prints is a word."""
    name = match.group(1)
    return match.group() if name in FUNCTIONS or name in SPACE_COMMANDS else f"\\{name}{{}}"


def equations(into: Element, source: Element) -> None:
    """Displayed formulas, a number behind each row that has one."""
    rows = [row for row in source.iter("tr") if has_class(row, "ltx_eqn_row")] or [source]
    for row in rows:
        append_text(into, " ")
        for math in row.iter("math"):
            formula(into, math)
        number = next((element for element in row.iter() if has_class(element, "ltx_tag_equation")), None)
        if number is not None:
            append_text(into, " " + "".join(number.itertext()).strip())
        append_text(into, " ")


def _target(link: Element) -> str:
    """The id of the entry that `link` leads to; empty if it leads elsewhere."""
    match = _BIBLIOGRAPHY_LINK.search(link.get("href", ""))
    return match.group(1) if match else ""


def _mark(into: Element, key: str, text: str) -> None:
    SubElement(into, "xref", {"ref-type": "bibr", "rid": key}).text = text


def _pieces(source: Element) -> Iterator[tuple[str, str]]:
    """Links and the text between them, in order: id (empty for text) and text."""
    yield "", source.text or ""
    for child in source:
        if child.tag == "a" and (key := _target(child)):
            yield key, "".join(child.itertext())
        elif not is_silent(child) and not has_class(child, "ltx_note"):
            yield from _pieces(child)
        yield "", child.tail or ""


def _merge_marks(pieces: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Neighbouring texts as one: names may be set in several spans."""
    merged: list[tuple[str, str]] = []
    for key, text in pieces:
        if not key and merged and not merged[-1][0]:
            merged[-1] = ("", merged[-1][1] + text)
        else:
            merged.append((key, text))
    return merged


def _inherited_names(pieces: list[tuple[str, str]], place: int) -> str:
    """The names in front of a linked year, taken from the text before it."""
    key, before = pieces[place - 1]
    if key:
        return ""
    start = match.end() if (match := _EARLIER_MARKS.match(before)) else 0
    start = match.end() if (match := _LEAD.match(before, start)) else start
    if not any(character.isalpha() for character in before[start:]):
        return ""
    pieces[place - 1] = ("", before[:start])
    return before[start:]


def _join_pieces(pieces: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """`pieces` with two links to one entry as one mark (`Smith et al.` and `2014`), and its bracket closed."""
    result: list[tuple[str, str]] = []
    for key, text in pieces:
        between = [key for key, _ in result[-1:] if not key]
        if key and between and len(result) > 1 and result[-2][0] == key and _MARK_SEPARATOR.fullmatch(result[-1][1]):
            (_, gap), (_, first) = result.pop(), result.pop()
            result.append((key, first + gap + text))
        elif not key and result and not result[-1][0]:
            result[-1] = ("", result[-1][1] + text)
        elif not key and result and result[-1][1].count("(") > result[-1][1].count(")"):
            closed = match.end() if (match := _CLOSING_BRACKET.match(text)) else 0
            result[-1] = (result[-1][0], result[-1][1] + text[:closed])
            result.append(("", text[closed:]))
        else:
            result.append((key, text))
    yield from result
