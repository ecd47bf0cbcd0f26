"""Texts to vectors by a sentence encoder in a folder of this machine: ONNX, as exported by the usual tools.

The folder holds `model.onnx` and `tokenizer.json`. Needs `pip install "litterm[onnx]"`. Nothing leaves the machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from litterm.core.errors import ModelOffline
from litterm.model.events import Progress
from litterm.model.llm import CostEstimate

if TYPE_CHECKING:
    from litterm.core.tasks import Task

ONNX_PREFIX = "onnx:"
"""Prefix that marks a folder, as opposed to the name of a model at an endpoint."""

_BATCH_SIZE = 8
"""Texts encoded at a time: about 100 ms for a model of 20 million weights."""
_MAX_WORD_PIECES = 256
"""Longer texts are truncated."""
_CACHE_SIZE = 5_000
_Floats = npt.NDArray[np.float32]
_Ints = npt.NDArray[np.int64]


class OnnxEncoder:
    """Implements `interfaces.TextEmbedder`; loads the model with the first text."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.expanduser()
        self._known: dict[str, _Floats] = {}
        self.name = f"{self._folder.name} on this machine"

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "paper"]) -> Task[_Floats]:
        """Float32 `[len(texts), dims]`, one unit vector a text, in order. `kind` makes no difference to it.

        Raises:
            ModelOffline: the package or the files are missing, or do not fit each other.
        """
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if len(self._known) + len(missing) > _CACHE_SIZE:
            self._known.clear()
            missing = list(dict.fromkeys(texts))
        for start in range(0, len(missing), _BATCH_SIZE):
            yield Progress(f"{self.name} reads", start, len(missing))
            batch = missing[start : start + _BATCH_SIZE]
            self._known |= dict(zip(batch, self._encode(batch), strict=True))
        return np.stack([self._known[text] for text in texts]) if texts else np.empty((0, 0), np.float32)

    def estimate(self, texts: Sequence[str]) -> CostEstimate:
        """Nothing: it runs here."""
        return CostEstimate("this machine", self._folder.name, 0, dollars=0.0, local=True)

    def _encode(self, texts: Sequence[str]) -> _Floats:
        tokenizer, session = self._tokenizer_and_session
        encodings = tokenizer.encode_batch(list(texts))
        mask = np.array([encoding.attention_mask for encoding in encodings], np.int64)
        inputs: Mapping[str, _Ints] = {
            "input_ids": np.array([encoding.ids for encoding in encodings], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([encoding.type_ids for encoding in encodings], np.int64),
        }
        try:
            # Some exports take no `token_type_ids` and refuse what they did not ask for.
            names = [tensor.name for tensor in session.get_inputs()]
            output = session.run(None, {name: inputs[name] for name in names})[0]
            return _unit_vectors(np.asarray(output, np.float32), mask)
        except (KeyError, ValueError, IndexError, RuntimeError) as error:
            raise ModelOffline(f"The model in {self._folder} is not a sentence encoder: {error}") from error

    @cached_property
    def _tokenizer_and_session(self) -> tuple[Any, Any]:
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ModelOffline('A local encoder needs two packages: pip install "litterm[onnx]".') from error
        files = [self._folder / "tokenizer.json", self._folder / "model.onnx"]
        for file in files:
            if not file.is_file():
                raise ModelOffline(f"{file} is missing; model.embedding names a folder with an ONNX encoder.")
        try:
            tokenizer = Tokenizer.from_file(str(files[0]))
            tokenizer.enable_truncation(_MAX_WORD_PIECES)
            tokenizer.enable_padding()
            session = onnxruntime.InferenceSession(str(files[1]), providers=["CPUExecutionProvider"])
        except Exception as error:  # both libraries raise whatever their native code gives them
            raise ModelOffline(f"The model in {self._folder} cannot be opened: {error}") from error
        return tokenizer, session


def _unit_vectors(output: _Floats, mask: _Ints) -> _Floats:
    """One unit vector a text: as given, or the mean over its word pieces."""
    if output.ndim == 3:
        weight = mask[:, :, None].astype(np.float32)
        output = (output * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), 1.0)
    if output.ndim != 2 or len(output) != len(mask):
        raise ValueError(f"it answers with the shape {output.shape}")
    unit_vectors: _Floats = output / np.maximum(np.linalg.norm(output, axis=1, keepdims=True), np.float32(1e-12))
    return unit_vectors
