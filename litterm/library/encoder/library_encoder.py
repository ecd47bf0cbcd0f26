"""The encoder of the settings over the user's library: how far its vectors are, and whoever makes them."""

from __future__ import annotations

import time
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from litterm.core.errors import LibraryError
from litterm.library.encoder.background import LOG_FILE, start_background
from litterm.library.encoder.make_vectors import STEP, VectorMaker
from litterm.library.encoder.model_folder import EncoderFolder, read_folder
from litterm.library.encoder.sentence_encoder import SentenceEncoder
from litterm.library.encoder.vector_folder import VectorFolder
from litterm.model.events import Progress

if TYPE_CHECKING:
    from subprocess import Popen

    from litterm.core.settings import EncoderSettings
    from litterm.core.tasks import Task
    from litterm.interfaces import Library
    from litterm.model.encoder import EncoderStatus, EncodingEstimate

_POLL_S: Final = 0.2


class LibraryEncoder:
    """The encoder in one folder, over one library. Cheap to build; safe from any thread."""

    def __init__(self, root: Path, library: Library, settings: EncoderSettings) -> None:
        """`root` is the folder of `library`, whose records are as they are stored.

        Raises:
            ModelOffline: the folder holds no encoder that can be used.
        """
        self._root = root
        self._library = library
        self.files: EncoderFolder = read_folder(Path(settings.folder), query=settings.query, passage=settings.passage)

    @cached_property
    def _vectors(self) -> VectorFolder:
        return VectorFolder(self._root, self.files)

    @cached_property
    def _maker(self) -> VectorMaker:
        return VectorMaker(self._library, self._vectors, SentenceEncoder(self.files))

    def status(self) -> EncoderStatus:
        """How far the papers of the library have vectors."""
        return self._vectors.status(self._library.snapshot())

    def estimate(self) -> EncodingEstimate:
        """What the missing vectors take, measured on some papers; stores nothing.

        Raises:
            ModelOffline: the encoder cannot be opened.
        """
        return self._maker.estimate()

    def make(self) -> Task[EncoderStatus]:
        """Makes the missing vectors in this process.

        Raises:
            ModelOffline: the encoder cannot be opened.
            LibraryError: nothing can be written.
        """
        self._vectors.set_stopped(False)
        return (yield from self._maker.make())

    def start(self) -> Popen[bytes] | None:
        """Makes the missing vectors in a process that goes on when this one has ended; `None` if it cannot be started.

        Raises:
            LibraryError: nothing can be written.
        """
        self._vectors.set_stopped(False)
        return start_background(self._root, self.files)

    def stop(self) -> None:
        """Ends whoever makes vectors, at the next few papers; what is made stays.

        Raises:
            LibraryError: nothing can be written.
        """
        self._vectors.set_stopped(True)

    def follow(self) -> Task[EncoderStatus]:
        """Has the missing vectors made in the background, and says how far that is, until it has ended.

        Closing the task ends neither.

        Raises:
            LibraryError: the process ended before it was done.
        """
        process = self.start()
        while True:
            status = self.status()
            yield Progress(STEP, status.encoded, status.papers)
            ended = process is None or process.poll() is not None
            # Another process may have been at it before.
            if ended and not status.running:
                # Asked again: it may have made the last ones in between.
                status = self.status()
                if status.missing and not status.stopped:
                    raise LibraryError(self._failure())
                return status
            time.sleep(_POLL_S)

    def _failure(self) -> str:
        log = self._vectors.root / LOG_FILE
        try:
            said = log.read_text("utf-8", "replace").strip().splitlines()[-1:]
        except OSError:
            said = []
        return said[0] if said else "The process that makes vectors has ended; `litterm encode` makes the rest."
