"""Figures, tables and listings of a LaTeXML page, as the elements JATS has for them."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from litterm.importers.latexml.inline import RunningText
from litterm.importers.xml.html import append_text, has_class


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
