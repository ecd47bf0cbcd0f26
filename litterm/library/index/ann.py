"""Approximate nearest neighbours by faiss, for libraries so large that comparing every vector takes too long.

Optional: `pip install "litterm[ann]"`. An inverted file (Sivic and Zisserman 2003): the scanned vectors of a segment
lie in groups around centres, one byte per dimension; a query is compared only with the groups nearest to it. The file
is mapped like all others.
"""

from __future__ import annotations

import math
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from litterm.model.index import MIN_ROWS_FOR_ANN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GROUPS_FILE = "groups.faiss"
"""Name of the file in a part's folder."""
_GROUPS_PER_ROOT_ROW = 2
"""Number of groups divided by the square root of the rows. Twice as many take four times as long to train and find
hardly more."""
_PROBED_SHARE = 4
"""One group in four is searched: of the 1,000 nearest of a million papers 98.5 % are found, of the 20 nearest 99.8 %,
in half the time that comparing all takes."""
_TRAINING_ROWS_PER_GROUP = 64
"""Rows a group from which the centres are learned; faiss asks for at least 39."""
_SEED = 1234

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]


def can_group() -> bool:
    """Whether faiss is installed."""
    return find_spec("faiss") is not None


def write_groups(file: Path, short: Floats) -> bool:
    """Groups the rows of `short` `[count, dims]` into `file`; whether they are enough for it and faiss is there."""
    if len(short) < MIN_ROWS_FOR_ANN or not can_group():
        return False
    faiss = _faiss()
    groups = round(_GROUPS_PER_ROOT_ROW * math.sqrt(len(short)))
    index = faiss.index_factory(short.shape[1], f"IVF{groups},SQ8", faiss.METRIC_INNER_PRODUCT)
    # A fixed seed and ascending rows: the same papers make the same file.
    chosen = np.random.default_rng(_SEED).choice(
        len(short), min(len(short), _TRAINING_ROWS_PER_GROUP * groups), replace=False
    )
    index.train(short[np.sort(chosen)])
    index.add(short)
    faiss.write_index(index, str(file))
    return True


class VectorGroups:
    """The groups of one segment; read-only and shared by threads."""

    def __init__(self, file: Path, check: Callable[[], None] = lambda: None) -> None:
        """Nothing is opened before it is asked for: importing faiss takes 0.2 s. `check` raises for a damaged file."""
        self._file = file
        self._check = check

    def nearest(self, short: Floats, count: int, allowed: Mask | None) -> tuple[npt.NDArray[np.int64], Floats] | None:
        """About the `count` rows nearest to `short` `[dims]`, ascending, with about their cosines.

        `allowed` are the rows that may be found. `None` where there are no groups, no faiss, or where the groups
        looked into hold fewer than `count` of them.
        """
        if self._index is None:
            return None
        faiss = _faiss()
        bits = None if allowed is None else np.packbits(allowed, bitorder="little")
        chosen = {} if bits is None else {"sel": faiss.IDSelectorBitmap(len(bits), faiss.swig_ptr(bits))}
        looked_into = faiss.SearchParametersIVF(nprobe=max(1, self._index.nlist // _PROBED_SHARE), **chosen)
        scores, rows = self._index.search(short[None], count, params=looked_into)
        # faiss fills up with -1 where the groups that were looked into hold too few.
        if len(rows[0]) and rows[0].min() < 0:
            return None
        order = np.argsort(rows[0])
        return rows[0][order], scores[0][order]

    @cached_property
    def _index(self) -> Any:
        self._check()
        if not (self._file.is_file() and can_group()):
            return None
        return _faiss().read_index(str(self._file), _faiss().IO_FLAG_MMAP_IFC)


def _faiss() -> Any:
    import faiss

    # Searches come from several threads already. The number holds for the calling thread alone.
    faiss.omp_set_num_threads(1)
    return faiss
