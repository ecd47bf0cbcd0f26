"""The built-in semantic model: one vector a stem, read from one mapped file; no torch, no network.

A text is the direction of the sum of its distinct stems' vectors, each times 1 + ln tf. The vectors were learned
from titles and abstracts (`litterm_training.static`) and turned so that the first dimensions tell most. A stem that was
not learned has a direction of its own, drawn from its letters: it is near to itself and to nothing else.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from litterm import data
from litterm.library.index.array_file import SortedStrings, pack_strings, read_pack, write_pack
from litterm.text.references.identity import identity_key
from litterm.text.tokens import tokens

if TYPE_CHECKING:
    from litterm.model.attribution.citation import WeightedWord

MODEL_FILE = Path(data.__file__).parent / "static.pack"
MODEL_RECORD = Path(data.__file__).parent / "static.json"
"""What the model was trained on and how it scores; also its name."""

Floats = npt.NDArray[np.float32]

_READING_VERSION = "2"
"""Increase it when the same model file gives a text another vector: existing vectors are then rebuilt."""
_OWN_LENGTH_PERCENTILE = 90
"""Percentile of the lengths of learned vectors that a stem's own direction has. Names and other rare words are the
ones that were not learned, and the longest vectors are those of the rarest stems."""
_LIBRARY_WEIGHT = 0.5
"""Weight of the meaning learned from the library against the stem's own direction: BioASQ gains as much as with 1, and
SciFact does not lose."""
_LENGTH_SAMPLE_STEP = 16
"""One stem in 16 is measured for that percentile."""


class StaticModel:
    """Words to a vector, at every keystroke: takes less than a millisecond and needs no network; shared by threads."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[np.generic]], name: str) -> None:
        """`arrays` as `write_model` names them."""
        self.name = name
        self._scales = cast(Floats, arrays["scales"])
        self.stem_count = len(self._scales)
        self.dims = arrays["codes"].size // max(1, self.stem_count)
        self._codes = cast("npt.NDArray[np.int8]", arrays["codes"]).reshape(-1, self.dims)
        self._trained_on = cast("npt.NDArray[np.uint32]", arrays.get("trained_on", np.empty(0, np.uint32)))
        self._stems = SortedStrings(
            cast("npt.NDArray[np.uint8]", arrays["stem"]), cast("npt.NDArray[np.int32]", arrays["stem_at"])
        )

    def query_vector(self, words: Sequence[WeightedWord], learned: Mapping[str, Floats] | None = None) -> Floats | None:
        """Unit vector `[dims]` of the weighted words; `None` when the meaning of none is known.

        `learned` are unit vectors of stems that are not the model's, as a library tells them.
        """
        learned = learned or {}
        sums: dict[str, tuple[float, int]] = {}
        for word in words:
            for stem in tokens(word.word):
                total, count = sums.get(stem, (0.0, 0))
                sums[stem] = (total + word.weight, count + 1)
        stems = list(sums)
        places = self.places(stems)
        from_library = [index for index in np.flatnonzero(places < 0).tolist() if stems[index] in learned]
        # Own directions alone are left out: they say at most the words, which BM25 has found already.
        if not (places >= 0).any() and not from_library:
            return None
        vectors = self.stem_vectors(stems, places)
        for index in from_library:
            vectors[index] += (
                _LIBRARY_WEIGHT * self._own_length * _orthogonal_direction(learned[stems[index]], vectors[index])
            )
        damped = [total / count * (1 + math.log(count)) for total, count in sums.values()]
        return _unit_vector(np.array(damped, np.float32) @ vectors)

    def unknown_stems(self, words: Sequence[WeightedWord]) -> tuple[str, ...]:
        """The stems of `words` that were not learned, each once, in their order; stop words left out."""
        stems = list(dict.fromkeys(stem for word in words for stem in tokens(word.word)))
        return tuple(stem for stem, place in zip(stems, self.places(stems).tolist(), strict=True) if place < 0)

    def trained_on(self, titles: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Per title whether the model was trained on the abstract of a paper called so; one in 30,000 is wrongly so."""
        # Hashes and not titles: four bytes a paper.
        hashes = title_hashes(titles)
        places = np.searchsorted(self._trained_on, hashes)
        nearest = np.append(self._trained_on, np.uint32(0))[places]
        known: npt.NDArray[np.bool_] = (places < len(self._trained_on)) & (nearest == hashes)
        return known

    def places(self, stems: Sequence[str]) -> npt.NDArray[np.int64]:
        """The index of each of `stems` in the model; -1 for one that it does not know."""
        return self._stems.find_all(stems)

    def vectors(self, places: npt.NDArray[np.int64], dims: int | None = None) -> Floats:
        """Float32 `[len(places), dims]`: the first `dims` (else all) dimensions of the stems at `places`."""
        return self._codes[places, :dims].astype(np.float32) * self._scales[places][:, None]

    def similarity(self, stem: str, other: str) -> float:
        """The cosine of the vectors of two stems; 0 where the model does not know both."""
        places = self.places([stem, other])
        if (places < 0).any():
            return 0.0
        first, second = self.vectors(places)
        return float(first @ second / max(float(np.linalg.norm(first) * np.linalg.norm(second)), 1e-9))

    def stem_vectors(self, stems: Sequence[str], places: npt.NDArray[np.int64]) -> Floats:
        """Float32 `[len(stems), dims]`: of stems at known `places` what was learned, of others their own direction."""
        vectors = np.empty((len(stems), self.dims), np.float32)
        known = places >= 0
        vectors[known] = self.vectors(places[known])
        # Only where a stem is unknown: computing `_own_length` takes longer than the rest of a query.
        if not known.all():
            unknown_stems = [stems[index] for index in np.flatnonzero(~known).tolist()]
            vectors[~known] = self._own_length * own_directions(unknown_stems, self.dims)
        return vectors

    @cached_property
    def _own_length(self) -> np.float32:
        """How long the vector of a stem is that was not learned."""
        lengths = np.linalg.norm(self.vectors(np.arange(0, self.stem_count, _LENGTH_SAMPLE_STEP)), axis=1)
        return np.float32(np.percentile(lengths, _OWN_LENGTH_PERCENTILE).round(4)) if len(lengths) else np.float32(1.0)


def open_model(file: Path, name: str) -> StaticModel:
    """The model in `file`, mapped; takes less than a millisecond."""
    return StaticModel(read_pack(file), name)


@cache
def shipped_name() -> str:
    """The name of the model that comes with litterm."""
    return f"{json.loads(MODEL_RECORD.read_text('utf-8'))['name']}.{_READING_VERSION}"


@cache
def open_static() -> StaticModel:
    """The model that comes with litterm."""
    return open_model(MODEL_FILE, shipped_name())


def write_model(file: Path, stems: Sequence[str], vectors: Floats, titles: Sequence[str] = ()) -> None:
    """Writes the model of the sorted `stems`, a row of `vectors` each, as signed bytes with one scale a stem.

    Of the `titles` of the papers it was trained on, hashes are kept, so that a bench can tell what the model has read.
    """
    scales = np.maximum(np.abs(vectors).max(axis=1, initial=0.0), 1e-12) / 127
    codes = np.rint(vectors / scales[:, None]).astype(np.int8)
    blob, offsets = pack_strings(stems)
    arrays = {"scales": scales.astype(np.float32), "codes": codes.reshape(-1), "stem": blob, "stem_at": offsets}
    write_pack(file, arrays | {"trained_on": np.unique(title_hashes(titles))})


def title_hashes(titles: Sequence[str]) -> npt.NDArray[np.uint32]:
    """One number a title, the same for spellings that differ in case, accents and punctuation only."""
    keys = (identity_key(title).encode() for title in titles)
    digests = b"".join(hashlib.blake2b(key, digest_size=4).digest() for key in keys)
    return np.frombuffer(digests, "<u4").astype(np.uint32)


def own_directions(stems: Sequence[str], dims: int) -> Floats:
    """Unit vectors `[len(stems), dims]`, the same on every machine; any two are about at right angles."""
    size = -(-dims // 8)
    random_bytes = b"".join(blake2b(stem.encode("utf-8", "surrogatepass"), digest_size=size).digest() for stem in stems)
    # One bit a dimension from a hash of the letters: nothing has to be stored, and every library draws the same.
    bits = np.unpackbits(np.frombuffer(random_bytes, np.uint8).reshape(len(stems), size), axis=1)[:, :dims]
    return (bits.astype(np.float32) * 2 - 1) / np.float32(math.sqrt(dims))


def _orthogonal_direction(vector: Floats, stem_vector: Floats) -> Floats:
    """The direction of `vector` without its part along `stem_vector`, which papers with the stem hold too."""
    rest = vector - stem_vector * np.float32(float(vector @ stem_vector) / (float(stem_vector @ stem_vector) or 1.0))
    direction = _unit_vector(rest)
    return rest if direction is None else direction


def _unit_vector(vector: Floats) -> Floats | None:
    length = float(np.linalg.norm(vector))
    return (vector / np.float32(length)).astype(np.float32) if length > 0 else None
