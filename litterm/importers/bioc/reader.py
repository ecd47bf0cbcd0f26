"""Reads BioC in XML and JSON, from PMC, PubTator and tools that write the same form."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from xml.etree.ElementTree import Element

from litterm.core.errors import BadInput
from litterm.importers.bioc.passages import Passage, Passages, blocks_of, paper_of, references_of
from litterm.importers.byte_sources import Content, check_values, check_whole
from litterm.importers.xml.tree import MAX_TREE_BYTES, stream_elements
from litterm.model.library import Failure, Parsed
from litterm.text.clean import clean_line
from litterm.text.documents.builder import References, build_document

PARSER: Final = "bioc-1"
_STREAMED_TAGS: Final = frozenset(("document", "source"))


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
