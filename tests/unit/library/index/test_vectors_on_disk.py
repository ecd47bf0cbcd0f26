"""What a segment holds beside its papers, through imports, updates of the model, and compaction."""

from __future__ import annotations

from pathlib import Path

import pytest
from libraries import paper, record, store

from litterm.library.index.reader import IndexFolder
from litterm.library.index.static_embeddings import open_static, shipped_name
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.manifest import read_manifest
from litterm.library.workers import segments as child
from litterm.library.writer.compaction import MANY_SEGMENTS
from litterm.model.attribution.citation import WeightedWord
from litterm.model.document import Document, DocumentId, Section, Sentence, Span
from litterm.model.library import Parsed
from litterm.model.paper import PaperId
from litterm.text.tokens import stem


def document(key: str, text: str, origin: str = "jats") -> Document:
    sentence = Sentence(0, text, Span(0, len(text)), "body", 0, 1, 1)
    return Document(DocumentId(text), PaperId(key), text, (Section(0, "One"),), (sentence,), origin)  # type: ignore[arg-type]


def test_a_paper_that_was_just_added_is_near_what_it_is_about(tmp_path: Path) -> None:
    store(tmp_path, [record("A", "Dependency parsing of treebanks"), record("B", "Speech recognition by telephone")])
    (segment,) = DuckLibrary(tmp_path).snapshot().segments
    vectors, query = IndexFolder().vectors(segment), open_static().query_vector([WeightedWord("syntax", 1.0)])
    assert vectors is not None and query is not None
    near, far = vectors.scan(query).tolist()
    assert near > far
    assert read_manifest(tmp_path).segments[0].embedder == shipped_name()


def test_a_library_without_vectors_gets_them_with_the_next_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(child, "open_static", lambda: None)
        store(tmp_path, [record("A", "Dependency parsing")])
    library = DuckLibrary(tmp_path)
    folder = IndexFolder()
    (segment,) = library.snapshot().segments
    assert folder.vectors(segment) is None
    assert folder.part(segment).count == 1
    before = library.by_id([PaperId("acl:A")])
    store(tmp_path, [record("B", "Speech")], library=library)
    assert library.by_id([PaperId("acl:A")]) == before
    assert [folder.vectors(each) is not None for each in library.snapshot().segments] == [True, True]
    assert {each.embedder for each in read_manifest(tmp_path).segments} == {shipped_name()}


def test_full_texts_are_searched_where_they_were_stored_and_survive_compaction(tmp_path: Path) -> None:
    library = DuckLibrary(tmp_path)
    store(tmp_path, [Parsed(paper("A"), document("acl:A", "Wombats burrow."))], library=library)
    store(tmp_path, [Parsed(paper("B"), document("acl:B", "Only a summary.", "abstract"))], library=library)
    folder = IndexFolder()
    first, second = (folder.bodies(each) for each in library.snapshot().segments)
    assert first is not None and first.papers == ("acl:A",)
    assert first.postings(stem("wombats"))[0].tolist() == [0]
    assert second is None
    store(tmp_path, [record("A", "Another title")], library=library)
    for number in range(MANY_SEGMENTS):
        store(tmp_path, [record(f"P{number}")], library=library)
    held = [found for each in library.snapshot().segments if (found := folder.bodies(each)) is not None]
    assert [found.papers for found in held] == [("acl:A",)]
    assert held[0].postings(stem("wombats"))[0].tolist() == [0]
