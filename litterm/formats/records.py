"""Format to parser: one file's bytes to its papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from litterm.formats.bibtex import read_bibtex
from litterm.formats.bioc import read_bioc_json, read_bioc_xml
from litterm.formats.collection import Collection
from litterm.formats.contents import Content
from litterm.formats.jats import read_jats
from litterm.formats.jsonl import read_jsonl
from litterm.formats.latexml import read_html
from litterm.formats.pubmed import read_pubmed
from litterm.formats.xmltree import MAX_TREE_BYTES, parse_tree
from litterm.model.library import Failure, Parsed

VERSION: Final = "2"
"""Raise it when any parser yields more or better from the same bytes: known files are then read again."""

Records = Iterator[Parsed | Failure]


def _anthology(content: Content, collection: Collection) -> Records:
    return collection.anthology.papers(parse_tree(content.read(MAX_TREE_BYTES)), content.origin)


def _jsonl(content: Content, collection: Collection) -> Records:
    return read_jsonl(content, collection.hyphens)


def _alone(read: Callable[[Content], Records]) -> Callable[[Content, Collection], Records]:
    """A parser that needs to know nothing of the other files."""
    return lambda content, collection: read(content)


PARSERS: Final[Mapping[str, Callable[[Content, Collection], Records]]] = {
    "anthology": _anthology,
    "jats": _alone(read_jats),
    "bioc-xml": _alone(read_bioc_xml),
    "bioc-json": _alone(read_bioc_json),
    "pubmed": _alone(read_pubmed),
    "bibtex": _alone(read_bibtex),
    "jsonl": _jsonl,
    "html": _alone(read_html),
}
"""Each raises `BadInput` where the file cannot be read on; what it yielded before stays."""
