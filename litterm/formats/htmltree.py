"""The one door to HTML: a page as a tree, in time and memory that grow no faster than the page.

The standard library's parser needs time with the square of the size for pages that open tags without end (30 kB, ten
seconds), and HTML is no XML. Nothing is fetched, no script is run, and only attributes that tell structure are kept.
"""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from typing import Final
from xml.etree.ElementTree import Element

from litterm.errors import BadInput
from litterm.formats.xmltree import MAX_TREE_BYTES

_DEEPEST: Final = 256
_MOST_ELEMENTS: Final = 1_000_000
_VOID: Final = frozenset(
    "area base br col embed hr img input link meta param source track wbr mspace mprescripts".split()
)
_RAW: Final = {tag: re.compile(f"</{tag}", re.IGNORECASE) for tag in ("script", "style", "svg", "template", "textarea")}
"""Elements of which nothing is read: passed over up to where their end tag begins."""
_KEPT: Final = frozenset(("id", "class", "href", "rel", "alttext", "rowspan", "colspan", "title", "display"))
_NAME: Final = re.compile(r"[A-Za-z][^\s/>]{0,60}")
_ATTRIBUTE: Final = re.compile(r"""[\s/]*([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?""")
_NEXT: Final = re.compile(r"[^\s/]")


def parse_html(data: bytes) -> Element:
    """The page as a tree under an element `page`, names in lower case; text is UTF-8 whatever the page says.

    Raises:
        BadInput: too large, too many elements, or nested too deeply.
    """
    if len(data) > MAX_TREE_BYTES:
        raise BadInput(f"A page of {len(data) // 2**20} MB; one may have up to {MAX_TREE_BYTES // 2**20} MB.")
    return _Tree(data.decode("utf-8-sig", "replace")).built()


def has_class(element: Element, *names: str) -> bool:
    """Whether one of `names` is among the classes of `element`."""
    return not frozenset(names).isdisjoint(element.get("class", "").split())


class _Tree:
    """Reads a page from its start to its end, once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._root = Element("page")
        self._path = [self._root]
        self._open: Counter[str] = Counter()
        self._elements = 0
        self._waiting: list[str] = []
        """Text since the last tag."""

    def built(self) -> Element:
        """The tree."""
        at, end = 0, len(self._text)
        while at < end:
            there = self._text.find("<", at)
            self._waiting.append(self._text[at : there if there >= 0 else end])
            at = self._markup(there) if there >= 0 else end
        self._write()
        return self._root

    def _markup(self, at: int) -> int:
        """Reads what begins with the `<` at `at`; where to go on. What never ends is passed over to the end."""
        following = self._text[at + 1 : at + 2]
        if self._text.startswith("<!--", at):
            return self._behind("-->", at + 4)
        if following in ("!", "?"):
            return self._behind(">", at + 2)
        if following == "/":
            if name := _NAME.match(self._text, at + 2):
                self._end(name.group().lower())
            return self._behind(">", at + 2)
        name = _NAME.match(self._text, at + 1)
        if name is None:
            self._waiting.append("<")
            return at + 1
        return self._start(name.group().lower(), name.end())

    def _behind(self, mark: str, at: int) -> int:
        there = self._text.find(mark, at)
        return there + len(mark) if there >= 0 else len(self._text)

    def _start(self, tag: str, at: int) -> int:
        attributes: dict[str, str] = {}
        while True:
            match = _ATTRIBUTE.match(self._text, at)
            if match is None:
                break
            at = match.end()
            name = match.group(1).lower()
            if name in _KEPT:
                value = match.group(2) or match.group(3) or match.group(4) or ""
                attributes.setdefault(name, unescape(value))
        found = _NEXT.search(self._text, at)
        closed = found is not None and self._text[found.start() - 1] == "/"
        at = self._behind(">", at)
        self._opened(tag, attributes, alone=closed or tag in _VOID)
        return self._passed_over(tag, at) if tag in _RAW and not closed else at

    def _opened(self, tag: str, attributes: dict[str, str], *, alone: bool) -> None:
        self._write()
        self._elements += 1
        if self._elements > _MOST_ELEMENTS:
            raise BadInput(f"A page with more than {_MOST_ELEMENTS:,} elements.")
        element = Element(tag, attributes)
        self._path[-1].append(element)
        if alone:
            return
        if len(self._path) >= _DEEPEST:
            raise BadInput("Nested too deeply to be a paper.")
        self._path.append(element)
        self._open[tag] += 1

    def _passed_over(self, tag: str, at: int) -> int:
        end = _RAW[tag].search(self._text, at)
        return end.start() if end is not None else len(self._text)

    def _end(self, tag: str) -> None:
        """Closes the innermost open `tag` and what was left open inside it; an end without a start is nothing."""
        if not self._open[tag]:
            return
        self._write()
        while self._path[-1].tag != tag:
            self._open[self._path.pop().tag] -= 1
        self._open[self._path.pop().tag] -= 1

    def _write(self) -> None:
        text = "".join(self._waiting)
        self._waiting.clear()
        if text:
            append_text(self._path[-1], unescape(text))


def append_text(element: Element, text: str) -> None:
    """`text` behind everything that is in `element`."""
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text
