"""The job `segments`: database and index of a batch, or of several old segments made one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from litterm.core.durable_files import sync_tree, writing
from litterm.core.json_fields import items, mapping, number, text, whole
from litterm.library.index.build import TYPICAL_LENGTH, build_part
from litterm.library.index.static_embeddings import open_static
from litterm.library.segments.build_jobs import BuiltSegment, SourceSegment
from litterm.library.segments.description import described
from litterm.library.segments.manifest import files_as_json
from litterm.library.segments.segment import (
    INDEX_FOLDER,
    SegmentContents,
    body_texts,
    index_rows,
    load_spool,
    spooled_rows,
)
from litterm.library.writer.compaction import compact_into
from litterm.model.index import IndexRow
from litterm.model.paper import PaperId


def answer(request: Mapping[str, object]) -> Mapping[str, object]:
    """Builds what `request` asks for."""
    folder = Path(text(request["folder"]))
    given_length = request["average_length"]
    length = None if given_length is None else number(given_length)
    if "sources" in request:
        built = compact(folder, [_source(item) for item in items(request["sources"])], length)
    else:
        built = build(folder, length)
    return asdict(built) | {"files": files_as_json(built.files)}


def build(folder: Path, average_length: float | None) -> BuiltSegment:
    """Makes the spooled segment in `folder` ready to be published."""
    # DuckDB fills its file while Python counts words: together they take two thirds of one after the other.
    with spooled_rows(folder) as rows, ThreadPoolExecutor(1) as aside:
        return _indexed(folder, rows, aside.submit(load_spool, folder).result, average_length)


def compact(folder: Path, sources: Sequence[SourceSegment], average_length: float | None) -> BuiltSegment:
    """Makes one segment in `folder` of `sources`, ready to be published."""
    loaded = compact_into(folder, sources)
    return _indexed(folder, index_rows(folder), lambda: loaded, average_length)


def request_for(
    folder: Path, average_length: float | None, sources: Sequence[SourceSegment] | None
) -> dict[str, object]:
    """What `answer` reads."""
    request: dict[str, object] = {"folder": str(folder), "average_length": average_length}
    if sources is not None:
        request["sources"] = [{"folder": str(source.folder), "shadowed": source.shadowed} for source in sources]
    return request


def _indexed(
    folder: Path, rows: Iterable[IndexRow], loaded: Callable[[], SegmentContents], average_length: float | None
) -> BuiltSegment:
    """Makes the index of `rows`; `loaded` waits for the database."""
    if average_length is None:
        average_length = TYPICAL_LENGTH
    with writing(folder):
        stats = build_part(
            rows,
            folder / INDEX_FOLDER,
            average_length=average_length,
            model=open_static(),
            bodies=_bodies(folder, loaded),
        )
        contents = loaded()
        made_by = (stats.tokenizer, stats.embedder, stats.grouped)
        built = described(
            folder, BuiltSegment(contents.rows, contents.documents, stats.average_length, *made_by), contents.origins
        )
        sync_tree(folder)
    return built


def _bodies(folder: Path, loaded: Callable[[], SegmentContents]) -> Iterator[tuple[PaperId, str]]:
    if loaded().documents:
        yield from body_texts(folder)


def _source(source: object) -> SourceSegment:
    fields = mapping(source)
    return SourceSegment(Path(text(fields["folder"])), tuple(map(whole, items(fields["shadowed"]))))
