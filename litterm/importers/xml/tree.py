"""XML as trees: entities never expanded from the document's own declarations, nothing fetched, sizes bounded."""

from __future__ import annotations

import html.entities
import re
from collections.abc import Iterator
from typing import BinaryIO, Final
from xml.etree.ElementTree import XML, Element, ParseError, XMLParser, XMLPullParser
from xml.parsers import expat

from litterm.core.errors import BadInput
from litterm.core.gc_control import collector_paused

MAX_TREE_BYTES: Final = 32 * 2**20
"""Largest document read as one tree (the largest article of the data at hand has 1 MB, the largest collection 3)."""
_CHUNK_BYTES: Final = 2**18
_PROLOG_CHUNK_BYTES: Final = 2**12
_MAX_PROLOG_BYTES: Final = 2**20
_MAX_DEFAULT_CHARS: Final = 256
"""Characters of all default values of attributes together: every element would get its own copy."""
_MAX_TAGS: Final = 1_000_000
"""Tags in one tree: an element takes a hundred times the memory of its four characters."""
_MAX_ATTRIBUTES: Final = 2_000_000
_MAX_ENTITY_CHARS: Final = 64
"""An entity longer than this is no character but text to be multiplied."""
_HARMLESS_VALUE: Final = re.compile(r"(?:[^&%<]|&(?:amp|lt|gt|quot|apos|#\d+|#x[0-9A-Fa-f]+);)*")
_NAMED_ENTITIES: Final = {name.rstrip(";"): text for name, text in html.entities.html5.items()}
"""What a DTD we do not load would define; HTML took the names from the ISO sets JATS uses."""


class _PrologEnded(Exception):
    """Raised when the root element starts, after which nothing can be declared."""


class RootElement:
    """Name and attributes of a document's first element, and the first element inside it."""

    def __init__(self) -> None:
        self.tag = ""
        self.attributes: dict[str, str] = {}
        self.child = ""
        self.doctype = ""


def read_root(head: bytes) -> RootElement | None:
    """The root of a document by its first bytes; `None` if they are not well-formed XML so far."""
    root = RootElement()
    parser = _prolog_parser(root)
    try:
        parser.Parse(head, False)
    except _PrologEnded:
        return root
    except (expat.ExpatError, LookupError, ValueError):
        return root if root.tag else None
    return root if root.tag else None


def parse_tree(data: bytes) -> Element:
    """The document as a tree, names without namespaces.

    Raises:
        BadInput: not well-formed, too large, or with dangerous declarations.
    """
    if len(data) > MAX_TREE_BYTES:
        raise BadInput(f"XML of {len(data) // 2**20} MB; one document may have up to {MAX_TREE_BYTES // 2**20} MB.")
    data = data.lstrip()
    check_prolog(data)
    _check_pieces(data.count(b"<"), data.count(b"="))
    try:
        # A growing tree sets off the collector hundreds of times: a tenth of all time.
        with collector_paused():
            root = XML(data, parser=_tree_parser())
    except (ParseError, LookupError, ValueError) as error:
        raise BadInput(f"Not well-formed XML: {_cause(error)}.") from error
    # Half a second over the Anthology, whose files have no namespaces.
    if b"xmlns" in data or b" xml:" in data:
        strip_namespaces(root)
    return root


def stream_elements(stream: BinaryIO, tags: frozenset[str]) -> Iterator[Element]:
    """Outermost elements named in `tags` as they end, each freed when the next is asked for; for sets of articles.

    Raises:
        BadInput: not well-formed from here on, or with dangerous declarations; what came before was sound.
    """
    # Blank lines before the declaration are an error that many programs make and none needs to suffer from.
    chunk = stream.read(_MAX_PROLOG_BYTES).lstrip()
    check_prolog(chunk)
    parser = XMLPullParser(("start", "end"), _parser=_tree_parser())
    walk = _SetWalk(tags)
    unfinished_bytes = opened = assigned = 0
    try:
        while chunk:
            opened += chunk.count(b"<")
            assigned += chunk.count(b"=")
            _check_pieces(opened, assigned)
            parser.feed(chunk)
            unfinished_bytes += len(chunk)
            for element in walk.ended(parser):
                unfinished_bytes = opened = assigned = 0
                yield element
            if unfinished_bytes > MAX_TREE_BYTES:
                raise BadInput(f"XML with one article of more than {MAX_TREE_BYTES // 2**20} MB.")
            chunk = stream.read(_CHUNK_BYTES)
        parser.close()
    except (ParseError, LookupError, ValueError) as error:
        # The events before the fault are still queued.
        yield from walk.ended(parser)
        raise BadInput(f"Not well-formed XML: {_cause(error)}.") from error


class _SetWalk:
    """Where we are in a set of articles, and what of it can be freed."""

    def __init__(self, tags: frozenset[str]) -> None:
        self._tags = tags
        self._path: list[Element] = []
        self._open_articles = 0

    def ended(self, parser: XMLPullParser[Element]) -> Iterator[Element]:
        """Whole articles among the events that wait in `parser`."""
        for item in parser.read_events():
            event, element = item[0], item[-1]
            if not isinstance(element, Element):
                continue
            is_article = local_name(element.tag) in self._tags
            if event == "start":
                self._path.append(element)
                self._open_articles += is_article
                continue
            self._path.pop()
            self._open_articles -= is_article
            if self._open_articles:
                continue
            if is_article:
                strip_namespaces(element)
                yield element
            # Taken out of its parent: otherwise the root would hold every article of the set to the end.
            if self._path:
                self._path[-1].remove(element)


def check_prolog(data: bytes) -> None:
    """Refuse what entity bombs and file disclosure are made of, before any tree is built.

    Raises:
        BadInput: an entity that holds other entities or long text, or is read from elsewhere; attributes with long
            default values; a prolog without end.
    """
    parser = _prolog_parser(RootElement(), only_prolog=True)
    parser.EntityDeclHandler = _check_entity
    parser.AttlistDeclHandler = _Defaults().check
    try:
        for start in range(0, min(len(data), _MAX_PROLOG_BYTES), _PROLOG_CHUNK_BYTES):
            parser.Parse(data[start : start + _PROLOG_CHUNK_BYTES], False)
    except _PrologEnded:
        return
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise BadInput(f"Not well-formed XML: {_cause(error)}.") from error
    if len(data) > _MAX_PROLOG_BYTES:
        raise BadInput("XML without a root element in its first megabyte.")


def strip_namespaces(root: Element) -> None:
    """Names without their `{namespace}`, in the whole tree; prefixed attributes too."""
    for element in root.iter():
        if element.tag[:1] == "{":
            element.tag = local_name(element.tag)
        if any(name[:1] == "{" for name in element.keys()):  # noqa: SIM118  (Element is no mapping)
            # A name without prefix wins over `hwp:id` and the like.
            attributes = {local_name(name): value for name, value in element.items() if name[:1] == "{"}
            attributes.update((name, value) for name, value in element.items() if name[:1] != "{")
            element.attrib.clear()
            element.attrib.update(attributes)


def local_name(tag: str) -> str:
    """`tag` without its `{namespace}`."""
    return tag.rpartition("}")[2]


def _tree_parser() -> XMLParser:
    parser = XMLParser()
    # Asked only for names that the document does not declare itself.
    parser.entity.update(_NAMED_ENTITIES)
    return parser


def _prolog_parser(root: RootElement, *, only_prolog: bool = False) -> expat.XMLParserType:
    parser = expat.ParserCreate(namespace_separator="}")
    # A DTD may lie on another machine: it is never loaded.
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.UseForeignDTD(False)

    def on_start(tag: str, attributes: dict[str, str]) -> None:
        if only_prolog or root.tag:
            root.child = local_name(tag)
            raise _PrologEnded
        root.tag, root.attributes = local_name(tag), attributes

    def doctype(name: str, system: str | None, public: str | None, internal: bool) -> None:
        root.doctype = f"{name} {public or ''} {system or ''}".strip()

    parser.StartElementHandler = on_start
    parser.StartDoctypeDeclHandler = doctype
    return parser


def _check_entity(
    name: str,
    is_parameter: bool,
    value: str | None,
    base: str | None,
    system: str | None,
    public: str | None,
    *notation: str | None,
) -> None:
    if value is None:
        # Pictures (NDATA) are names only; a parameter entity from elsewhere is part of a DTD we never load.
        if not is_parameter and not any(notation):
            raise BadInput(f"Declares the entity “{name}” as content from elsewhere; litterm does not fetch it.")
        return
    if is_parameter or len(value) > _MAX_ENTITY_CHARS or not _HARMLESS_VALUE.fullmatch(value):
        raise BadInput(f"Declares the entity “{name}”, which could grow without limit; litterm does not expand it.")


class _Defaults:
    """The default values that a document declares for attributes."""

    def __init__(self) -> None:
        self._characters = 0

    def check(self, element: str, name: str, kind: str, value: str | None, required: bool) -> None:
        """Refuses those that would grow a document without limit."""
        self._characters += 0 if value is None else len(name) + len(value)
        if self._characters > _MAX_DEFAULT_CHARS:
            raise BadInput(f"Declares default values like that of “{name}”, which could grow without limit.")


def _check_pieces(tags: int, attributes: int) -> None:
    if tags > _MAX_TAGS or attributes > _MAX_ATTRIBUTES:
        raise BadInput(f"XML with more than {_MAX_TAGS:,} tags in one article.")


def _cause(error: Exception) -> str:
    cause = str(error).strip().rstrip(".")
    return cause.replace("no element found", "it ends too early") or type(error).__name__
