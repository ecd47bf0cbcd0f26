"""Texts to vectors by a sentence encoder in a folder of this machine; nothing leaves it.

A BERT is run by numpy, and its word pieces are made here. A model in the ONNX format, or one with another vocabulary,
needs the packages of the extra `encoder`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

import numpy as np
import numpy.typing as npt

from litterm.core.errors import ModelOffline
from litterm.core.installation import install_command
from litterm.library.encoder.model_folder import EncoderFolder, read_json
from litterm.model.events import Progress
from litterm.model.llm import CostEstimate

if TYPE_CHECKING:
    from litterm.core.tasks import Task

Kind = Literal["query", "paper"]

ONNX_PREFIX = "onnx:"
"""Prefix that marks a folder, as opposed to the name of a model at an endpoint."""
BATCH_SIZE = 8
"""Texts encoded at a time: about 300 ms for a model of 20 million weights."""
_CACHE_SIZE = 5_000
_Floats = npt.NDArray[np.float32]


def _packages_missing() -> str:
    return f"This encoder needs two packages: {install_command('encoder')}."


class _Model(Protocol):
    """A model as numbers: texts of numbers to states."""

    def states(self, texts: Sequence[Sequence[int]]) -> list[_Floats]:
        """For each text its states `[pieces, dims]`, or its vector `[1, dims]`."""
        ...


class SentenceEncoder:
    """Implements `interfaces.TextEmbedder`; opens the model with the first text. Shared by threads."""

    def __init__(self, files: EncoderFolder) -> None:
        self.files = files
        self._known: dict[tuple[Kind, str], _Floats] = {}
        self.name = f"{files.name} on this machine"

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Task[_Floats]:
        """Float32 `[len(texts), dims]`, one unit vector a text, in order.

        Raises:
            ModelOffline: a package or file is missing, or they do not fit each other.
        """
        missing = [text for text in dict.fromkeys(texts) if (kind, text) not in self._known]
        if len(self._known) + len(missing) > _CACHE_SIZE:
            self._known.clear()
            missing = list(dict.fromkeys(texts))
        for start in range(0, len(missing), BATCH_SIZE):
            yield Progress(f"{self.name} reads", start, len(missing))
            batch = missing[start : start + BATCH_SIZE]
            vectors = self.encode(batch, kind)
            self._known |= {(kind, text): vector for text, vector in zip(batch, vectors, strict=True)}
        return np.stack([self._known[kind, text] for text in texts]) if texts else np.empty((0, 0), np.float32)

    def estimate(self, texts: Sequence[str]) -> CostEstimate:
        """Nothing: it runs here."""
        return CostEstimate("this machine", self.files.name, 0, dollars=0.0, local=True)

    def encode(self, texts: Sequence[str], kind: Kind) -> _Floats:
        """Float32 `[len(texts), dims]`, one unit vector a text, in order; `texts` are not none, and few.

        Raises:
            ModelOffline: as `embed`.
        """
        instructions = self.files.instructions
        before = instructions.query if kind == "query" else instructions.passage
        pieces = [self._split(f"{before} {text}" if before else text) for text in texts]
        try:
            states = self._model.states(pieces)
            pooled = [text[0] if self.files.pooling == "cls" else text.mean(axis=0) for text in states]
            vectors = np.array(pooled, np.float32)
            if vectors.ndim != 2 or not np.isfinite(vectors).all():
                raise ValueError(f"it answers with the shape {vectors.shape}")
        except (KeyError, ValueError, IndexError, RuntimeError) as error:
            raise ModelOffline(f"The model in {self.files.folder} is not a sentence encoder: {error}") from error
        unit_vectors: _Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
        return unit_vectors

    def count_pieces(self, texts: Sequence[str]) -> int:
        """How many word pieces of `texts` are read, which is what takes the time."""
        return sum(len(self._split(text)) for text in texts)

    @cached_property
    def _model(self) -> _Model:
        try:
            return _open_onnx(self.files) if self.files.is_onnx else _open_bert(self.files)
        except ImportError as error:
            raise ModelOffline(_packages_missing()) from error
        except ModelOffline:
            raise
        except Exception as error:  # native code raises whatever it likes
            raise ModelOffline(f"The model in {self.files.folder} cannot be opened: {error}") from error

    @cached_property
    def _split(self) -> Callable[[str], Sequence[int]]:
        try:
            return _open_word_pieces(self.files) or _open_tokenizer(self.files)
        except ImportError as error:
            raise ModelOffline(_packages_missing()) from error
        except ModelOffline:
            raise
        except Exception as error:  # native code raises whatever it likes
            raise ModelOffline(f"The vocabulary in {self.files.folder} cannot be opened: {error}") from error


def _open_bert(files: EncoderFolder) -> _Model:
    from litterm.library.encoder.bert import Bert
    from litterm.library.encoder.safetensors import Tensors

    return Bert(files.config, Tensors(files.weights))


def _open_onnx(files: EncoderFolder) -> _Model:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return _OnnxModel(onnxruntime.InferenceSession(str(files.weights), options, providers=["CPUExecutionProvider"]))


class _OnnxModel:
    """Implements `_Model` by onnxruntime."""

    def __init__(self, session: Any) -> None:
        self._session = session
        # Some exports take no `token_type_ids` and refuse what they did not ask for.
        self._names = [tensor.name for tensor in session.get_inputs()]

    def states(self, texts: Sequence[Sequence[int]]) -> list[_Floats]:
        lengths = [len(text) for text in texts]
        pieces = np.zeros((len(texts), max(lengths)), np.int64)
        mask = np.zeros_like(pieces)
        for row, text in enumerate(texts):
            pieces[row, : len(text)], mask[row, : len(text)] = text, 1
        given = {"input_ids": pieces, "attention_mask": mask, "token_type_ids": np.zeros_like(pieces)}
        output = np.asarray(self._session.run(None, {name: given[name] for name in self._names})[0], np.float32)
        if len(output) != len(texts) or output.ndim not in (2, 3):
            raise ValueError(f"it answers with the shape {output.shape}")
        if output.ndim == 2:
            # Pooled by the model itself.
            return [vector[None] for vector in output]
        return [states[:length] for states, length in zip(output, lengths, strict=True)]


def _open_word_pieces(files: EncoderFolder) -> Callable[[str], Sequence[int]] | None:
    """Our own word pieces, where the vocabulary is that of a BERT; `None` for another."""
    from litterm.library.encoder.word_pieces import WordPieces

    listed = files.folder / "vocab.txt"
    whole = read_json(files.folder / "tokenizer.json")
    if not whole:
        words = listed.read_text("utf-8").splitlines()
        places = {word: place for place, word in enumerate(words)}
        return WordPieces(places, lowercase=files.lowercase, max_pieces=files.max_pieces).encode
    model, normalizer = whole.get("model") or {}, whole.get("normalizer") or {}
    if model.get("type", "WordPiece") != "WordPiece" or normalizer.get("type") != "BertNormalizer":
        return None
    places = cast("dict[str, int]", model["vocab"])
    return WordPieces(places, lowercase=bool(normalizer.get("lowercase", True)), max_pieces=files.max_pieces).encode


def _open_tokenizer(files: EncoderFolder) -> Callable[[str], Sequence[int]]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(files.folder / "tokenizer.json"))
    tokenizer.enable_truncation(files.max_pieces)
    tokenizer.no_padding()
    return lambda text: cast("Sequence[int]", tokenizer.encode(text).ids)
