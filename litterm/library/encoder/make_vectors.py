"""Makes the vectors of a library's papers that are missing: resumable, stoppable, by one process at a time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from litterm.core.durable_files import translate_write_errors
from litterm.library.encoder.sentence_encoder import BATCH_SIZE
from litterm.library.encoder.vector_file import (
    VectorFile,
    bytes_per_paper,
    text_hash,
    to_bytes,
)
from litterm.library.encoder.vector_folder import LOCK_FILE
from litterm.library.lock import WriteLock
from litterm.model.encoder import EncodingEstimate
from litterm.model.events import Notice, Progress
from litterm.model.library import RowRef

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.core.tasks import Task
    from litterm.interfaces import Library
    from litterm.library.encoder.sentence_encoder import SentenceEncoder
    from litterm.library.encoder.vector_file import Floats, Hashes
    from litterm.library.encoder.vector_folder import VectorFolder
    from litterm.model.encoder import EncoderStatus
    from litterm.model.library import Segment, Snapshot

STEP: Final = "vectors of papers"
_BLOCK_ROWS: Final = 64
"""Papers whose texts are read, and whose vectors are stored, together: what a kill costs, a few seconds."""
_SAMPLE_PAPERS: Final = 24
"""Papers on which the time is measured, evenly spread over the library."""


class VectorMaker:
    """Makes vectors of the papers of one library by one encoder."""

    def __init__(self, library: Library, vectors: VectorFolder, encoder: SentenceEncoder) -> None:
        self._library = library
        self._vectors = vectors
        self._encoder = encoder

    def status(self) -> EncoderStatus:
        """How far the papers have vectors."""
        return self._vectors.status(self._library.snapshot())

    def estimate(self) -> EncodingEstimate:
        """What the missing vectors take; encodes a few papers for it, and stores nothing.

        Raises:
            ModelOffline: the encoder cannot be opened.
        """
        snapshot, status = self._library.snapshot(), self.status()
        refs = [RowRef(segment.key, row) for segment in snapshot.segments for row in range(segment.count)]
        chosen = refs[:: max(1, len(refs) // _SAMPLE_PAPERS)][:_SAMPLE_PAPERS]
        texts = [_passage(*text) for text in self._library.texts(snapshot, chosen)] or ["nothing"]
        # The first call opens the model.
        dims = self._encoder.encode(texts[:1], "paper").shape[1]
        started_s = time.perf_counter()
        for start in range(0, len(texts), BATCH_SIZE):
            self._encoder.encode(texts[start : start + BATCH_SIZE], "paper")
        per_paper_s = (time.perf_counter() - started_s) / len(texts)
        return EncodingEstimate(status.missing, status.missing * per_paper_s, status.missing * bytes_per_paper(dims))

    def make(self) -> Task[EncoderStatus]:
        """Makes what is missing, also of papers that come meanwhile, until it is stopped.

        A process that does so already is left to it.

        Raises:
            ModelOffline: the encoder cannot be opened.
            LibraryError: nothing can be written.
        """
        lock = WriteLock(self._vectors.root / LOCK_FILE)
        if not lock.try_acquire():
            yield Notice("Another litterm is making the vectors; `litterm encode --status` says how far it is.")
            return self.status()
        try:
            filled, snapshot = None, self._library.snapshot()
            # Again for papers that came meanwhile.
            while filled != snapshot and not self._vectors.is_stopped():
                yield from self._fill(snapshot)
                filled, snapshot = snapshot, self._library.snapshot()
            if not self._vectors.is_stopped():
                with translate_write_errors(self._vectors.folder):
                    # What could be taken over from them has been.
                    for path in self._vectors.others(snapshot):
                        path.unlink(missing_ok=True)
        finally:
            lock.release()
        return self.status()

    def _fill(self, snapshot: Snapshot) -> Task[None]:
        status = self._vectors.status(snapshot)
        done, total = status.encoded, status.papers
        known = KnownVectors(self._other_files(snapshot))
        for segment in snapshot.segments:
            living = np.setdiff1d(np.arange(segment.count), np.array(segment.shadowed, np.int64))
            vectors = self._vectors.vectors(segment)
            rows = living if vectors is None else living[vectors.scales[living] == 0]
            for start in range(0, len(rows), _BLOCK_ROWS):
                block = rows[start : start + _BLOCK_ROWS].tolist()
                yield Progress(STEP, done, total)
                made = yield from self._encode(snapshot, segment, block, known, (done, total))
                if made is None:
                    return
                vectors = vectors or self._create(segment, made[2].shape[1])
                vectors.write(block, *made)
                done += len(block)
        yield Progress(STEP, done, total)

    def _encode(
        self,
        snapshot: Snapshot,
        segment: Segment,
        rows: Sequence[int],
        known: KnownVectors,
        count: tuple[int, int],
    ) -> Task[tuple[Hashes, Floats, npt.NDArray[np.int8]] | None]:
        """Hashes, scales and codes of `rows`; `None` if the user has stopped it."""
        refs = [RowRef(segment.key, row) for row in rows]
        texts = [_passage(*text) for text in self._library.texts(snapshot, refs)]
        hashes = np.array([text_hash(text) for text in texts], np.uint64)
        found = [known.find(int(number)) for number in hashes]
        missing = [place for place, vector in enumerate(found) if vector is None]
        for start in range(0, len(missing), BATCH_SIZE):
            if self._vectors.is_stopped():
                return None
            places = missing[start : start + BATCH_SIZE]
            scales, codes = to_bytes(self._encoder.encode([texts[place] for place in places], "paper"))
            for place, scale, code in zip(places, scales, codes, strict=True):
                found[place] = scale, code
            yield Progress(STEP, count[0] + len(rows) - len(missing) + start + len(places), count[1])
        pairs = [vector for vector in found if vector is not None]
        return hashes, np.array([scale for scale, _ in pairs], np.float32), np.stack([code for _, code in pairs])

    def _create(self, segment: Segment, dims: int) -> VectorFile:
        VectorFile.create(self._vectors.path(segment), segment.count, dims)
        created = self._vectors.vectors(segment)
        assert created is not None
        return created

    def _other_files(self, snapshot: Snapshot) -> list[VectorFile]:
        """All files of the encoder, those of segments that were merged into others included."""
        files = [self._vectors.vectors(segment) for segment in snapshot.segments]
        for path in self._vectors.others(snapshot):
            try:
                files.append(VectorFile(path))
            except (OSError, ValueError, KeyError, TypeError):
                continue
        return [file for file in files if file is not None]


class KnownVectors:
    """Vectors found by the hash of their text: a segment that was merged from others has the same texts."""

    def __init__(self, files: Sequence[VectorFile]) -> None:
        self._files = files
        hashes = [file.hashes[file.scales > 0] for file in files]
        rows = [np.flatnonzero(file.scales > 0) for file in files]
        self._hashes = np.concatenate(hashes) if hashes else np.empty(0, np.uint64)
        self._rows = np.concatenate(rows) if rows else np.empty(0, np.int64)
        self._file_of = np.repeat(np.arange(len(files)), [len(part) for part in rows])
        self._order = np.argsort(self._hashes, kind="stable")
        self._sorted = self._hashes[self._order]

    def find(self, number: int) -> tuple[np.float32, npt.NDArray[np.int8]] | None:
        """Scale and codes of the text with this hash."""
        place = int(np.searchsorted(self._sorted, np.uint64(number)))
        if place >= len(self._sorted) or int(self._sorted[place]) != number:
            return None
        found = int(self._order[place])
        file, row = self._files[int(self._file_of[found])], int(self._rows[found])
        return file.scales[row], file.codes[row]


def _passage(title: str, abstract: str) -> str:
    """What is encoded of a paper."""
    return f"{title}\n{abstract}".strip()
