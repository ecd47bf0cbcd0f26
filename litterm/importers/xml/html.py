"""An HTML page as a tree, in time and memory that grow no faster than the page. Nothing else imports lxml.

The standard library's parser needs time with the square of the size for pages that open tags without end (30 kB, nine
seconds). Nothing is fetched, no script is run, and only attributes that tell structure are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.etree.ElementTree import Element

from litterm.core.errors import BadInput
from litterm.importers.xml.tree import MAX_TREE_BYTES

if TYPE_CHECKING:
    from lxml.etree import _Element

_MAX_DEPTH: Final = 200
"""Elements inside one another; from 256 on lxml leaves out what lies deeper."""
_MAX_ELEMENTS: Final = 1_000_000
_SKIPPED_TAGS: Final = frozenset(("script", "style", "svg", "template", "textarea"))
_KEPT_ATTRIBUTES: Final = frozenset(("id", "class", "href", "rel", "alttext", "rowspan", "colspan", "title", "display"))


def parse_html(data: bytes) -> Element:
    """The page as a tree under an element `page`, names in lower case; text is UTF-8 whatever the page says.

    Raises:
        BadInput: too large, too many elements, or nested too deeply.
    """
    if len(data) > MAX_TREE_BYTES:
        raise BadInput(f"A page of {len(data) // 2**20} MB; one may have up to {MAX_TREE_BYTES // 2**20} MB.")
    # Counted before they take memory; a page has a closing tag for most.
    if data.count(b"<") > 2 * _MAX_ELEMENTS or data.count(b"=") > 2 * _MAX_ELEMENTS:
        raise BadInput(f"A page with more than {_MAX_ELEMENTS:,} elements.")
    # Only web pages need it.
    from lxml import etree

    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    root = Element("page")
    try:
        parsed = etree.fromstring(data.decode("utf-8-sig", "replace").encode(), parser) if data.strip() else None
    except etree.XMLSyntaxError as error:
        if error.code == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error
        raise BadInput(f"Not a page that can be read: {error.msg}.") from error
    if parsed is not None:
        _copy(parsed, root)
    return root


def _copy(top: _Element, root: Element) -> None:
    """`top` and all inside it under `root`, as elements of the standard library."""
    count, waiting = 0, [(top, root, 1)]
    while waiting:
        source, holder, depth = waiting.pop()
        count += 1
        if count > _MAX_ELEMENTS:
            raise BadInput(f"A page with more than {_MAX_ELEMENTS:,} elements.")
        if depth > _MAX_DEPTH:
            raise BadInput("Nested too deeply to be a paper.")
        tag = str(source.tag).lower()
        attributes = {str(name): str(value) for name, value in source.items() if name in _KEPT_ATTRIBUTES}
        copy = Element(tag, attributes)
        copy.tail = source.tail
        holder.append(copy)
        if tag not in _SKIPPED_TAGS:
            copy.text = source.text
            waiting.extend((child, copy, depth + 1) for child in reversed(source))


def has_class(element: Element, *names: str) -> bool:
    """Whether one of `names` is among the classes of `element`."""
    return not frozenset(names).isdisjoint(element.get("class", "").split())


def append_text(element: Element, text: str) -> None:
    """`text` behind everything that is in `element`."""
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text
