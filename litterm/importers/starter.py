"""Reads the starter library, whose papers cite one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from litterm import data
from litterm.importers.article_fields import citation_label, reference_from_fields
from litterm.importers.byte_sources import file_content
from litterm.importers.jsonl.reader import read_jsonl
from litterm.model.document import Document, Reference
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm.text.documents.hyphens import HyphenStatistics


def starter_papers() -> Iterator[Parsed]:
    """The papers of the starter library, as they come with litterm."""
    return read_starter(Path(data.__file__).parent / "starter")


def read_starter(folder: Path) -> Iterator[Parsed]:
    """Every paper under `folder`; a reference given as the id of another of them gets its title, authors and year."""
    # Without the reader of any files, which imports every format and surveys their hyphens: there are none to fix.
    files = [file_content(path, path.stat().st_size) for path in sorted(folder.glob("*.jsonl"))]
    records = [
        record for file in files for record in read_jsonl(file, HyphenStatistics()) if isinstance(record, Parsed)
    ]
    papers = {record.paper.id: record.paper for record in records}
    for record in records:
        yield record if record.document is None else Parsed(record.paper, _resolve_references(record.document, papers))


def _resolve_references(document: Document, papers: Mapping[PaperId, Paper]) -> Document:
    return replace(document, references=tuple(_reference_to_paper(entry, papers) for entry in document.references))


def _reference_to_paper(entry: Reference, papers: Mapping[PaperId, Paper]) -> Reference:
    paper = next((papers[paper_id] for paper_id in entry.ids if paper_id in papers), None)
    if paper is None:
        return entry
    families = tuple(author.surname for author in paper.authors)
    composed = reference_from_fields(entry.index, paper.title, families, paper.year, entry.ids, paper.venue)
    return replace(composed, label=citation_label(families, paper.year), target=paper.id)
