"""The folder of a library that holds the vectors of one encoder: a file for each segment, found by the segment's key.

Beside the segments and not in them: a segment never changes once it is published, and vectors come hours later.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from litterm.core.durable_files import translate_write_errors
from litterm.library.encoder.vector_file import SUFFIX, VectorFile, bytes_per_paper, open_vector_file
from litterm.library.lock import is_locked
from litterm.model.encoder import EncoderStatus

if TYPE_CHECKING:
    from litterm.library.encoder.model_folder import EncoderFolder
    from litterm.model.library import Segment, Snapshot

ENCODER_FOLDER: Final = "encoder"
"""Name of the folder in the library's."""
LOCK_FILE: Final = "encoder.lock"
_STOP_FILE: Final = "stopped"


class VectorFolder:
    """The vectors of one encoder in one library; safe from any thread."""

    def __init__(self, library: Path, files: EncoderFolder) -> None:
        self.root = library / ENCODER_FOLDER
        self.folder = self.root / files.fingerprint
        self.files = files
        self._opened: dict[str, VectorFile] = {}

    def path(self, segment: Segment) -> Path:
        """Where the vectors of `segment` are, or will be."""
        return self.folder / f"{segment.key}{SUFFIX}"

    def vectors(self, segment: Segment) -> VectorFile | None:
        """The vectors of `segment`, some of which may be missing; `None` where there are none yet."""
        opened = self._opened.get(segment.key)
        if opened is None:
            opened = open_vector_file(self.path(segment), segment.count)
            if opened is not None:
                self._opened[segment.key] = opened
        return opened

    def keep_only(self, snapshot: Snapshot) -> None:
        """Closes the files of segments that are not in `snapshot`."""
        keys = {segment.key for segment in snapshot.segments}
        for key in [key for key in tuple(self._opened) if key not in keys]:
            self._opened.pop(key, None)

    def others(self, snapshot: Snapshot) -> Iterator[Path]:
        """The files of segments that are not in `snapshot` any more."""
        names = {f"{segment.key}{SUFFIX}" for segment in snapshot.segments}
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            if path.name not in names:
                yield path

    def status(self, snapshot: Snapshot) -> EncoderStatus:
        """How far the papers of `snapshot` have vectors."""
        papers = encoded = size = 0
        for segment in snapshot.segments:
            papers += segment.count - len(segment.shadowed)
            vectors = self.vectors(segment)
            if vectors is not None:
                shadowed = int((vectors.scales[list(segment.shadowed)] > 0).sum()) if segment.shadowed else 0
                encoded += vectors.encoded - shadowed
                size += segment.count * bytes_per_paper(vectors.dims)
        return EncoderStatus(
            self.files.name,
            self.files.licence,
            papers,
            encoded,
            size,
            running=is_locked(self.root / LOCK_FILE),
            stopped=self.is_stopped(),
        )

    def is_stopped(self) -> bool:
        """Whether no vectors are to be made until the user asks for them again."""
        return (self.root / _STOP_FILE).exists()

    def set_stopped(self, stopped: bool) -> None:
        """Ends the process that makes vectors at its next batch, or allows one again.

        Raises:
            LibraryError: nothing can be written there.
        """
        path = self.root / _STOP_FILE
        with translate_write_errors(path):
            if stopped:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
            else:
                path.unlink(missing_ok=True)
