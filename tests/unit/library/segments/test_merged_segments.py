"""Segments made one beside the library: what is stored, replaced or killed meanwhile is neither lost nor doubled."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from killed_imports import Warm
from libraries import HereBuilder, record, store

from litterm.core.durable_files import key_after, new_key, time_of
from litterm.core.errors import ChildFailed
from litterm.core.tasks import run
from litterm.library.index.array_file import read_pack
from litterm.library.index.full_text import FULL_TEXT_FILE, full_text_arrays
from litterm.library.lock import WriteLock
from litterm.library.segments.built_segment import BuiltSegment, SourceSegment
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.lineage import Lineage, remember_compaction
from litterm.library.segments.manifest import publish, read_manifest, segment_folder
from litterm.library.segments.segment import INDEX_FOLDER, body_texts
from litterm.library.workers import process, segment_builder, segments
from litterm.library.workers.compaction import compact_all
from litterm.library.workers.segment_builder import (
    COMPACTION_LOCK,
    COMPACTION_LOG,
    ChildSegmentBuilder,
    last_compaction_failure,
    start_compaction,
)
from litterm.library.workers.segments import compact
from litterm.library.writer.compaction import (
    MANY_SEGMENTS,
    MERGED,
    MergedPart,
    MergedSegment,
    merge_segments,
    waiting_keys,
)
from litterm.library.writer.library_writer import LibraryWriter
from litterm.model.library import Parsed, Segment
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, References, build_document


class Apart(HereBuilder):
    """Leaves merging to whoever asks for it."""

    def merge_behind(self, root: Path) -> None:
        return None


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    with Warm() as process:
        yield process


def with_text(key: str, text: str) -> Parsed:
    known = References((), known=False)
    document = build_document(PaperId(f"acl:{key}"), [Block("body", text)], origin="jats", parser="t", references=known)
    return Parsed(record(key).paper, document)


def stored(root: Path, records: Sequence[Parsed]) -> None:
    writer = LibraryWriter(root, Apart())
    try:
        run(writer.begin())
        for each in records:
            writer.add_item(each)
        run(writer.finish())
    finally:
        writer.close()


def fill(root: Path, count: int = MANY_SEGMENTS + 1) -> list[str]:
    """One segment a paper; the third paper is replaced once."""
    shutil.copytree(_filled(count), root, dirs_exist_ok=True)
    return [f"acl:P{number}" for number in range(count)]


@cache
def _filled(count: int) -> Path:
    """A library to copy; made once in a process."""
    folder = tempfile.TemporaryDirectory(prefix="litterm-tests-")
    # Removed with the process.
    weakref.finalize(threading.main_thread(), folder.cleanup)
    root = Path(folder.name) / "library"
    for number in range(count):
        records = [with_text(f"P{number}", f"Words of number {number} and of all.")]
        if number == 4:
            records.append(record("P2", "A title that came later", aliases=(PaperId("doi:10.1/two"),)))
        stored(root, records)
    return root


def seen(root: Path, keys: Sequence[str]) -> list[tuple[str, str, str]]:
    """Id, title and text of each paper that a reader finds, and that nobody is counted twice."""
    library = DuckLibrary(root)
    papers = library.by_id([PaperId(key) for key in keys])
    texts = [document.text if (document := library.document(paper.id)) else "" for paper in papers]
    living = sum(segment.count - len(segment.shadowed) for segment in library.snapshot().segments)
    assert living == library.status().papers
    library.close()
    return [(paper.id, paper.title, text) for paper, text in zip(papers, texts, strict=True)]


def merge_all(root: Path, meanwhile: Callable[[], None] = lambda: None) -> None:
    """Makes all segments one; `meanwhile` happens before the work on it ends."""

    def slowly(folder: Path, sources: Sequence[SourceSegment], average_length: float | None) -> BuiltSegment:
        built = compact(folder, sources, average_length)
        meanwhile()
        return built

    manifest = read_manifest(root)
    merge_segments(root, manifest, manifest.segments, slowly)


def test_papers_are_added_while_segments_become_one(tmp_path: Path) -> None:
    keys = fill(tmp_path)

    def meanwhile() -> None:
        stored(tmp_path, [with_text("Q", "A new one."), record("P5", "Number five again", urls=("u",))])

    merge_all(tmp_path, meanwhile)
    before = seen(tmp_path, [*keys, "acl:Q"])
    assert [title for _, title, _ in before][5] == "Number five again"
    assert len(read_manifest(tmp_path).segments) == len(keys) + 1
    compact_all(tmp_path)
    merged, latest = read_manifest(tmp_path).segments
    assert (merged.count, merged.shadowed, latest.count) == (len(keys), (5,), 2)
    assert seen(tmp_path, [*keys, "acl:Q"]) == before
    assert not waiting_keys(tmp_path) and not list((tmp_path / MERGED).iterdir())


def test_a_writer_that_holds_the_lock_takes_in_what_is_ready(tmp_path: Path) -> None:
    keys = fill(tmp_path)
    writer = LibraryWriter(tmp_path, Apart())
    run(writer.begin())
    writer.add_item(record("P3", "Number three again", urls=("u",)))
    # On its way into a segment: which rows it replaces was found out before these move.
    run(writer.flush())
    merge_all(tmp_path)
    writer.add_item(record("P6", "Number six again", urls=("u",)))
    run(writer.finish())
    writer.close()
    titles = [title for _, title, _ in seen(tmp_path, keys)]
    assert (titles[3], titles[6]) == ("Number three again", "Number six again")
    assert len(read_manifest(tmp_path).segments) == 3
    assert not waiting_keys(tmp_path)


def test_a_long_import_has_its_batches_made_one(tmp_path: Path) -> None:
    writer = LibraryWriter(tmp_path, HereBuilder())
    run(writer.begin())
    for number in range(3 * MANY_SEGMENTS):
        writer.add_item(record(f"P{number}"))
        run(writer.flush())
        assert len(read_manifest(tmp_path).segments) <= MANY_SEGMENTS + 2
    run(writer.finish())
    writer.close()
    assert len(seen(tmp_path, [f"acl:P{number}" for number in range(3 * MANY_SEGMENTS)])) == 3 * MANY_SEGMENTS


def test_one_made_of_segments_that_are_gone_is_thrown_away(tmp_path: Path) -> None:
    keys = fill(tmp_path)
    manifest = read_manifest(tmp_path)
    merge_all(tmp_path)
    left, generation = manifest.segments[1:], manifest.generation + 1
    publish(tmp_path, replace(manifest, generation=generation, segments=left, papers=len(left)))
    stored(tmp_path, [record("last")])
    assert not waiting_keys(tmp_path) and not list((tmp_path / MERGED).iterdir())
    assert len(seen(tmp_path, keys[1:])) == len(keys) - 1


@pytest.mark.parametrize("content", ["", "{}", '{"schema": 1, "parts": [["a"]]}'])
def test_a_damaged_note_costs_the_work_and_nothing_else(tmp_path: Path, content: str) -> None:
    keys = fill(tmp_path)
    merge_all(tmp_path)
    (key,) = waiting_keys(tmp_path)
    (tmp_path / MERGED / f"{key}.json").write_text(content)
    before = read_manifest(tmp_path).segments
    stored(tmp_path, [record("last")])
    assert read_manifest(tmp_path).segments[:-1] == before
    assert len(seen(tmp_path, [*keys, "acl:last"])) == len(keys) + 1
    assert not list((tmp_path / MERGED).iterdir())


def test_rows_are_found_again_where_they_moved_to() -> None:
    merged = MergedSegment("m", (MergedPart("a", 4, (1,)), MergedPart("b", 2, ())))
    assert merged.new_rows({"a": [0, 1, 3], "b": [1], "c": [0]}) == [0, 2, 4]


def test_what_is_derived_from_old_segments_holds_in_the_new_one(tmp_path: Path) -> None:
    fill(tmp_path)
    known = frozenset(entry.key for entry in read_manifest(tmp_path).segments)
    merge_all(tmp_path, lambda: stored(tmp_path, [record("Q")]))
    compact_all(tmp_path)
    segments = DuckLibrary(tmp_path).snapshot().segments
    lineage = Lineage(tmp_path)
    assert lineage.explains(known, [segment.key for segment in segments])
    assert lineage.fresh_rows(known, segments) == {segments[-1].key: (range(1),)}


def test_one_new_row_in_a_segment_that_was_compacted_twice_is_the_only_new_one(tmp_path: Path) -> None:
    remember_compaction(tmp_path, "inner", [("a", 3), ("b", 2), ("new", 1), ("c", 4)])
    remember_compaction(tmp_path, "outer", [("d", 5), ("inner", 10), ("e", 2)])
    remember_compaction(tmp_path, "shadowed", [("d", 5), ("inner", 9)])
    lineage, known = Lineage(tmp_path), frozenset("abcde")
    outer, shadowed = Segment("outer", tmp_path, 17), Segment("shadowed", tmp_path, 14)
    assert lineage.fresh_rows(known, [outer]) == {"outer": (range(10, 11),)}
    assert lineage.fresh_rows(known | {"new"}, [outer]) == {}
    # Nine of ten rows went into it: which of them is new is not known.
    assert lineage.fresh_rows(known, [shadowed]) == {"shadowed": (range(5, 14),)}


def test_the_index_of_full_texts_is_the_one_that_the_texts_would_give(tmp_path: Path) -> None:
    fill(tmp_path)
    # Replaces a text of the same origin, which is left out.
    stored(tmp_path, [with_text("P1", "Other words, read again.")])
    merge_all(tmp_path)
    (key,) = waiting_keys(tmp_path)
    folder = tmp_path / MERGED / key
    merged, anew = read_pack(folder / INDEX_FOLDER / FULL_TEXT_FILE), full_text_arrays(body_texts(folder))
    assert merged.keys() == anew.keys()
    assert all(np.array_equal(merged[name], anew[name]) for name in anew)
    assert len(merged["paper_at"]) == MANY_SEGMENTS + 2


def test_a_damaged_index_of_full_texts_is_not_handed_on(tmp_path: Path) -> None:
    fill(tmp_path)
    path = segment_folder(tmp_path, read_manifest(tmp_path).segments[3].key) / INDEX_FOLDER / FULL_TEXT_FILE
    content = bytearray(path.read_bytes())
    content[-70] ^= 1
    path.write_bytes(content)
    merge_all(tmp_path)
    (key,) = waiting_keys(tmp_path)
    folder = tmp_path / MERGED / key
    merged, anew = read_pack(folder / INDEX_FOLDER / FULL_TEXT_FILE), full_text_arrays(body_texts(folder))
    assert all(np.array_equal(merged[name], anew[name]) for name in anew)


def test_kills_of_the_process_that_makes_segments_one(warm: Warm, tmp_path: Path) -> None:
    keys = fill(tmp_path)
    before = seen(tmp_path, keys)
    seams = 20
    kills = 0
    for die_at in (*range(1, seams, 2), *range(seams, 200, 15)):
        ended = warm.run(tmp_path, "compact all", die_at=die_at)
        assert seen(tmp_path, keys) == before
        if ended.signal != signal.SIGKILL:
            break
        kills += 1
        if die_at % 3 == 0:
            # A writer comes between, removes what is nobody's, and takes in what is ready.
            stored(tmp_path, [record("Q", urls=(f"u{die_at}",))])
    assert kills >= seams // 2
    compact_all(tmp_path)
    assert len(read_manifest(tmp_path).segments) <= MANY_SEGMENTS
    assert seen(tmp_path, keys) == before
    assert not list((tmp_path / MERGED).iterdir())


def test_a_process_of_its_own_makes_them_one_and_no_second_one(tmp_path: Path) -> None:
    keys = fill(tmp_path)
    lock = WriteLock(tmp_path / COMPACTION_LOCK)
    assert lock.try_acquire()
    assert start_compaction(tmp_path) is None
    lock.release()
    process = start_compaction(tmp_path)
    assert process is not None
    assert process.wait(60) == 0
    assert len(read_manifest(tmp_path).segments) == 1
    assert len(seen(tmp_path, keys)) == len(keys)


def test_an_import_does_not_wait_for_a_process_that_is_stopped(tmp_path: Path) -> None:
    keys = fill(tmp_path)
    process = start_compaction(tmp_path)
    assert process is not None
    while not (tmp_path / MERGED).is_dir():
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGSTOP)
    # Were it stopped at the moment of publishing, this would wait for a minute and fail.
    assert store(tmp_path, [record("Q")]).added == 1
    os.kill(process.pid, signal.SIGCONT)
    assert process.wait(60) == 0
    assert len(read_manifest(tmp_path).segments) <= 2
    assert len(seen(tmp_path, [*keys, "acl:Q"])) == len(keys) + 1


def test_what_went_wrong_is_told_by_the_next_import(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / COMPACTION_LOG).write_text("Traceback\nThere is no room.\n")
    lock = WriteLock(tmp_path / COMPACTION_LOCK)
    assert lock.try_acquire()
    with pytest.raises(ChildFailed, match=r"^There is no room\.$"):
        ChildSegmentBuilder().merge_behind(tmp_path)
    lock.release()
    assert last_compaction_failure(tmp_path / "elsewhere") == ""


def test_a_library_that_cannot_be_read_is_told_in_a_sentence(tmp_path: Path) -> None:
    fill(tmp_path)
    for path in [*tmp_path.glob("manifest-*.json"), tmp_path / "CURRENT"]:
        path.unlink()
    command = process.module_command(segment_builder._COMPACTION_MODULE, str(tmp_path))
    ended = subprocess.run(command, env=process.environment(), capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith("The list of the segments") and ended.stderr.count("\n") == 1


def test_a_key_sorts_right_behind_another_and_tells_the_same_time() -> None:
    first, second = new_key(), new_key()
    assert first < key_after(first) < second
    assert time_of(key_after(first)) == time_of(first)
    assert len(key_after("no key!")) == len(first)


def test_notes_are_plain_json(tmp_path: Path) -> None:
    fill(tmp_path, 3)
    merge_all(tmp_path)
    (key,) = waiting_keys(tmp_path)
    parts = json.loads((tmp_path / MERGED / f"{key}.json").read_text())["parts"]
    assert [part[0] for part in parts] == [entry.key for entry in read_manifest(tmp_path).segments]


def test_what_cannot_have_vectors_is_made_anew_once_and_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "open_static", lambda: None)
    stored(tmp_path, [record("A")])
    compact_all(tmp_path)
    assert [entry.embedder for entry in read_manifest(tmp_path).segments] == [""]
    assert not waiting_keys(tmp_path)
