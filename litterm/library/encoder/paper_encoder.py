"""The user's encoder as a search asks for it: the vector of a query, and those of the papers that have one."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

import numpy as np

from litterm.core.errors import ModelError
from litterm.library.encoder.model_folder import read_folder
from litterm.library.encoder.sentence_encoder import SentenceEncoder
from litterm.library.encoder.vector_folder import VectorFolder

if TYPE_CHECKING:
    from litterm.core.settings import EncoderSettings
    from litterm.library.encoder.vector_file import Floats, VectorFile
    from litterm.model.library import Snapshot

_CACHED_QUERIES: Final = 64
_STEPS_PER_UNIT: Final = 4096
"""Multiples of 1/4096 times bytes add up exactly in whatever order, so that no cosine depends on the segments."""


class PaperEncoder:
    """One encoder over one library, opened with the first search; shared by threads."""

    def __init__(self, library: Path, settings: EncoderSettings) -> None:
        """`library` is the folder of the library; `settings` name an encoder."""
        self._library = library
        self._settings = settings
        self._known: OrderedDict[str, Floats] = OrderedDict()
        self._lock = Lock()
        self.name = Path(settings.folder).name
        self.problem = ""
        """Why the encoder cannot be used, in one sentence; empty as long as it can."""

    def query(self, text: str) -> Floats | None:
        """The unit vector of a query, float32 `[dims]`; `None`, and a `problem`, where the encoder cannot be used."""
        with self._lock:
            known = self._known.get(text)
        if known is None and self._opened is not None:
            try:
                vector = self._opened[1].encode([text], "query")[0]
            except ModelError as error:
                self.problem = str(error)
                return None
            known = np.rint(vector * _STEPS_PER_UNIT) / np.float32(_STEPS_PER_UNIT)
            with self._lock:
                self._known[text] = known
                while len(self._known) > _CACHED_QUERIES:
                    self._known.popitem(last=False)
        return known

    def vectors(self, snapshot: Snapshot) -> tuple[VectorFile | None, ...]:
        """The vectors of each segment; `None` where there are none yet."""
        if self._opened is None:
            return (None,) * len(snapshot.segments)
        vectors = self._opened[0]
        vectors.keep_only(snapshot)
        return tuple(vectors.vectors(segment) for segment in snapshot.segments)

    @cached_property
    def _opened(self) -> tuple[VectorFolder, SentenceEncoder] | None:
        settings = self._settings
        try:
            files = read_folder(Path(settings.folder), query=settings.query, passage=settings.passage)
        except ModelError as error:
            self.problem = str(error)
            return None
        return VectorFolder(self._library, files), SentenceEncoder(files)
