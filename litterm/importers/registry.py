"""The parser of each format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from litterm.core.errors import BadInput
from litterm.model.library import Failure, Parsed

if TYPE_CHECKING:
    from litterm.importers.byte_sources import Content
    from litterm.importers.deferred import DeferredRecords
    from litterm.importers.import_context import ImportContext

PARSER_VERSION: Final = "6"
"""Raise it when any parser yields more or better from the same bytes: known files are then read again."""

ParsedRecords = Iterator[Parsed | Failure]
PARSER_FAULTS: Final = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What a parser with a fault may raise: it costs its file, not the import; the parsers' own tests let it through."""
PARSER_FAULT_MESSAGE: Final = "litterm failed on this file because of a bug; the log says where."
TOO_DEEP_MESSAGE: Final = "Nested too deeply to be a paper."
_MAX_REPEATS: Final = 2_000
"""Of one record in a row: no program writes it as often, and each takes as long as a new one."""
# A parser is imported with the first file of its format: all of them together take longer than adding one record.


def _anthology(content: Content, collection: ImportContext) -> ParsedRecords:
    from litterm.importers.xml.tree import MAX_TREE_BYTES, parse_tree

    return collection.anthology.papers(parse_tree(content.read(MAX_TREE_BYTES)), content.origin)


def _jats(content: Content, _collection: ImportContext) -> ParsedRecords:
    from litterm.importers.jats.article import read_jats

    return read_jats(content)


def _bioc_xml(content: Content, _collection: ImportContext) -> ParsedRecords:
    from litterm.importers.bioc import read_bioc_xml

    return read_bioc_xml(content)


def _bioc_json(content: Content, _collection: ImportContext) -> ParsedRecords:
    from litterm.importers.bioc import read_bioc_json

    return read_bioc_json(content)


def _pubmed(content: Content, _collection: ImportContext) -> ParsedRecords:
    from litterm.importers.pubmed import read_pubmed

    return read_pubmed(content)


def _bibtex(content: Content, _collection: ImportContext) -> ParsedRecords:
    from litterm.importers.bibtex.reader import read_bibtex

    return read_bibtex(content)


def _ris(content: Content, _collection: ImportContext) -> ParsedRecords:
    from litterm.importers.ris import read_ris

    return read_ris(content)


def _nbib(content: Content, _collection: ImportContext) -> ParsedRecords:
    from litterm.importers.medline import read_nbib

    return read_nbib(content)


def _csl(content: Content, _collection: ImportContext) -> ParsedRecords:
    from litterm.importers.csl import read_csl

    return read_csl(content)


def _csv(content: Content, _collection: ImportContext) -> ParsedRecords:
    from litterm.importers.tables import read_table

    return read_table(content)


def _endnote(content: Content, _collection: ImportContext) -> ParsedRecords:
    from litterm.importers.endnote import read_endnote_xml

    return read_endnote_xml(content)


def _refer(content: Content, _collection: ImportContext) -> ParsedRecords:
    from litterm.importers.endnote import read_refer

    return read_refer(content)


def _wos(content: Content, _collection: ImportContext) -> ParsedRecords:
    from litterm.importers.web_of_science import read_web_of_science

    return read_web_of_science(content)


def _jsonl(content: Content, collection: ImportContext) -> ParsedRecords:
    from litterm.importers.jsonl.reader import read_jsonl

    return read_jsonl(content, collection.hyphens)


def _html(content: Content, _collection: ImportContext) -> ParsedRecords:
    from litterm.importers.latexml.article import read_html

    return read_html(content)


def _zotero(content: Content, _collection: ImportContext) -> ParsedRecords:
    from litterm.importers.zotero.reader import read_zotero

    return read_zotero(content)


def _papis(content: Content, _collection: ImportContext) -> ParsedRecords:
    from litterm.importers.papis import read_papis

    return read_papis(content)


PARSERS: Final[Mapping[str, Callable[[Content, ImportContext], ParsedRecords]]] = {
    "anthology": _anthology,
    "jats": _jats,
    "bioc-xml": _bioc_xml,
    "bioc-json": _bioc_json,
    "pubmed": _pubmed,
    "bibtex": _bibtex,
    "ris": _ris,
    "nbib": _nbib,
    "csl": _csl,
    "csv": _csv,
    "endnote": _endnote,
    "refer": _refer,
    "wos": _wos,
    "jsonl": _jsonl,
    "html": _html,
    "zotero": _zotero,
    "papis": _papis,
}
"""Each raises `BadInput` where the file cannot be read on; what it yielded before stays."""


def parse(kind: str, content: Content, collection: ImportContext) -> ParsedRecords:
    """The papers of `content`, which is of format `kind`; one that is just as the one before it is left out.

    Raises:
        BadInput: it cannot be read on, or says the same again and again.
    """
    last: Parsed | None = None
    repeats = 0
    for record in PARSERS[kind](content, collection):
        if not isinstance(record, Parsed) or record != last:
            last, repeats = record if isinstance(record, Parsed) else None, 0
            yield record
            continue
        repeats += 1
        if repeats > _MAX_REPEATS:
            raise BadInput(f"Says the same record {_MAX_REPEATS:,} times in a row; the rest was not read.")


@dataclass(frozen=True, slots=True)
class BytesRead:
    """How far a file was read, in bytes of it as it is stored; said often while it is parsed elsewhere."""

    offset: int


class RecordParser(Protocol):
    """Parses one file after the other.

    `InProcessParser` does it in this process, `ChildParser` in child processes, `ClusterParser` on nodes of a cluster.
    """

    def records(
        self, content: Content, kind: str, collection: ImportContext
    ) -> Iterator[Parsed | Failure | BytesRead | DeferredRecords]:
        """The papers of `content`, which is of format `kind`, or placeholders for papers that a child process parses.

        Raises:
            BadInput: it cannot be read on; what came before was sound.
        """
        ...

    def close(self) -> None:
        """Lets go of what it holds; harmless when that is nothing."""
        ...


class InProcessParser:
    """Parses in this process."""

    def records(self, content: Content, kind: str, collection: ImportContext) -> ParsedRecords:
        """The papers of `content`."""
        return parse(kind, content, collection)

    def close(self) -> None:
        """Nothing to let go of."""
