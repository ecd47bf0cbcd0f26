"""The job `segments`: database and index of a batch, or of several old segments made one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from litterm.index.build import TYPICAL_LENGTH, build_part
from litterm.index.static import open_static
from litterm.store.compaction import compact_into
from litterm.store.disk import sync_tree, writing
from litterm.store.fields import items, mapping, number, text, whole
from litterm.store.jobs import Built, Source
from litterm.store.segment import INDEX_FOLDER, Loaded, body_texts, index_rows, load_spool
from litterm.text.tokens import tokens

MEASURED_FROM = 1000
"""Rows from which on a segment's own average length is worth freezing for the library."""


def answer(request: Mapping[str, object]) -> Mapping[str, object]:
    """Builds what `request` asks for."""
    folder = Path(text(request["folder"]))
    told = request["average_length"]
    length = None if told is None else number(told)
    if "sources" in request:
        built = compact(folder, [_source(each) for each in items(request["sources"])], length)
    else:
        built = build(folder, length)
    return asdict(built)


def build(folder: Path, average_length: float | None) -> Built:
    """Makes the spooled segment in `folder` ready to be published."""
    return _indexed(folder, load_spool(folder), average_length)


def compact(folder: Path, sources: Sequence[Source], average_length: float | None) -> Built:
    """Makes one segment in `folder` of `sources`, ready to be published."""
    return _indexed(folder, compact_into(folder, sources), average_length)


def built_from(told: Mapping[str, object]) -> Built:
    """The answer of a child, read back."""
    return Built(
        rows=whole(told["rows"]),
        documents=whole(told["documents"]),
        average_length=number(told["average_length"]),
        tokenizer=text(told["tokenizer"]),
        embedder=text(told["embedder"]),
        grouped=bool(told["grouped"]),
    )


def request_for(folder: Path, average_length: float | None, sources: Sequence[Source] | None) -> dict[str, object]:
    """What `answer` reads."""
    asked: dict[str, object] = {"folder": str(folder), "average_length": average_length}
    if sources is not None:
        asked["sources"] = [{"folder": str(each.folder), "shadowed": each.shadowed} for each in sources]
    return asked


def _indexed(folder: Path, loaded: Loaded, average_length: float | None) -> Built:
    if average_length is None:
        average_length = _measured(folder) if loaded.rows >= MEASURED_FROM else TYPICAL_LENGTH
    with writing(folder):
        stats = build_part(
            index_rows(folder),
            folder / INDEX_FOLDER,
            average_length=average_length,
            model=open_static(),
            bodies=body_texts(folder) if loaded.documents else (),
        )
        sync_tree(folder)
    return Built(loaded.rows, loaded.documents, stats.average_length, stats.tokenizer, stats.embedder, stats.grouped)


def _measured(folder: Path) -> float:
    """Average length of a tenth of the rows, in stems, to the nearest ten.

    Batches are also cut by the clock: the exact average would make rankings depend on how fast a machine is.
    """
    sampled = [len(tokens(row.title)) + len(tokens(row.abstract)) for row in islice(index_rows(folder), 0, None, 10)]
    return max(10.0, round(sum(sampled) / len(sampled), -1))


def _source(told: object) -> Source:
    fields = mapping(told)
    return Source(Path(text(fields["folder"])), tuple(map(whole, items(fields["shadowed"]))))
