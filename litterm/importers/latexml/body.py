"""The text of a LaTeXML page as the elements that JATS has for it.

Sections, paragraphs, lists, floats and notes; in running text formulas, citation marks and raised text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final
from xml.etree.ElementTree import Element, SubElement

from litterm.importers.xml.html import append_text, has_class
from litterm.text.latex.symbols import FUNCTIONS, SPACE_COMMANDS

_SECTION_CLASSES: Final = (
    "ltx_part ltx_chapter ltx_section ltx_subsection ltx_subsubsection ltx_paragraph ltx_subparagraph ltx_appendix"
).split()
_SKIPPED_BLOCK_CLASSES: Final = frozenset(
    """ltx_bibliography ltx_title ltx_subtitle ltx_authors ltx_dates ltx_abstract ltx_keywords ltx_classification
    ltx_TOC ltx_index ltx_glossary ltx_page_footer ltx_page_navbar ltx_page_header ltx_tag_item infobox""".split()
)
_RUN_IN_CLASSES: Final = ("ltx_title_paragraph", "ltx_title_subparagraph", "ltx_title_acknowledgements")
"""Headings that are in the line of their text and end like a sentence."""
_PARAGRAPH_CLASSES: Final = ("ltx_para", "ltx_p")
_STATEMENT_CLASSES: Final = ("ltx_theorem", "ltx_proof")
_END_MARK: Final = re.compile(r"(?:(?<!\s)\s+)?+[∎□■]\s*$")
_BULLET: Final = re.compile(r"\W{0,3}")
_SKIPPED_TAGS: Final = frozenset("script style svg img nav object audio video button input".split())
_SILENT_CLASSES: Final = frozenset(
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


def figure(source: Element, into: Element) -> None:
    """A figure or a table: caption, cells, and the figures inside it; algorithms keep their lines."""
    panels = _outermost([element for element in source.iter("figure") if element is not source])
    panel_elements = {id(element) for panel in panels for element in panel.iter()}
    figure_elements = [element for element in source.iter() if id(element) not in panel_elements]
    tables = _outermost([element for element in figure_elements if has_class(element, "ltx_tabular")])
    is_table = has_class(source, "ltx_table") and bool(tables)
    target = SubElement(into, "table-wrap" if is_table else "fig")
    # Where several share a frame LaTeXML repeats some.
    captions = {line(element): element for element in figure_elements if element.tag == "figcaption"}
    for index, caption in enumerate(captions.values()):
        _caption(caption, target if not index else SubElement(into if is_table else target, "fig"))
    for panel in panels:
        figure(panel, into if is_table else target)
    for element in tables:
        table(element, target if is_table else SubElement(into, "table-wrap"))
    for element in _outermost([element for element in figure_elements if has_class(element, "ltx_listing")]):
        listing(element, into)


def _caption(source: Element, into: Element) -> None:
    label = first_of(source, "ltx_tag")
    if label is not None:
        SubElement(into, "label").text = line(label).rstrip(" .:")
    text_without_label(source, SubElement(SubElement(into, "caption"), "p"))


def _outermost(elements: list[Element]) -> list[Element]:
    """Those that are in no other one of them: a table in a cell is read with its cell."""
    nested = {id(inner) for element in elements for inner in element.iter() if inner is not element}
    return [element for element in elements if id(element) not in nested]


def table(source: Element, into: Element) -> None:
    """Rows and cells, whatever elements LaTeXML made them of."""
    rows = SubElement(into, "table")
    # No recursion: rows may lie in any number of wrappers.
    waiting = list(source)[::-1]
    while waiting:
        element = waiting.pop()
        if element.tag == "tr" or has_class(element, "ltx_tr"):
            row = SubElement(rows, "tr")
            for cell in element:
                if cell.tag in ("td", "th") or has_class(cell, "ltx_td", "ltx_th"):
                    _cell(cell, row)
        else:
            waiting.extend(list(element)[::-1])


def _cell(source: Element, row: Element) -> None:
    spans = {name: value for name in ("colspan", "rowspan") if (value := source.get(name))}
    cell = SubElement(row, "td", spans)
    running = RunningText(cell)
    running.content(source)
    waiting = iter(running.floats)
    for place, child in enumerate(list(cell)):
        if child.tag == "float":
            text = Element("span")
            text.text, text.tail = line(next(waiting)), child.tail
            cell[place] = text


def listing(source: Element, into: Element) -> None:
    """The lines of a program or an algorithm, as one paragraph."""
    lines = [element for element in source.iter() if has_class(element, "ltx_listingline")] or [source]
    paragraph = SubElement(into, "p")
    for element in lines:
        RunningText(paragraph).content(element)
        append_text(paragraph, " ")


def text_without_label(source: Element, into: Element) -> None:
    """What a heading or a caption says behind its number."""
    running = RunningText(into)
    append_text(into, source.text or "")
    for child in source:
        if not has_class(child, "ltx_tag"):
            running.element(child)
        append_text(into, child.tail or "")


def line(element: Element) -> str:
    """Everything in `element` on one line."""
    return " ".join("".join(element.itertext()).split())


def first_of(holder: Element, name: str) -> Element | None:
    """The first element of the class `name` in `holder`."""
    return next((element for element in holder.iter() if has_class(element, name)), None)


def article_blocks(article: Element) -> Element:
    """The JATS article of the page's `article`: title, abstract, body, appendices and thanks; no references."""
    result = Element("article")
    meta = SubElement(SubElement(result, "front"), "article-meta")
    title = SubElement(SubElement(meta, "title-group"), "article-title")
    heading = first_of(article, "ltx_title_document")
    if heading is not None:
        RunningText(title).content(heading)
    body, back = SubElement(result, "body"), SubElement(result, "back")
    for abstract in (element for element in article.iter() if has_class(element, "ltx_abstract")):
        _blocks(abstract, SubElement(meta, "abstract"))
    for child in article:
        if has_class(child, "ltx_appendix"):
            _section(child, back, "app")
        elif has_class(child, "ltx_acknowledgements"):
            _section(child, back, "ack")
        else:
            _block(child, body)
    return result


def _blocks(holder: Iterable[Element], into: Element) -> None:
    for child in holder:
        _block(child, into)


def _block(source: Element, into: Element) -> None:
    if is_silent(source) or has_class(source, *_SKIPPED_BLOCK_CLASSES):
        return
    if has_class(source, *_SECTION_CLASSES, "ltx_acknowledgements"):
        _section(source, into, "sec")
    elif has_class(source, *_STATEMENT_CLASSES):
        _statement(source, into)
    elif source.tag == "p" or has_class(source, *_PARAGRAPH_CLASSES):
        _paragraph(source, into)
    elif is_equation(source) or source.tag == "math" or has_class(source, "ltx_note"):
        holder = Element("div")
        holder.append(source)
        _paragraph(holder, into)
    elif is_apart(source):
        _set_apart(source, into)
    else:
        _item(source, into)


def _section(source: Element, into: Element, tag: str) -> None:
    section = SubElement(into, tag)
    heading = next((child for child in source if has_class(child, "ltx_title")), None)
    if heading is not None:
        _heading(heading, section)
    _item(source, section)


def _has_text(source: Element) -> bool:
    """Whether text is in `source` that no element inside it holds."""
    return bool((source.text or "").strip()) or any((child.tail or "").strip() for child in source)


def _heading(heading: Element, section: Element) -> None:
    label = first_of(heading, "ltx_tag")
    if label is not None:
        SubElement(section, "label").text = line(label).rstrip(" .:")
    title = SubElement(section, "title")
    text_without_label(heading, title)
    if has_class(heading, *_RUN_IN_CLASSES) and not len(title):
        title.text = (title.text or "").rstrip(" .:\n")


def _statement(source: Element, into: Element) -> None:
    """A theorem, a proof and the like: its name leads its first paragraph."""
    holder = Element("holder")
    _blocks(source, holder)
    heading = next((child for child in source if has_class(child, "ltx_title")), None)
    first = next((child for child in holder if child.tag == "p"), None)
    if heading is not None and first is not None:
        name = line(heading)
        first.text = f"{name if name.endswith(('.', ':')) else name + '.'} {first.text or ''}"
    if len(holder):
        _without_end_mark(holder[-1])
    into.extend(holder)


def _without_end_mark(paragraph: Element) -> None:
    """Takes away the box that ends a proof."""
    if len(paragraph):
        paragraph[-1].tail = _END_MARK.sub("", paragraph[-1].tail or "")
    else:
        paragraph.text = _END_MARK.sub("", paragraph.text or "")


def _paragraph(source: Element, into: Element) -> None:
    """One paragraph, which displayed formulas do not end; notes follow it as paragraphs of their own."""
    paragraph = SubElement(into, "p")
    side_notes = SideNotes()
    running = RunningText(paragraph, side_notes)
    if source.tag == "p":
        running.content(source)
    else:
        append_text(paragraph, source.text or "")
        for child in source:
            if child.tag == "p" or has_class(child, "ltx_p"):
                running.content(child)
                append_text(paragraph, " ")
            elif not has_class(child, "ltx_title", "ltx_tag_item"):
                running.element(child)
            append_text(paragraph, child.tail or "")
    _put_floats(paragraph, running.floats)
    for note in side_notes.notes:
        _note(note, into)


def _put_floats(paragraph: Element, sources: list[Element]) -> None:
    """Puts floats (figures, tables) where the paragraph has a placeholder for them."""
    waiting = iter(sources)
    for index, child in enumerate(list(paragraph)):
        if child.tag != "float":
            continue
        holder = Element("holder")
        _set_apart(next(waiting), holder)
        element = holder[0] if len(holder) == 1 else holder
        if element is holder:
            element.tag = "boxed-text"
        element.tail = child.tail
        paragraph[index] = element


def _note(note: Element, into: Element) -> None:
    content = first_of(note, "ltx_note_content")
    holder = Element("div")
    inner = Element("p")
    source = content if content is not None else note
    inner.text, inner[:] = source.text, list(source)
    holder.append(inner)
    if line(inner):
        _paragraph(inner, into)


def _set_apart(source: Element, into: Element) -> None:
    if source.tag == "figure":
        figure(source, into)
    elif has_class(source, "ltx_tabular"):
        table(source, SubElement(into, "table-wrap"))
    elif source.tag == "pre" or has_class(source, "ltx_listing"):
        listing(source, into)
    elif source.tag == "dl" or has_class(source, "ltx_description"):
        _description(source, into)
    else:
        _list(source, into)


def _list(source: Element, into: Element) -> None:
    items = SubElement(into, "list")
    for child in source:
        if child.tag == "li" or has_class(child, "ltx_item"):
            item = SubElement(items, "list-item")
            _item_label(child, item)
            _item(child, item)


def _item_label(source: Element, item: Element) -> None:
    label = next((child for child in source if has_class(child, "ltx_tag_item")), None)
    if label is not None and not _BULLET.fullmatch(text := line(label)):
        SubElement(item, "label").text = text


def _item(source: Element, into: Element) -> None:
    """What is in `source`, as one paragraph or as the paragraphs it consists of."""
    if _has_text(source):
        _paragraph(source, into)
    else:
        _blocks(source, into)


def _description(source: Element, into: Element) -> None:
    items = SubElement(into, "list")
    term = ""
    for child in source:
        if child.tag == "dt":
            term = line(child)
        elif child.tag == "dd":
            item = SubElement(items, "list-item")
            if term:
                SubElement(item, "label").text = term if term.endswith((":", ".")) else f"{term}:"
            _item(child, item)


@dataclass(slots=True)
class SideNotes:
    """Notes in a paragraph, to be behind it."""

    notes: list[Element] = field(default_factory=list)


def is_silent(element: Element) -> bool:
    """Whether nothing of `element` is part of the paper's text."""
    return element.tag in _SKIPPED_TAGS or has_class(element, *_SILENT_CLASSES)


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
