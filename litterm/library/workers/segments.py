"""The job `segments`: database and index of a batch; and of several segments made one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import numpy as np

from litterm.core.checksums import files_as_json, find_faults
from litterm.core.durable_files import sync_tree, translate_write_errors
from litterm.core.json_fields import number, text
from litterm.library.index.array_file import Arrays
from litterm.library.index.bm25_weights import TYPICAL_LENGTH
from litterm.library.index.build import build_part
from litterm.library.index.full_text import FullTextSource, can_merge, full_text_arrays, merge_full_texts
from litterm.library.index.records import RecordPacker
from litterm.library.index.static_embeddings import open_static
from litterm.library.segments.built_segment import BuiltSegment, SourceSegment, add_description
from litterm.library.segments.segment import (
    INDEX_FOLDER,
    SegmentContents,
    body_texts,
    index_rows,
    load_spool,
    spooled_rows,
)
from litterm.library.writer.compaction import MergedTables, compact_into
from litterm.model.index import IndexRow


def answer(request: Mapping[str, object]) -> Mapping[str, object]:
    """Builds what `request` asks for."""
    folder = Path(text(request["folder"]))
    given_length = request["average_length"]
    length = None if given_length is None else number(given_length)
    built = build(folder, length)
    return asdict(built) | {"files": files_as_json(built.files)}


def build(folder: Path, average_length: float | None) -> BuiltSegment:
    """Makes the spooled segment in `folder` ready to be published."""
    # DuckDB fills its file while Python counts words: together they take two thirds of one after the other.
    packer = RecordPacker()
    with spooled_rows(folder, packer) as rows, ThreadPoolExecutor(1) as executor:
        loaded = executor.submit(load_spool, folder).result
        return _build_index(folder, rows, packer, loaded, lambda: _full_text_arrays(folder, loaded()), average_length)


def compact(folder: Path, sources: Sequence[SourceSegment], average_length: float | None) -> BuiltSegment:
    """Makes one segment in `folder` of `sources`, ready to be published."""
    merged, packer = compact_into(folder, sources), RecordPacker()
    return _build_index(
        folder,
        index_rows(folder, packer),
        packer,
        lambda: merged.contents,
        lambda: _merged_full_text_arrays(folder, sources, merged),
        average_length,
    )


def request_for(folder: Path, average_length: float | None) -> dict[str, object]:
    """What `answer` reads."""
    return {"folder": str(folder), "average_length": average_length}


def _build_index(
    folder: Path,
    rows: Iterable[IndexRow],
    packer: RecordPacker,
    loaded: Callable[[], SegmentContents],
    bodies: Callable[[], Arrays],
    average_length: float | None,
) -> BuiltSegment:
    """Makes the index of `rows`, whose records `packer` gets, and of the full texts; `loaded` waits for the database.

    So may `bodies`.
    """
    if average_length is None:
        average_length = TYPICAL_LENGTH
    with translate_write_errors(folder):
        stats = build_part(
            rows,
            folder / INDEX_FOLDER,
            average_length=average_length,
            model=open_static(),
            records=packer.arrays,
            bodies=bodies,
        )
        contents = loaded()
        made_by = (stats.tokenizer, stats.embedder, stats.grouped)
        built = add_description(
            folder, BuiltSegment(contents.rows, contents.documents, stats.average_length, *made_by), contents.origins
        )
        sync_tree(folder)
    return built


def _full_text_arrays(folder: Path, contents: SegmentContents) -> Arrays:
    return full_text_arrays(body_texts(folder) if contents.documents else ())


def _merged_full_text_arrays(folder: Path, sources: Sequence[SourceSegment], merged: MergedTables) -> Arrays:
    """The index of the full texts, out of those of the `sources` where each has one that is whole."""
    indexed: list[FullTextSource] = []
    for source, kept_rows in zip(sources, merged.kept, strict=True):
        if not kept_rows:
            continue
        file = source.full_texts
        # Read to the end: what a bit changed would otherwise be handed on from segment to segment.
        if file is None or find_faults(source.folder, [file], full=True):
            return _full_text_arrays(folder, merged.contents)
        indexed.append(FullTextSource(source.folder / file.name, np.array(kept_rows, bool)))
    return merge_full_texts(indexed) if can_merge(indexed) else _full_text_arrays(folder, merged.contents)
