from __future__ import annotations

import random
import time
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import HereBuilder, by, record, store

from litterm.core.errors import ChildFailed
from litterm.core.tasks import run
from litterm.library.index.records import RecordPacker
from litterm.library.segments import segment
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.manifest import Manifest, RetiredSegment, SegmentEntry, read_manifest, remove_leftovers
from litterm.library.writer.compaction import MANY_SEGMENTS, worth_compacting
from litterm.library.writer.library_writer import LibraryWriter
from litterm.model.document import CitingContext, Document, DocumentId, Reference, Section, Sentence, Span, Table
from litterm.model.events import Event, Notice
from litterm.model.index import MIN_PAPERS_FOR_ANN, MIN_ROWS_FOR_ANN
from litterm.model.library import Parsed
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, References, build_document
from litterm.text.tokens import TOKENIZER


def listing(*sizes: int) -> Manifest:
    entries = (SegmentEntry(f"s{n}", size, tokenizer=TOKENIZER, embedder="model") for n, size in enumerate(sizes))
    return Manifest(segments=tuple(entries))


def chosen(*sizes: int) -> list[list[int]]:
    return [[entry.count for entry in group] for group in worth_compacting(listing(*sizes), "model")]


def test_few_small_segments_are_left_alone() -> None:
    assert chosen(*[1] * MANY_SEGMENTS) == []
    assert chosen(*[200_000] * 20, *[50_000] * MANY_SEGMENTS, *[1] * MANY_SEGMENTS) == []


def test_small_ones_go_together_and_a_large_one_is_not_copied_each_time() -> None:
    assert chosen(15_000, 100_000, *[1] * 8) == [[1] * 8]
    assert chosen(3, 5, *[1] * 8) == [[3, 5, *[1] * 8]]
    assert chosen(*[10_000] * 9) == [[10_000] * 2]
    assert chosen(*[3_000] * 100) == [[3_000] * 54]


def test_batches_of_a_large_import_go_together_until_they_are_large() -> None:
    assert chosen(*[20_000] * 50) == [[20_000] * 8]
    assert chosen(160_000, 150_000, *[20_000] * 8) == [[20_000] * 8]
    assert chosen(*[1] * 9, *[20_000] * 9) == [[1] * 9, [20_000] * 8]


def test_segments_with_much_text_count_as_large() -> None:
    long = [replace(entry, size=200_000_000) for entry in listing(*[600] * 9).segments]
    (group,) = worth_compacting(Manifest(segments=tuple(long)), "model")
    assert len(group) == 4
    books = tuple(replace(entry, size=700_000_000) for entry in long)
    assert worth_compacting(Manifest(segments=books), "model") == ()


def test_an_index_of_another_tokenizer_is_made_anew() -> None:
    manifest = listing(50_000, 3)
    old = replace(manifest.segments[0], tokenizer="0")
    assert worth_compacting(replace(manifest, segments=(old, manifest.segments[1])), "model") == ((old,),)


def test_vectors_of_another_model_are_made_anew() -> None:
    manifest = listing(50_000, 3)
    assert worth_compacting(manifest, "model") == ()
    assert worth_compacting(manifest, "newer") == tuple((entry,) for entry in manifest.segments)


def test_large_segments_of_a_large_library_are_grouped_where_that_can_be_had() -> None:
    small, large, done = listing(MIN_ROWS_FOR_ANN - 1, MIN_ROWS_FOR_ANN, MIN_ROWS_FOR_ANN).segments
    some = Manifest(segments=(small, large, replace(done, grouped=True)), papers=MIN_PAPERS_FOR_ANN)
    many = replace(some, papers=MIN_PAPERS_FOR_ANN + 1)
    assert worth_compacting(many, "model", grouping=True) == ((large,),)
    assert worth_compacting(many, "model", grouping=False) == worth_compacting(some, "model", grouping=True) == ()


def document(key: str, text: str) -> Document:
    return Document(
        DocumentId(text),
        PaperId(key),
        text,
        (Section(0, "One"), Section(1, "Two", "2", 2, "results")),
        (Sentence(0, text, Span(0, len(text)), "body", 0, 1, 1, 7),),
        "jats",
        (Table(0, "T1", "Cap", (("a", "b"), ("c",)), 0),),
        (Reference(0, "Ref", families=("Lee",), year=1999, ids=(PaperId("doi:1"),)),),
        True,
        (CitingContext(0, 0, Span(0, 1)),),
        "CC BY",
    )


def fill(root: Path, count: int = MANY_SEGMENTS) -> dict[str, Document]:
    """One segment a paper; the third is changed by the fifth import."""
    documents = {}
    library = DuckLibrary(root)
    for number in range(count):
        key = f"acl:P{number}"
        records = [
            Parsed(record(f"P{number}", authors=by(f"Name{number}, Ann")).paper, document(key, f"Text {number}"))
        ]
        documents[key] = records[0].document
        if number == 4:
            records.append(record("P2", "Another title", aliases=(PaperId("doi:10.1/TWO"),)))
        store(root, records, library=library)
    return documents


def test_compaction_changes_nothing_a_reader_can_see(tmp_path: Path) -> None:
    documents = fill(tmp_path)
    library = DuckLibrary(tmp_path)
    ids = [PaperId(each) for each in documents]
    before = library.by_id(ids)
    assert len(library.snapshot().segments) == MANY_SEGMENTS
    store(tmp_path, [record("last")])
    (segment,) = library.snapshot().segments
    assert (segment.count, segment.shadowed) == (MANY_SEGMENTS + 1, ())
    assert library.by_id(ids) == before
    assert {each: library.document(PaperId(each)) for each in documents} == documents
    assert library.find(["10.1/two", "last", "P7"]) == (("acl:P2",), ("acl:last",), ("acl:P7",))
    found = library.author_rows(library.snapshot(), ["name6 ann"])[0]
    assert [each.id for each in library.papers(library.snapshot(), found)] == ["acl:P6"]
    assert library.status().papers == MANY_SEGMENTS + 1


def test_the_newest_text_stays_the_newest_through_compaction(tmp_path: Path) -> None:
    fill(tmp_path)
    newer = document("acl:P0", "Text 0 read again")
    store(tmp_path, [Parsed(record("P0").paper, newer)])
    assert len(read_manifest(tmp_path).segments) == 1
    library = DuckLibrary(tmp_path)
    assert library.document(PaperId("acl:P0")) == newer
    (segment,) = library.snapshot().segments
    texts = library.view.select(segment, "SELECT text FROM {segment}.document ORDER BY doc")
    assert [text for (text,) in texts] == [f"Text {number}" for number in range(1, MANY_SEGMENTS)] + [newer.text]
    others = {number: library.document(PaperId(f"acl:P{number}")) for number in range(1, MANY_SEGMENTS)}
    assert others == {number: document(f"acl:P{number}", f"Text {number}") for number in others}


def test_texts_of_two_origins_both_stay(tmp_path: Path) -> None:
    fill(tmp_path)
    pdf = replace(document("acl:P0", "Text 0 as printed"), origin="pdf")
    store(tmp_path, [Parsed(record("P0").paper, pdf)])
    assert len(read_manifest(tmp_path).segments) == 1
    assert DuckLibrary(tmp_path).documents(PaperId("acl:P0")) == (document("acl:P0", "Text 0"), pdf)


def test_replaced_segments_stay_a_while_for_readers_then_go(tmp_path: Path) -> None:
    fill(tmp_path)
    store(tmp_path, [record("last")])
    manifest = read_manifest(tmp_path)
    assert len(list((tmp_path / "segments").iterdir())) == MANY_SEGMENTS + 2
    assert remove_leftovers(tmp_path, manifest) == manifest
    long_ago = tuple(replace(each, at=each.at - 3600) for each in manifest.retired)
    assert remove_leftovers(tmp_path, replace(manifest, retired=long_ago)).retired == ()
    assert [each.name for each in (tmp_path / "segments").iterdir()] == [entry.key for entry in manifest.segments]


def test_a_segment_retired_by_a_clock_that_ran_ahead_goes_at_once(tmp_path: Path) -> None:
    store(tmp_path, [record("P1")])
    ahead = replace(read_manifest(tmp_path), retired=(RetiredSegment("later", time.time() + 1e6),))
    assert remove_leftovers(tmp_path, ahead).retired == ()


class Failing(HereBuilder):
    """Cannot compact."""

    def merge_behind(self, root: Path) -> None:
        raise ChildFailed("The child was killed.")


def test_a_compaction_that_fails_is_told_and_costs_nothing(tmp_path: Path) -> None:
    fill(tmp_path)
    writer = LibraryWriter(tmp_path, Failing())
    events: list[Event] = []
    run(writer.begin())
    writer.add_item(record("last"))
    run(writer.finish(), events.append)
    writer.close()
    assert any(isinstance(event, Notice) and "killed" in event.text for event in events)
    assert DuckLibrary(tmp_path).status().papers == MANY_SEGMENTS + 1
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("rows", [(), (0,), (5, 6, 7, 9)])
def test_shadowed_rows_are_written_as_runs(tmp_path: Path, rows: tuple[int, ...]) -> None:
    from litterm.library.segments.manifest import publish

    tmp_path.mkdir(exist_ok=True)
    manifest = Manifest(1, segments=(SegmentEntry("k", 10, rows),))
    publish(tmp_path, manifest)
    assert read_manifest(tmp_path) == manifest


def test_unless_groups_can_be_had_nothing_is_made_anew_for_them() -> None:
    (large,) = listing(MIN_ROWS_FOR_ANN).segments
    assert worth_compacting(Manifest(segments=(large,), papers=MIN_PAPERS_FOR_ANN + 1), "model") == ()


def test_the_texts_of_a_segment_need_not_fit_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Less than a sort of them takes, and enough for a row group.
    monkeypatch.setattr(segment, "_READ_MEMORY_MB", 30)
    # No two alike, so that they take on the disk and in memory what they are long.
    texts = {f"acl:{number:04}": random.Random(number).randbytes(3_000).hex() for number in range(4_500)}
    records = []
    for key, text in texts.items():
        blocks = [Block("body", f"Paper {key} says {text}.")]
        document = build_document(
            PaperId(key), blocks, origin="jats", parser="t", references=References((), known=False)
        )
        records.append(Parsed(record(key, f"Paper {key} on something").paper, document))
    store(tmp_path, records)
    bodies = {
        paper: text
        for folder in sorted((tmp_path / "segments").iterdir())
        for paper, text in segment.body_texts(folder)
    }
    assert sorted(bodies) == sorted(texts)
    assert all(texts[paper] in text for paper, text in bodies.items())
    rows = [
        row.id
        for folder in sorted((tmp_path / "segments").iterdir())
        for row in segment.index_rows(folder, RecordPacker())
    ]
    assert sorted(rows) == sorted(texts)
