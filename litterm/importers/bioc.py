"""Reads BioC in XML and JSON, from PMC, PubTator and tools that write the same form.

Passages come in the two dialects in use: PMC's `section_type`/`type`, and Auto-CORPus' `section_title_N`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final
from xml.etree.ElementTree import Element

from litterm.core.errors import BadInput
from litterm.importers.article_fields import page_range, page_urls, reference_from_fields, venue_keys
from litterm.importers.author_names import author_from_name, split_suffix
from litterm.importers.byte_sources import Content, check_values, check_whole
from litterm.importers.dates import find_year, iso_date
from litterm.importers.ids import parse_doi, parse_pmc, parse_pmid, rank_ids
from litterm.importers.xml.tables import table_grid
from litterm.importers.xml.tree import MAX_TREE_BYTES, parse_tree, stream_elements
from litterm.model.document import Reference, SectionKind
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author, Paper, PaperId, Provenance, PublicationDetails
from litterm.text.clean import clean_line
from litterm.text.documents.builder import Block, References, build_document
from litterm.text.documents.sections import classify, heading_parts, kind_of_type
from litterm.text.limits import MAX_REFERENCES
from litterm.text.references.identity import local_id

PARSER: Final = "bioc-1"
_STREAMED_TAGS: Final = frozenset(("document", "source"))
_NAME_KEY: Final = re.compile(r"name_(\d+)")
_TITLE_TYPE: Final = re.compile(r"(?:abstract_)?title_?(\d)?")
_NUMBERED_TITLE: Final = re.compile(r"\s*(\d{1,4})\.\s+")
_MAX_LEVEL: Final = 6


def read_bioc_xml(content: Content) -> Iterator[Parsed | Failure]:
    """Every document of a BioC collection.

    Raises:
        BadInput: the XML cannot be read on, or holds no document.
    """
    count, source = 0, ""
    with content.open() as stream:
        for element in stream_elements(stream, _STREAMED_TAGS):
            # It is before the documents, and once for all of them.
            if element.tag == "source":
                source = clean_line(element.text or "")
                continue
            count += 1
            yield _parse_document(_from_xml(element, source), content.origin, count)
        check_whole(stream)
    if not count:
        raise BadInput("Holds no BioC document.")


def read_bioc_json(content: Content) -> Iterator[Parsed | Failure]:
    """Every document of a BioC collection, of a list of collections, of one document alone, or of one a line.

    Raises:
        BadInput: no JSON, or no BioC.
    """
    count = 0
    for collection in _collections(content.read(MAX_TREE_BYTES)):
        for document in _documents(collection):
            count += 1
            yield _parse_document(document, content.origin, count)
    if not count:
        raise BadInput("Holds no BioC document.")


def _collections(text: bytes) -> list[object]:
    # Before `json.loads`, which would take the memory first.
    check_values(text)
    try:
        decoded: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        try:
            # As PubTator exports them.
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            raise BadInput(f"Not valid JSON: {error}.") from error
    return decoded if isinstance(decoded, list) else [decoded]


def _parse_document(document: Passages, origin: str, number: int) -> Parsed | Failure:
    paper = paper_of(document, origin)
    if not paper.title:
        return Failure(f"{origin}:{number}", "A document without a title.")
    blocks = list(blocks_of(document))
    # PubTator gives title and abstract in the same form: a record, no full text.
    if not any(block.kind in ("body", "caption", "table") for block in blocks):
        return Parsed(paper)
    built = build_document(
        paper.id,
        blocks,
        origin="bioc",
        parser=PARSER,
        references=References(references_of(document)),
        licence=document.first_infon("license"),
    )
    return Parsed(paper, built)


def _from_xml(element: Element, source: str) -> Passages:
    passages = tuple(
        _passage(_infons(passage), _text(passage), (_text(sentence) for sentence in passage.iter("sentence")))
        for passage in element.iter("passage")
    )
    return Passages(_text(element, "id"), source, _infons(element), passages)


def _passage(infons: Mapping[str, str], text: str, sentences: Iterable[str]) -> Passage:
    """One of either form; where it is split into sentences, the text need not be there as a whole."""
    split = tuple(sentence for sentence in sentences if sentence)
    return Passage(infons, text or " ".join(split), split)


def _infons(element: Element) -> dict[str, str]:
    return {infon.get("key", ""): infon.text or "" for infon in element.findall("infon")}


def _text(element: Element, tag: str = "text") -> str:
    return clean_line(element.findtext(tag) or "")


def _documents(collection: object) -> Iterator[Passages]:
    if not isinstance(collection, dict):
        return
    documents = collection.get("documents", [collection] if "passages" in collection else [])
    for document in documents if isinstance(documents, list) else []:
        if isinstance(document, dict):
            infons = _strings(collection.get("infons")) | _strings(document.get("infons"))
            passages = tuple(_from_json(passage) for passage in _list(document.get("passages")))
            yield Passages(_string(document.get("id")), _string(collection.get("source")), infons, passages)


def _from_json(passage: object) -> Passage:
    fields = passage if isinstance(passage, dict) else {}
    sentences = (sentence.get("text") for sentence in _list(fields.get("sentences")) if isinstance(sentence, dict))
    return _passage(_strings(fields.get("infons")), _string(fields.get("text")), map(_string, sentences))


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _string(value: object) -> str:
    return clean_line(str(value)) if isinstance(value, str | int) else ""


def _strings(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {str(key): str(item) for key, item in value.items() if isinstance(item, str | int | float)}


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of text and what is known about it."""

    infons: Mapping[str, str]
    text: str
    sentences: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """PMC's `type`, or the same word for the other dialect."""
        # PMC's form; Auto-CORPus names sections by the ontology IAO.
        if kind := self.infons.get("type", "").lower():
            return kind
        name = self.infons.get("iao_name_1", "") or self.infons.get("section_title_1", "")
        for telling, kind in (("title", "front"), ("abstract", "abstract"), ("references", "ref"), ("keywords", "kwd")):
            if telling in name.lower():
                return kind
        return "paragraph"


@dataclass(frozen=True, slots=True)
class Passages:
    """One document."""

    id: str
    source: str
    infons: Mapping[str, str]
    passages: tuple[Passage, ...]

    def first_infon(self, *keys: str) -> str:
        """The first of `keys` that the document or one of its passages before the text states."""
        # The title and the abstract come first, and PMC puts what it knows of the article beside the title.
        holders = (self.infons, *(passage.infons for passage in self.passages[:2]))
        for key in keys:
            for infons in holders:
                if infons.get(key):
                    return clean_line(infons[key])
        return ""


def paper_of(document: Passages, origin: str) -> Paper:
    """The bibliographic record; `title` is empty where no passage has one."""
    title = _title(document)
    authors = tuple(_authors(document.passages[0].infons)) if document.passages else ()
    year = find_year(document.first_infon("year"))
    ids = _ids(document) or (local_id(title, authors, year),)
    journal = document.first_infon("journal-title", "journal")
    return Paper(
        id=ids[0],
        title=title,
        abstract=" ".join(passage.text for passage in document.passages if passage.kind == "abstract"),
        authors=authors,
        year=year,
        date=iso_date(year),
        venue=journal,
        venue_keys=venue_keys(journal),
        type="article",
        keywords=_keywords(document),
        aliases=ids[1:],
        urls=page_urls(ids),
        imprint=PublicationDetails(
            journal=journal,
            volume=document.first_infon("volume"),
            issue=document.first_infon("issue"),
            pages=page_range(document.first_infon("fpage"), document.first_infon("lpage"))
            or document.first_infon("elocation-id"),
        ),
        provenance=Provenance("bioc", origin),
    )


def references_of(document: Passages) -> tuple[Reference, ...]:
    """The entries of the reference list, its headings left out; one more than a record may have, if there are more."""
    reference_passages = (passage for passage in document.passages if passage.kind == "ref" and passage.text)
    return tuple(
        _reference(index, passage) for index, passage in enumerate(islice(reference_passages, MAX_REFERENCES + 1))
    )


def blocks_of(document: Passages) -> Iterator[Block]:
    """The text in reading order, with headings where the passages name or imply them."""
    yield Block("title", _title(document))
    walk = _BlockBuilder()
    for passage in document.passages:
        if passage.text and passage.kind not in ("front", "title", "ref", "kwd"):
            yield from walk.blocks(passage)


class _BlockBuilder:
    """Which section the passages have come to."""

    def __init__(self) -> None:
        self._path: tuple[str, ...] = ()
        self._in = ""
        self._kind: SectionKind = "other"

    def blocks(self, passage: Passage) -> Iterator[Block]:
        kind = passage.kind
        level = _TITLE_TYPE.fullmatch(kind)
        if level is not None:
            yield self._heading(passage.text, int(level[1] or 1) + kind.startswith("abstract_"), passage)
            return
        yield from self._implied_heading(passage)
        if kind == "table":
            yield from _table(passage)
        elif "caption" in kind or kind.startswith(("fig", "table")):
            yield Block("caption", passage.text, passage.sentences)
        else:
            yield Block("abstract" if kind == "abstract" else "body", passage.text, passage.sentences)

    def _heading(self, text: str, level: int, passage: Passage) -> Block:
        self._in = passage.infons.get("section_type", "")
        # Parents decide only below the first level: "Results" under "Methods" is a part of the methods.
        number, title = heading_parts(text)
        parent = self._kind if level > 1 else "other"
        stated = kind_of_type(self._in)
        self._kind = classify(title, parent if parent != "other" else stated)
        return Block("heading", title, number=number, level=min(level, _MAX_LEVEL), section_kind=self._kind)

    def _implied_heading(self, passage: Passage) -> Iterator[Block]:
        """Headings that no passage contains, but the section of `passage` implies."""
        path = _titles(passage.infons)
        if path:
            common = sum(1 for _ in _common_prefix(path, self._path))
            self._path = path
            for level, text in enumerate(path[common:], common + 1):
                yield self._heading(text, level, passage)
            return
        section = passage.infons.get("section_type", "") or passage.kind
        if passage.kind == "abstract" and self._in != "ABSTRACT":
            self._in, self._kind = "ABSTRACT", "abstract"
            yield Block("heading", "Abstract", section_kind="abstract")
        elif passage.kind == "paragraph" and section != self._in:
            self._in, self._kind = section, kind_of_type(section)
            yield Block("heading", "", section_kind=self._kind)


def _common_prefix(path: tuple[str, ...], other: tuple[str, ...]) -> Iterator[str]:
    for title, other_title in zip(path, other, strict=False):
        if title != other_title:
            return
        yield title


def _titles(infons: Mapping[str, str]) -> tuple[str, ...]:
    titles: list[str] = []
    while title := clean_line(infons.get(f"section_title_{len(titles) + 1}", "")):
        titles.append(title)
    return tuple(titles)


def _title(document: Passages) -> str:
    for passage in document.passages:
        if passage.kind in ("front", "title") and passage.text:
            return passage.text
    return ""


def _authors(infons: Mapping[str, str]) -> Iterator[Author]:
    numbered = sorted((int(match[1]), value) for key, value in infons.items() if (match := _NAME_KEY.fullmatch(key)))
    for _, value in numbered:
        # As PMC writes names: `surname:Han;given-names:Kyung`.
        parts = dict(part.partition(":")[::2] for part in value.split(";"))
        family, given = clean_line(parts.get("surname", "")), clean_line(parts.get("given-names", ""))
        family, own_suffix = split_suffix(family)
        suffix = clean_line(parts.get("suffix", "")) or own_suffix
        author = Author(family, given, suffix=suffix) if family else author_from_name(given or value)
        if author is not None:
            yield author


def _ids(document: Passages) -> tuple[PaperId, ...]:
    number = document.id.strip()
    paper_id: PaperId | None = None
    # The number alone does not tell: PubMed's and PMC's are both bare digits.
    if number.upper().startswith("PMC") or "PMC" in document.source.upper() or document.source == "BioC-API":
        paper_id = parse_pmc(number)
    elif number.isdecimal():
        paper_id = parse_pmid(number)
    ids = (
        paper_id,
        parse_pmc(document.first_infon("article-id_pmc", "pmcid", "pmc")),
        parse_pmid(document.first_infon("article-id_pmid", "pmid")),
        parse_doi(document.first_infon("article-id_doi", "doi")),
    )
    return rank_ids(ids)


def _keywords(document: Passages) -> tuple[str, ...]:
    for passage in document.passages:
        if passage.kind == "kwd":
            words = re.split(r"[;,]", passage.text)
            return tuple(dict.fromkeys(word.strip() for word in words if word.strip()))
    return ()


def _table(passage: Passage) -> Iterator[Block]:
    """Cells from the markup PMC keeps beside the text, else from the tabs within it."""
    rows: tuple[tuple[str, ...], ...] = ()
    if markup := passage.infons.get("xml", ""):
        try:
            rows = table_grid(parse_tree(markup.encode()), lambda cell: clean_line("".join(cell.itertext())))
        except BadInput:
            rows = ()
    rows = rows or (tuple(cell.strip() for cell in passage.text.split("\t")),)
    yield Block("table", label=passage.infons.get("id", ""), cells=rows)


def _reference(index: int, passage: Passage) -> Reference:
    infons = passage.infons
    families = tuple(author.surname for author in _authors(infons))
    year = find_year(infons.get("year", ""))
    stated_ids = (parse_pmid(infons.get("pub-id_pmid", "")), parse_doi(infons.get("pub-id_doi", "")))
    ids = rank_ids(stated_ids)
    if families or ids or year:
        return reference_from_fields(index, passage.text, families, year, ids, clean_line(infons.get("source", "")))
    number = _NUMBERED_TITLE.match(passage.text)
    text = passage.text[number.end() :] if number else passage.text
    return Reference(index, text, label=number[1] if number else "", year=find_year(text))
